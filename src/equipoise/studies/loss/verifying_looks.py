"""Verifies the looks that runs tell of: each is taken again from the trials and grades."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from equipoise import __version__
from equipoise.archive.columns import Columns
from equipoise.errors import EquipoiseError
from equipoise.pipeline.faults import Check, Fault
from equipoise.records.trial import Trial
from equipoise.studies.loss.looked import taken_at
from equipoise.studies.loss.looks import Looks, Taken, looks_of, not_executed, taken_in
from equipoise.studies.loss.pairing import matched, run_at
from equipoise.studies.loss.scoring import LossRun
from equipoise.studies.loss.verifying_derived import made_otherwise

_EVENTS = "events.jsonl"


def check_looks(study: Path, runs: Sequence[LossRun]) -> Iterator[Check]:
    """Yields a check for each run that tells of looks.

    A look is held against what the same trials and grades give now. Where somebody has graded
    further since, or the margin was amended, the chain alone bears it out, and that is noted.
    """
    for run in runs:
        name = f"{run.path.relative_to(study).as_posix()}/{_EVENTS}"
        try:
            looks = looks_of(run.plan)
            taken = [one for one in taken_in(run.archive) if one.new == run.run_id]
            faults = [] if looks is None else list(_beyond(run, looks, name))
            if looks is not None and taken:
                faults += _again(study, (run, runs), looks, taken, name)
        except (EquipoiseError, KeyError, ValueError) as error:
            fault = Fault(file=name, what="a look cannot be taken again", found=str(error))
            yield Check(thing=f"{name}: looks", says="not verified", faults=(fault,))
            continue
        if taken or faults:
            says = f"{len(taken)} of {run.plan.looks} looks, taken again from the trials"
            yield Check(thing=f"{name}: looks", says=says, faults=tuple(faults))


def _beyond(run: LossRun, looks: Looks, name: str) -> Iterator[Fault]:
    """Yields a fault where a run that stopped at a look has trials of units after it."""
    number, n_left_out = not_executed(run.archive)
    if not number:
        return
    kept = frozenset(looks.units(number))
    beyond = sorted({trial.unit for trial in run.archive.read(Trial)} - kept)
    if beyond:
        what = f"stopped at look {number}, and there are trials of {', '.join(beyond[:5])}"
        yield Fault(file=name, what=what)
    wanted = looks.n_executions(looks.plan.looks) - looks.n_executions(number)
    if n_left_out != wanted:
        what = f"the executions left out after look {number}"
        yield Fault(file=name, what=what, expected=str(wanted), found=str(n_left_out))


def _again(
    study: Path,
    both: tuple[LossRun, Sequence[LossRun]],
    looks: Looks,
    taken: Sequence[Taken],
    name: str,
) -> Iterator[Fault]:
    run, runs = both
    with ExitStack() as stack:
        columns: dict[str, Columns] = {}

        def fresh(one: LossRun) -> Columns:
            if one.run_id not in columns:
                place = stack.enter_context(tempfile.TemporaryDirectory(prefix="equipoise-"))
                columns[one.run_id] = one.archive.derive_columns(Path(place))
            return columns[one.run_id]

        for told in taken:
            if not told.results_sha256[0]:  # passed by: nothing was seen
                continue
            base = next((one for one in runs if one.run_id == told.base), None)
            base = base or run_at(looks.plan.baseline, study)
            if base is None or base.run_id != told.base:
                what = f"look {told.seen.number} is against {told.base}, which is not there"
                yield Fault(file=name, what=what, is_note=True)
                continue
            pair = matched(run, base, study, told.catalog)
            found = taken_at(pair, looks, told.seen.number, (fresh(run), fresh(base)))
            yield from _held(told, found, name)


def _held(told: Taken, found: Taken, name: str) -> Iterator[Fault]:
    number = told.seen.number
    if told.results_sha256 != found.results_sha256:
        what = f"graded further since look {number}: its chain alone bears it out"
        yield Fault(file=name, what=what, is_note=True)
    elif told.mde != found.mde:
        what = f"mde was amended since look {number}: its chain alone bears it out"
        yield Fault(file=name, what=what, is_note=True)
    elif (told.outcome, told.seen) == (found.outcome, found.seen):
        return
    elif told.made_by != __version__:
        yield made_otherwise(name, told.made_by, f"look {number}")
    else:
        yield Fault(
            file=name,
            what=f"look {number} does not follow from the trials",
            expected=f"{found.outcome}, {found.seen}",
            found=f"{told.outcome}, {told.seen}",
        )
