"""What `verify` does with a rating study: holds every file against what it must follow from."""

from collections.abc import Iterator
from pathlib import Path

from equipoise.errors import Blocked
from equipoise.pipeline.faults import Check


def check_rating(study: Path, *, ca: Path | None) -> Iterator[Check]:
    """Yields what was checked of the study, with the faults found.

    Raises:
        Blocked: nothing can be verified.
    """
    raise Blocked(f"{study} is a rating study, and cannot be verified yet ({ca or 'no authority'})")
