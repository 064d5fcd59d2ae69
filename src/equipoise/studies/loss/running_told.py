"""How the run of an arm stands, read from its archive alone."""

from collections import Counter

from equipoise.archive.store import Archive
from equipoise.records.event import Event, EventKind
from equipoise.records.plan import ArmPlan
from equipoise.records.trial import Ending, EndingKind, Trial
from equipoise.stages.run.schedule import Standing, cells_of
from equipoise.studies.loss.looks import not_executed, taken_in
from equipoise.studies.loss.running_asked import ArmRun, LookTold
from equipoise.studies.loss.running_place import Place
from equipoise.studies.loss.sealed import Sealed

_SHOWS = frozenset({EndingKind.COMPLETED, EndingKind.BUDGET, EndingKind.REFUSED})


def told_run(sealed: Sealed, arm: ArmPlan, place: Place) -> ArmRun:
    """Gives how a run stands; of one that is not begun, what there is to do."""
    cells = {(c.unit, c.repetition): c.id for c in cells_of(sealed.plan.units, arm.name)}
    standing: dict[str, Standing] = {}
    cost, n_trials, n_cost_unknown, n_aborted, is_finished = 0.0, 0, 0, 0, False
    looks: tuple[LookTold, ...] = ()
    stopped_at, n_not_executed = None, 0
    if not place.is_new:
        archive = Archive.open(place.path)
        for trial in archive.read(Trial):
            if cell := cells.get((trial.unit, trial.repetition)):
                standing.setdefault(cell, Standing()).take(trial)
            n_trials += 1
            cost += trial.cost_usd or 0.0
            n_cost_unknown += trial.cost_usd is None
        for event in archive.read(Event):
            n_aborted += event.kind is EventKind.ABORTED
            is_finished |= event.kind is EventKind.FINISHED
        number, n_not_executed = not_executed(archive)
        stopped_at = (number, sealed.plan.looks) if number else None
        looks = tuple(
            LookTold(base=one.base, outcome=one.outcome, seen=one.seen, why=one.why)
            for one in taken_in(archive)
            if one.new == place.run_id
        )
    limit = sealed.plan.limits.max_attempts
    settled = [s.last for s in standing.values() if s.last and s.is_settled(limit)]
    endings = Counter(ending.kind.value for ending in settled)
    return ArmRun(
        arm=arm.name,
        run_id=place.run_id,
        path=place.path.relative_to(sealed.root).as_posix(),
        mode=arm.mode.value,
        n_cells=len(cells),
        n_settled=len(settled),
        n_before=len(settled),
        n_aborted=n_aborted,
        n_voided=sum(ending.kind not in _SHOWS for ending in settled),
        endings=dict(sorted(endings.items())),
        voided_by=tuple(_reasons(settled).most_common()),
        cost_usd=cost if n_trials > n_cost_unknown else None,
        n_cost_unknown=n_cost_unknown,
        is_finished=is_finished,
        looks=looks,
        n_not_executed=n_not_executed,
        stopped_at=stopped_at,
    )


def _reasons(settled: list[Ending]) -> Counter[str]:
    """Counts what is told of the endings that show nothing, by its first line."""
    told = [ending.detail.strip() for ending in settled if ending.kind not in _SHOWS]
    return Counter(detail.splitlines()[0] for detail in told if detail)
