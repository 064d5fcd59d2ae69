"""Gives the seeds of a scenario pack, built once and kept for as long as they are used."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from equipoise.wiring.agents import Seeds


@contextmanager
def seeds_of(pack: Path) -> Iterator[Seeds]:
    """Gives what makes seeds by their specification; paths count from the pack's folder."""
    with tempfile.TemporaryDirectory(prefix="equipoise-seeds-") as folder:
        yield Seeds(pack.resolve(), Path(folder))
