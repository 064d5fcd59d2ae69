"""Verifies what outcome comparisons say: every cell, figure and page is derived again."""

from collections.abc import Iterator
from pathlib import Path

from equipoise.errors import EquipoiseError
from equipoise.pipeline.faults import Check, Fault
from equipoise.records.outcome_report import OUTCOME
from equipoise.studies.loss.pairing import COMPARISONS
from equipoise.studies.loss.verifying_derived import failed, held
from equipoise.studies.outcome.retelling import retold, stored_in


def check_outcomes(study: Path) -> Iterator[Check]:
    """Yields a check for each comparison of an outcome study; nothing for other studies."""
    for path in sorted(study.joinpath(COMPARISONS).glob(f"*/{OUTCOME}")):
        name = path.parent.relative_to(study).as_posix()
        try:
            yield _comparison(study, path.parent, name)
        except (EquipoiseError, OSError) as error:
            yield failed(f"{name}/{OUTCOME}", "cannot be derived", error)


def _comparison(study: Path, folder: Path, name: str) -> Check:
    stored = stored_in(folder)
    told = retold(study, folder, is_fresh=True)
    faults: list[Fault] = []
    for file, wanted in told.files.items():
        path = folder / file
        found = path.read_bytes() if path.is_file() else b""
        faults += held(f"{name}/{file}", found, wanted, "the archives", stored.derived_by)
    says = f"cells, items and page follow from the archives: {told.file.verdict.standing.value}"
    if faults:
        says = f"{len(faults)} of {len(told.files)} files are not what the archives give"
    return Check(thing=f"{name}/{OUTCOME}", says=says, faults=tuple(faults))
