"""Verifies what outcome comparisons say: every cell, figure and page is derived again."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from equipoise.errors import EquipoiseError
from equipoise.pipeline.faults import Check, Fault
from equipoise.pipeline.study_files import PLAN, seal_of
from equipoise.records.codec import decode, digest
from equipoise.records.hypothesis import HYPOTHESES
from equipoise.records.outcome_plan import OutcomePlan
from equipoise.records.outcome_report import OUTCOME, Standing
from equipoise.records.plan import Plan
from equipoise.records.triage import TRIAGE
from equipoise.studies.loss.comparing import RESULT
from equipoise.studies.loss.pairing import COMPARISONS
from equipoise.studies.loss.scoring import runs_of
from equipoise.studies.loss.verifying_derived import failed, held
from equipoise.studies.outcome.confirming import CONFIRMED, unconfirmed
from equipoise.studies.outcome.packs import PROOFS
from equipoise.studies.outcome.promising import read_registered
from equipoise.studies.outcome.queueing import hidden_hashes
from equipoise.studies.outcome.retelling import pack_of, retold, stored_in
from equipoise.studies.outcome.telling import proof_hashes
from equipoise.studies.outcome.timing import archive_name, check_times
from equipoise.studies.outcome.triage import read_labels


def check_outcomes(study: Path) -> Iterator[Check]:
    """Yields a check for each comparison of an outcome study; nothing for other studies."""
    plan = _plan(study)
    if plan is None or plan.kind != "outcome":
        return
    if study.joinpath(TRIAGE).is_file():
        yield _labels(study)
    for run in runs_of(study):
        yield check_times(run, archive_name(run))
    if remade := _remade(study, plan):
        what = "not the proofs of the plan: items and notes that rest on them may follow otherwise"
        note = Fault(file=", ".join(remade), what=what, is_note=True)
        yield Check(thing=PROOFS, says=f"{len(remade)} made since", faults=(note,))
    for path in sorted(study.joinpath(COMPARISONS).glob(f"*/{RESULT}")):
        name = path.parent.relative_to(study).as_posix()
        if not path.with_name(OUTCOME).is_file():
            missing = Fault(file=f"{name}/{OUTCOME}", what="is missing: compare again")
            yield Check(thing=f"{name}/{OUTCOME}", says="not verified", faults=(missing,))
            continue
        try:
            yield _comparison(study, path.parent, name)
        except (EquipoiseError, OSError) as error:
            yield failed(f"{name}/{OUTCOME}", "cannot be derived", error)


def _plan(study: Path) -> Plan | None:
    """Gives the plan; null where it cannot be read, which is told elsewhere."""
    try:
        return decode(study.joinpath(PLAN).read_bytes(), Plan, where=PLAN)
    except (EquipoiseError, OSError):
        return None


def _remade(study: Path, plan: Plan) -> list[str]:
    """Gives the scenarios whose stored proof is not the one that the plan names."""
    if not isinstance(plan.outcome, OutcomePlan):
        return []
    try:
        folder = pack_of(study).folder / PROOFS
    except EquipoiseError:
        return []
    paths = {one.id: folder / f"{one.id}.json" for one in plan.outcome.scenarios}
    return [
        one.id
        for one in plan.outcome.scenarios
        if not paths[one.id].is_file() or digest(paths[one.id].read_bytes()) != one.proof_sha256
    ]


def _labels(study: Path) -> Check:
    try:
        found = read_labels(study)
    except EquipoiseError as error:
        return failed(TRIAGE, "was altered", error)
    return Check(thing=TRIAGE, says=f"{len(found)} labels, each following the one before")


def check_registered(study: Path) -> Iterator[Check]:
    """Yields checks of `hypotheses.json` and of a budget that had to be confirmed apart."""
    seal = seal_of(study)
    if seal is None or not study.joinpath(PLAN).is_file():
        return
    try:
        plan = decode(study.joinpath(PLAN).read_bytes(), Plan, where=PLAN)
        if not isinstance(plan.outcome, OutcomePlan):
            return
        n = len(read_registered(study, plan, seal))
        why = unconfirmed(study, plan, seal.plan_sha256)
    except EquipoiseError as error:
        yield failed(HYPOTHESES, "not what was registered", error)
        return
    says = f"{n} registered with the plan, at {seal.sealed_at}"
    yield Check(thing=HYPOTHESES, says=says if n else "none registered: exploratory")
    if why:
        fault = Fault(file=CONFIRMED, what=why)
        yield Check(thing=CONFIRMED, says="not confirmed", faults=(fault,))


def _never_there(study: Path, remade: Iterable[str], now: Mapping[str, str]) -> list[str]:
    """Gives those scenarios whose proof is still that of the plan: none was made in between."""
    plan = _plan(study)
    if plan is None or not isinstance(plan.outcome, OutcomePlan):
        return []
    planned = {one.id: one.proof_sha256 for one in plan.outcome.scenarios}
    return [name for name in remade if now[name] == planned.get(name)]


def _comparison(study: Path, folder: Path, name: str) -> Check:
    stored = stored_in(folder)
    told = retold(study, folder, is_fresh=True)
    faults: list[Fault] = []
    for file, wanted in told.files.items():
        path = folder / file
        found = path.read_bytes() if path.is_file() else b""
        faults += held(f"{name}/{file}", found, wanted, "the archives", stored.derived_by)
    known = len(read_labels(study))
    if known < stored.n_labels:
        what = f"has {known} labels, and a comparison rests on {stored.n_labels}"
        faults.append(Fault(file=TRIAGE, what=what))
    elif known > stored.n_labels or hidden_hashes(pack_of(study)) != stored.hidden_now:
        what = "labels or hidden tests are others by now: compare again to see what follows"
        faults.append(Fault(file=f"{name}/{OUTCOME}", what=what, is_note=True))
    now = proof_hashes(pack_of(study), stored.proofs)
    if remade := [one for one, sha256 in stored.proofs.items() if now[one] != sha256]:
        what = (
            f"the proofs of {', '.join(remade)} are others by now: what they said of hidden tests, "
            "and the notes, are taken from the file and were not derived"
        )
        faults.append(Fault(file=f"{name}/{OUTCOME}", what=what, is_note=True))
        if false := _never_there(study, remade, now):
            what = f"names proofs of {', '.join(false)} that are not those of the plan"
            faults.append(Fault(file=f"{name}/{OUTCOME}", what=what))
    if others := {run.facts.arm for run in runs_of(study)} - {arm.arm for arm in stored.arms}:
        what = f"runs of {', '.join(sorted(others))} were not looked at: compare again to do so"
        faults.append(Fault(file=f"{name}/{OUTCOME}", what=what, is_note=True))
    verdict = told.file.verdict
    why = "" if verdict.standing is Standing.DECIDED else f" ({verdict.standing.value})"
    says = f"cells, items and page follow from the archives: {verdict.word}{why}"
    if n := sum(not one.is_note for one in faults):
        says = f"{n} of {len(told.files)} files are not what the archives give"
    return Check(thing=f"{name}/{OUTCOME}", says=says, faults=tuple(faults))
