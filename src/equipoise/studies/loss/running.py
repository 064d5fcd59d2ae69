"""Runs a sealed study: the cells of each arm are executed into an archive of its own."""

from collections.abc import Iterable

from equipoise.errors import InputError, nearest
from equipoise.records.plan import ArmPlan
from equipoise.studies.loss.looks import looked_arms
from equipoise.studies.loss.running_arm import run_arm
from equipoise.studies.loss.running_asked import Adapters, ArmRun, Asked, Clock
from equipoise.studies.loss.sealed import Sealed


def run_study(sealed: Sealed, adapters: Adapters, asked: Asked, clock: Clock) -> list[ArmRun]:
    """Executes what is missing of the arms, and tells how each stands.

    A run that was ended in any way is taken up where it stands: a cell that has a trial is never
    executed again, and one that has none is. Arms are executed one after another; where the plan
    may stop early, by turns up to each of its looks.

    Raises:
        Blocked: a precondition is missing; nothing was executed.
        StorageFull: the disk took no more; what was acknowledged is kept.
        Void: the state could not be put back as it was.
    """
    chosen = _chosen(sealed, asked.arms)
    looked = looked_arms(sealed.plan)
    runs: dict[str, ArmRun] = {}
    n_begun = 0
    for arm in chosen:
        if arm.name not in looked:
            runs[arm.name] = run_arm(sealed, arm, adapters, asked.after(n_begun), clock)
            n_begun += runs[arm.name].n_settled - runs[arm.name].n_before
            if runs[arm.name].is_interrupted:
                return list(runs.values())
    by_looks = [arm for arm in chosen if arm.name in looked]
    if by_looks:
        from equipoise.studies.loss.running_looks import run_by_looks

        found = run_by_looks(sealed, by_looks, adapters, asked.after(n_begun), clock)
        runs |= {run.arm: run for run in found}
    return [runs[arm.name] for arm in chosen if arm.name in runs]


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
