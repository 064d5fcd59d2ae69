"""Runs a sealed study: the cells of each arm are executed into an archive of its own."""

import shutil
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace

import anyio

from equipoise.archive.store import Archive
from equipoise.errors import EquipoiseError, InputError, Void, nearest
from equipoise.records.event import Event, EventKind
from equipoise.records.plan import ArmPlan, Mode
from equipoise.records.trial import Trial
from equipoise.studies.loss.running_asked import Adapters, ArmRun, Asked, Clock
from equipoise.studies.loss.running_live import Live
from equipoise.studies.loss.running_logs import Logs, read_logs
from equipoise.studies.loss.running_place import (
    Place,
    archived_runs,
    begin,
    find_place,
    is_finished,
    started_facts,
)
from equipoise.studies.loss.running_told import told_run
from equipoise.studies.loss.sealed import Sealed

WORK = "work"
"""Folder beside `archive` for what a run needs only while it runs: snapshot, lists, workspaces."""


def run_study(sealed: Sealed, adapters: Adapters, asked: Asked, clock: Clock) -> list[ArmRun]:
    """Executes what is missing of the arms, one after another, and tells how each stands.

    A run that was ended in any way is taken up where it stands: a cell that has a trial is never
    executed again, and one that has none is.

    Raises:
        Blocked: a precondition is missing; nothing was executed.
        StorageFull: the disk took no more; what was acknowledged is kept.
        Void: the state could not be put back as it was.
    """
    runs: list[ArmRun] = []
    n_begun = 0
    for arm in _chosen(sealed, asked.arms):
        runs.append(_run_arm(sealed, arm, adapters, asked.after(n_begun), clock))
        n_begun += runs[-1].n_settled - runs[-1].n_before
        if runs[-1].is_interrupted:
            break
    return runs


def _chosen(sealed: Sealed, names: Iterable[str]) -> list[ArmPlan]:
    arms = {arm.name: arm for arm in sealed.plan.arms}
    for name in names:
        if name not in arms:
            raise InputError(
                f"the plan has no arm {name!r}",
                wanted=f"one of {', '.join(arms)}",
                mend=nearest(name, list(arms)),
                code="unknown_arm",
            )
    return [arm for arm in sealed.plan.arms if not names or arm.name in names]


def _run_arm(
    sealed: Sealed, arm: ArmPlan, adapters: Adapters, asked: Asked, clock: Clock
) -> ArmRun:
    place = find_place(sealed, arm)
    if asked.is_dry or (not place.is_new and is_finished(place.path)):
        return replace(told_run(sealed, arm, place), is_dry=asked.is_dry)
    if place.is_new:
        _begin(sealed, arm, place, adapters, clock().isoformat(timespec="milliseconds"))
    if arm.mode is Mode.B:
        return replace(told_run(sealed, arm, replace(place, is_new=False)), n_before=0)
    work = sealed.root / WORK / place.run_id
    with Archive.append_to(place.path) as archive:
        live = Live(
            sealed=sealed,
            arm=arm,
            place=place,
            archive=archive,
            work=work,
            adapters=adapters,
            asked=asked,
            clock=clock,
            spent_usd=_spent_elsewhere(sealed, place),
        )
        try:
            outcome = anyio.run(live.run)
        except BaseExceptionGroup as group:
            raise _first(group) from group
        except EquipoiseError:
            raise
        except Exception as error:
            raise _harness_fault(error) from error
    run = told_run(sealed, arm, replace(place, is_new=False))
    if run.is_finished:
        shutil.rmtree(work, ignore_errors=True)
        with suppress(OSError):
            work.parent.rmdir()
    return replace(
        run,
        n_before=outcome.n_before,
        stopped=outcome.stopped,
        is_interrupted=outcome.is_interrupted,
        is_down=outcome.is_down,
    )


def _begin(sealed: Sealed, arm: ArmPlan, place: Place, adapters: Adapters, at: str) -> None:
    facts = started_facts(sealed)
    if arm.mode is Mode.A:
        begin(place, sealed, arm, Event(kind=EventKind.STARTED, at=at, facts=facts))
        return
    logs = Logs.of(arm, sealed.root)
    reader = adapters.reader(logs.format_name)
    facts["source_sha256"] = logs.described().sha256
    started = Event(kind=EventKind.STARTED, at=at, facts=facts)
    begin(place, sealed, arm, started, lambda a: read_logs(sealed, arm, logs, reader, a, at))


def _spent_elsewhere(sealed: Sealed, place: Place) -> float:
    """Gives what the other runs of the same plan cost: the plan's limit is for all of them."""
    facts = started_facts(sealed)
    return sum(
        trial.cost_usd or 0.0
        for path, found in archived_runs(sealed.root)
        if path != place.path and found.plan_sha256 == facts["plan_sha256"]
        for trial in Archive.open(path).read(Trial)
    )


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """Gives the error that the user can act on: one of the house before any other.

    Any other fault is the harness's own, and told as such.
    """
    known = group.subgroup(EquipoiseError)
    found: BaseException = known or group
    while isinstance(found, BaseExceptionGroup):
        found = found.exceptions[0]
    if isinstance(found, Exception) and not isinstance(found, EquipoiseError):
        return _harness_fault(found)
    return found


def _harness_fault(error: Exception) -> Void:
    return Void(
        f"the harness failed, not the system: {type(error).__name__}: {error}; what was recorded "
        "is kept; mend: put that right, then run again"
    )
