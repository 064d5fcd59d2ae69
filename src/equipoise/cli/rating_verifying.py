"""What `verify` does with a rating study: holds every file against what it must follow from."""

from collections.abc import Iterator
from pathlib import Path

from equipoise.pipeline.faults import Check
from equipoise.studies.rating.verifying import check_rating_study
from equipoise.studies.rating.verifying_plan import check_promises


def check_rating(study: Path, *, ca: Path | None) -> Iterator[Check]:
    """Yields what was checked of the study, with the faults found.

    Raises:
        InputError: there is no plan in the folder.
    """
    yield from check_rating_study(study, ca=ca)
    yield from check_promises(study)
