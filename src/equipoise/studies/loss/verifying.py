"""Verifies a loss study: plan and seal, archives, and every file that must follow from them."""

import tempfile
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import duckdb
import msgspec

from equipoise import __version__
from equipoise.archive.manifest import MANIFEST
from equipoise.errors import Blocked, EquipoiseError, InputError, Tampered, as_word
from equipoise.pipeline.amendments import AMENDMENTS, read_amendments
from equipoise.pipeline.faults import Check, Fault
from equipoise.pipeline.sealing import check_seal
from equipoise.pipeline.study_files import PLAN, SEAL, STUDY
from equipoise.pipeline.verifying import check_archive
from equipoise.records.codec import decode, digest
from equipoise.records.event import Seal
from equipoise.records.plan import Plan
from equipoise.records.suite import HistoryRow, Suite
from equipoise.stages.report.loss.history import HISTORY, to_history
from equipoise.studies.loss.comparing import RESULT, Compared
from equipoise.studies.loss.history import LINES, History, of_old, read_history, row_of
from equipoise.studies.loss.pairing import COMPARISONS
from equipoise.studies.loss.promised import amended
from equipoise.studies.loss.scoring import (
    ARCHIVES,
    SUITE,
    SUITES,
    LossRun,
    open_run,
    score_run,
)
from equipoise.studies.loss.verifying_derived import (
    check_comparison,
    check_suite,
    failed,
    made_otherwise,
    maker_of,
    says_the_same,
)
from equipoise.studies.loss.verifying_judgements import check_judgements
from equipoise.studies.loss.verifying_looks import check_looks
from equipoise.studies.loss.verifying_pages import check_pages
from equipoise.studies.loss.verifying_sealed import (
    check_lock,
    check_named_files,
    check_seal_stands,
)


def check_study(study: Path, *, today: date, ca: Path | None = None) -> Iterator[Check]:
    """Yields what is checked, in order: plan, amendments, archives, suites, comparisons, history.

    Nothing is written, and nothing that can be derived is trusted.

    Args:
        study: the study's folder.
        today: the day on which a plan that is not sealed is made again.
        ca: certificates that the authority behind a witnessed seal is trusted by.

    Raises:
        InputError: there is no plan in the folder.
    """
    if not study.joinpath(PLAN).is_file():
        raise InputError(
            f"{study} has no {PLAN}",
            wanted="the folder of a loss study that was planned",
            mend=f"equipoise plan {as_word(study)}",
            code="nothing_to_verify",
        )
    yield _plan(study, ca)
    yield _amendments(study)
    if study.joinpath(SEAL).is_file():
        yield check_named_files(study)
    runs: list[LossRun] = []
    folder = study / ARCHIVES
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if path.joinpath(MANIFEST).is_file():
            yield from _archive(study, path, runs)
    yield from check_judgements(study)
    yield from check_looks(study, runs)
    yield from check_seal_stands(study, runs)
    yield check_lock(study, runs)
    history, check = _history(study)
    yield check
    derived: dict[str, Compared] = {}
    for path in sorted(study.joinpath(COMPARISONS).glob(f"*/{RESULT}")):
        name = path.parent.relative_to(study).as_posix()
        check, found = check_comparison(study, path.parent, name, history)
        if found is not None:
            derived[name] = found
        yield check
    yield _rows(study, history, runs, derived)
    yield from check_pages(study, today)


def _plan(study: Path, ca: Path | None) -> Check:
    content = study.joinpath(PLAN).read_bytes()
    found = digest(content)
    try:
        plan = decode(content, Plan, where=PLAN)
    except InputError as error:
        return failed(PLAN, "cannot be read", error)
    if not study.joinpath(SEAL).is_file():
        note = Fault(file=SEAL, what="the plan is not sealed", is_note=True)
        return Check(thing=PLAN, says=f"plan {found}", faults=(note,))
    faults = []
    try:
        seal = decode(study.joinpath(SEAL).read_bytes(), Seal, where=SEAL)
    except InputError as error:
        return failed(SEAL, "cannot be read", error)
    if seal.plan_sha256 != found:
        what = "not the plan that was sealed"
        faults.append(Fault(file=PLAN, what=what, expected=seal.plan_sha256, found=found))
    else:
        faults += _proofs(content, seal, ca)
    draft = study / STUDY
    if plan.study_sha256 and draft.is_file() and digest(draft.read_bytes()) != plan.study_sha256:
        faults.append(
            Fault(
                file=STUDY,
                what="changed after planning",
                expected=plan.study_sha256,
                found=digest(draft.read_bytes()),
            )
        )
    return Check(
        thing=PLAN, says=f"plan {found}, {seal.label.value} {seal.sealed_at}", faults=tuple(faults)
    )


def _proofs(content: bytes, seal: Seal, ca: Path | None) -> Iterator[Fault]:
    """Yields a fault where the signature or the token is not over this plan.

    Without certificates nobody looks at who signed the token, and that is noted.
    """
    if seal.token and ca is None:
        what = "who signed the token was not looked at; give the authority's root with --ca"
        yield Fault(file=SEAL, what=what, is_note=True)
    if ca is not None and not seal.token:
        yield Fault(file=SEAL, what="has no token that --ca could speak of", is_note=True)
    try:
        check_seal(content, seal, ca=ca)
    except (Tampered, InputError) as error:
        yield Fault(file=SEAL, what="the proof does not hold", found=str(error))
    except Blocked as error:
        yield Fault(file=SEAL, what="the proof was not checked", found=str(error), is_note=True)


def _amendments(study: Path) -> Check:
    try:
        content = study.joinpath(PLAN).read_bytes()
        found = read_amendments(study, digest(content))
        amended(decode(content, Plan), found)
    except InputError as error:
        return failed(AMENDMENTS, "cannot be applied", error)
    except Tampered as error:
        return failed(AMENDMENTS, "was altered", error)
    return Check(thing=AMENDMENTS, says=f"{len(found) or 'none'}")


def _archive(study: Path, path: Path, runs: list[LossRun]) -> Iterator[Check]:
    """Checks an archive, the plan's copy in it and its suites; puts the run on the list."""
    inside = path.relative_to(study).as_posix()
    is_whole = True
    for check in check_archive(path):
        kept = tuple(
            msgspec.structs.replace(fault, file=f"{inside}/{fault.file}")
            for fault in check.faults
            if not (fault.is_note and fault.file.startswith((PLAN, f"{SUITES}/")))
        )
        is_whole = is_whole and all(fault.is_note for fault in kept)
        yield msgspec.structs.replace(check, thing=f"{inside}/{check.thing}", faults=kept)
    try:
        run = open_run(path, study)
    except EquipoiseError as error:
        yield failed(f"{inside}/{PLAN}", "the run cannot be read by its plan", error)
        return
    yield Check(thing=f"{inside}/{PLAN}", says="the plan that the run followed")
    if is_whole:
        runs.append(run)
        with tempfile.TemporaryDirectory(prefix="equipoise-") as place:
            columns = run.archive.derive_columns(Path(place))
            for file in sorted(path.joinpath(SUITES).glob(f"*/{SUITE}")):
                name = file.relative_to(study).as_posix()
                yield check_suite(run, file, name, columns)


def _history(study: Path) -> tuple[History | None, Check]:
    try:
        found = read_history(study)
    except EquipoiseError as error:
        return None, failed(HISTORY, "was altered", error)
    return found, Check(thing=LINES, says=f"{len(found.rows)} lines, each following the one before")


def _rows(
    study: Path, history: History | None, runs: list[LossRun], derived: dict[str, Compared]
) -> Check:
    """Derives every row again whose suite still stands; older ones are kept by the chain."""
    if history is None:
        return Check(thing=HISTORY, says="not comparable")
    faults: list[Fault] = []
    old = 0
    for number, row in enumerate(history.rows, start=1):
        path = study / row.suite
        faults += _missing(study, row, number)
        if not path.is_file() or digest(path.read_bytes()) != row.suite_sha256:
            old += 1
            continue
        try:
            wanted = _row_again(row, runs, derived, path)
            wanted = of_old(wanted) if wanted and not row.harness_version else wanted
        except EquipoiseError as error:
            what = "the row cannot be derived"
            faults.append(Fault(file=LINES, line=number, what=what, found=str(error)))
            continue
        made_by = maker_of(path.read_bytes(), Suite)
        if wanted is not None and wanted != row and made_by != __version__:
            faults.append(made_otherwise(f"{LINES}:{number}", made_by, row.suite))
        elif wanted is not None and wanted != row:
            faults.append(
                Fault(
                    file=LINES,
                    line=number,
                    what="the row does not follow from its suite",
                    expected=str(wanted),
                    found=str(row),
                )
            )
    table = study / HISTORY
    wanted_table = to_history(history.rows, history.hashes)
    if history.rows and (not table.is_file() or table.read_bytes() != wanted_table):
        faults.append(Fault(file=HISTORY, what=f"not the table that {LINES} gives"))
    if old:
        what = f"{old} rows are of suites that a later grading replaced; the chain keeps them"
        faults.append(Fault(file=HISTORY, what=what, is_note=True))
    return Check(thing=HISTORY, says=f"{len(history.rows)} rows", faults=tuple(faults))


def _missing(study: Path, row: HistoryRow, line: int) -> Iterator[Fault]:
    """Yields a fault for each file that a row leads to and that is gone."""
    for name in (row.suite, *([f"{row.comparison}/{RESULT}"] if row.comparison else [])):
        if not study.joinpath(name).is_file():
            what = f"is missing, and line {line} of {LINES} leads to it"
            yield Fault(file=name, what=what)


def _row_again(
    row: HistoryRow, runs: list[LossRun], derived: dict[str, Compared], path: Path
) -> HistoryRow | None:
    content = path.read_bytes()
    made_by = maker_of(content, Suite)
    if row.comparison:
        found = derived.get(row.comparison)
        if found is None:
            return None
        new = msgspec.structs.replace(found.new, derived_by=made_by)
        return _as_stored(row_of(new, row.suite, found.comparison, row.comparison), new, content)
    for run in runs:
        if run.path in path.parents:
            with duckdb.connect() as con:
                suite = score_run(con, run, row.catalog_version, made_by=made_by).suite
            return _as_stored(row_of(suite, row.suite), suite, content)
    return None


def _as_stored(row: HistoryRow, suite: Suite, content: bytes) -> HistoryRow:
    """Gives the row with the stored file's hash, where that says the same in another layout."""
    if not says_the_same(content, suite):
        return row
    return msgspec.structs.replace(row, suite_sha256=digest(content))
