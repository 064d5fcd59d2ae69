"""Verifies what was derived from archives: suites and comparisons, derived again and compared.

A file that another version of the tool made may follow otherwise now. It is then no sign that
somebody altered it, and no proof that nobody did: a state of its own, with the version's name.
"""

import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import duckdb
import msgspec

from equipoise import __version__
from equipoise.archive.columns import Columns
from equipoise.errors import EquipoiseError
from equipoise.pipeline.faults import Check, Fault
from equipoise.records.codec import decode, digest, pretty
from equipoise.records.outcome_report import OUTCOME
from equipoise.records.suite import LossComparison, Suite
from equipoise.studies.loss.comparing import RESULT, Compared, derive
from equipoise.studies.loss.history import History
from equipoise.studies.loss.pairing import pair_of
from equipoise.studies.loss.scoring import LossRun, score_run

_MOST_NAMED = 6


def check_suite(run: LossRun, file: Path, name: str, columns: Columns) -> Check:
    """Derives a suite again from its run's lines.

    Args:
        run: whose suite it is.
        file: the suite's file, in a folder that begins with the catalog's version.
        name: of the file, as it is told.
        columns: of the run, derived afresh.
    """
    version = file.parent.name.partition("-")[0]
    found = file.read_bytes() if file.is_file() else b""
    made_by = maker_of(found, Suite)
    try:
        with duckdb.connect() as con:
            suite = score_run(con, run, version, columns=columns, made_by=made_by).suite
    except EquipoiseError as error:
        return failed(name, "cannot be derived", error)
    if says_the_same(found, suite):
        told = f"says what the archive gives; made by version {named(made_by)}"
        return Check(thing=name, says=told)
    faults = held(name, found, pretty(suite), "the archive", made_by)
    told = "follows from the archive, byte for byte"
    if faults:
        told = "not what the archive gives" if found else "is missing"
    return Check(thing=name, says=told, faults=faults)


def says_the_same(found: bytes, wanted: Suite | LossComparison) -> bool:
    """Says whether a file of another version holds these very values, in whatever layout."""
    if wanted.derived_by == __version__:
        return False
    try:
        return decode(found, type(wanted)) == wanted
    except EquipoiseError:
        return False


def check_comparison(
    study: Path, folder: Path, name: str, history: History | None
) -> tuple[Check, Compared | None]:
    """Derives a comparison again from its archives; null where that cannot be done.

    Args:
        study: the study's folder.
        folder: the comparison's.
        name: of the folder, as it is told.
        history: of the study; null where it was altered.
    """
    try:
        content = folder.joinpath(RESULT).read_bytes()
        stored = decode(content, LossComparison, where=RESULT)
        found = _derived(study, stored, name, history)
    except (EquipoiseError, OSError) as error:
        return failed(name, "cannot be derived", error), None
    faults: list[Fault] = []
    for file, wanted in found.files.items():
        path = folder / file
        seen = path.read_bytes() if path.is_file() else b""
        if file == RESULT and says_the_same(seen, found.comparison):
            continue
        faults += held(f"{name}/{file}", seen, wanted, "the archives", stored.derived_by)
    says = f"{len(found.files)} files follow from the archives: {_says(folder, found)}"
    if stored.derived_by != __version__:
        says += f"; made by version {named(stored.derived_by)}"
    if faults:
        says = f"{len(faults)} of {len(found.files)} files are not what the archives give"
    return Check(thing=name, says=says, faults=tuple(faults)), found


def _says(folder: Path, found: Compared) -> str:
    """Gives the word of a comparison; beside that of an outcome it speaks of losses alone."""
    word = str(found.comparison.verdict)
    if folder.joinpath(OUTCOME).is_file():
        return f"{word} by the rule of losses; {OUTCOME} has what decides about the hypotheses"
    return word


def _derived(study: Path, stored: LossComparison, name: str, history: History | None) -> Compared:
    pair = pair_of(study, stored)
    with ExitStack() as stack:
        places = [
            Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="equipoise-")))
            for _ in range(2)
        ]
        fresh = (
            pair.new.archive.derive_columns(places[0]),
            pair.base.archive.derive_columns(places[1]),
        )
        looks = history.looks(name) if history else stored.looks
        return derive(pair, looks, fresh, made_by=stored.derived_by)


def held(
    name: str, found: bytes, wanted: bytes, source: str, made_by: str = __version__
) -> tuple[Fault, ...]:
    """Gives the fault of a file that is not what it must follow from; none where it is.

    Args:
        name: of the file, as it is told.
        found: what stands in it; empty = it is not there.
        wanted: what must stand in it.
        source: what it follows from, in words.
        made_by: the version that it names as its maker.
    """
    if found == wanted:
        return ()
    if not found:
        return (Fault(file=name, what="is missing", expected=digest(wanted)),)
    if made_by == __version__:
        what = f"does not follow from {source}"
        return (Fault(file=name, what=what, expected=digest(wanted), found=digest(found)),)
    return (made_otherwise(name, made_by, differing(found, wanted)),)


def made_otherwise(name: str, made_by: str, where: str = "") -> Fault:
    """Gives the fault of what another version made, and this one derives otherwise."""
    what = (
        f"made by version {named(made_by)}; this is {__version__}: re-derivation differs"
        f"{f' in {where}' if where else ''}; verify it with that version, or derive it anew with "
        "`equipoise compare` and `equipoise report`"
    )
    return Fault(file=name, what=what, made_by=named(made_by))


def named(version: str) -> str:
    """Gives a version by its name; early ones did not name themselves."""
    return version or "unknown"


def maker_of(content: bytes, kind: type[Suite] | type[LossComparison]) -> str:
    """Gives the version that a file names as its maker; this one where it cannot be read."""
    try:
        return decode(content, kind).derived_by
    except EquipoiseError:
        return __version__


def differing(found: bytes, wanted: bytes) -> str:
    """Names the fields in which two JSON files differ; empty where they are none."""
    try:
        one, two = (msgspec.json.decode(content) for content in (found, wanted))
    except msgspec.DecodeError:
        return ""
    if not isinstance(one, dict) or not isinstance(two, dict):
        return ""
    names = [name for name in sorted({*one, *two}) if _of(one, name) != _of(two, name)]
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more


def _of(table: dict[str, Any], name: str) -> Any:
    return table.get(name, msgspec.UNSET)


def failed(name: str, what: str, error: Exception) -> Check:
    """Gives the check of what could not be looked at."""
    fault = Fault(file=name, what=what, found=str(error))
    return Check(thing=name, says="not verified", faults=(fault,))
