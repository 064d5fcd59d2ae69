"""Runs one arm of a sealed study, or the part of it that is due, into an archive of its own."""

import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import anyio

from equipoise.archive.store import Archive
from equipoise.errors import EquipoiseError, Void
from equipoise.records.event import Event, EventKind
from equipoise.records.plan import ArmPlan, Mode
from equipoise.records.trial import Trial
from equipoise.studies.loss.running_asked import Adapters, ArmRun, Asked, Clock, Held, Part
from equipoise.studies.loss.running_frame import KEEP
from equipoise.studies.loss.running_live import Live, Outcome
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


def run_arm(
    sealed: Sealed,
    arm: ArmPlan,
    adapters: Adapters,
    asked: Asked,
    clock: Clock,
    part: Part | None = None,
) -> ArmRun:
    """Executes what is missing of an arm, or of a part of it, and tells how it stands.

    Raises:
        Blocked: a precondition is missing; nothing was executed.
        StorageFull: the disk took no more; what was acknowledged is kept.
        Void: the state could not be put back as it was.
    """
    place = find_place(sealed, arm)
    if asked.is_dry:
        return replace(told_run(sealed, arm, place), is_dry=True)

    def live(archive: Archive) -> Live:
        return Live(
            sealed=sealed,
            arm=arm,
            place=place,
            archive=archive,
            work=sealed.root / WORK / place.run_id,
            adapters=adapters,
            asked=asked,
            clock=clock,
            spent_usd=_spent_elsewhere(sealed, place),
            part=part,
        )

    with adapters.held(_things(sealed, arm, place)):
        if not place.is_new and is_finished(place.path):
            clear_work(sealed, place)  # it may have been killed after its last line
            return told_run(sealed, arm, place)
        if place.is_new:
            _begin(sealed, arm, place, adapters, clock().isoformat(timespec="milliseconds"))
        if arm.mode is Mode.B:
            return replace(told_run(sealed, arm, replace(place, is_new=False)), n_before=0)
        outcome = _executed(place, live)
        run = told_run(sealed, arm, replace(place, is_new=False))
        if run.is_finished:
            clear_work(sealed, place)
    return replace(
        run,
        n_before=outcome.n_before,
        stopped=outcome.stopped,
        is_interrupted=outcome.is_interrupted,
        is_down=outcome.is_down,
    )


def _things(sealed: Sealed, arm: ArmPlan, place: Place) -> Held:
    work = sealed.root / WORK / place.run_id
    return Held(
        root=sealed.root,
        work=work,
        keep=work / KEEP,
        archive=place.path,
        state=sealed.plan.state if arm.mode is Mode.A else None,
    )


def _executed(place: Place, live: Callable[[Archive], Live]) -> Outcome:
    with Archive.append_to(place.path) as archive:
        try:
            return anyio.run(live(archive).run)
        except BaseExceptionGroup as group:
            raise _first(group) from group
        except EquipoiseError:
            raise
        except Exception as error:
            raise _harness_fault(error) from error


def clear_work(sealed: Sealed, place: Place) -> None:
    """Removes what a run needed only while it ran."""
    work = sealed.root / WORK / place.run_id
    shutil.rmtree(work, ignore_errors=True)
    with suppress(OSError):
        work.parent.rmdir()


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
