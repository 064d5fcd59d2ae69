"""Gives the seeds of a scenario pack, built once and kept for as long as they are used."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from equipoise.ports.agents import Seed
from equipoise.records.yaml_text import parse
from equipoise.wiring.agents import Seeds


@contextmanager
def seeds_of(pack: Path) -> Iterator[Seeds]:
    """Gives what makes seeds by their specification; paths count from the pack's folder."""
    with tempfile.TemporaryDirectory(prefix="equipoise-seeds-") as folder:
        yield Seeds(pack.resolve(), Path(folder))


@contextmanager
def seeds_in(study: Path) -> Iterator[Callable[[object], Seed]]:
    """Gives what makes seeds of the pack that a study names in its `study.yaml`."""
    named = parse(study.joinpath("study.yaml").read_bytes(), name="study.yaml").value
    pack = named.get("pack") if isinstance(named, dict) else None
    with seeds_of(study / str(pack or ".")) as seeds:
        yield seeds
