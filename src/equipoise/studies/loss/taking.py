"""Takes one planned look: grades what was executed, scores both runs, and asks the plan's rule."""

from collections.abc import Iterator
from datetime import date

import duckdb
import msgspec

from equipoise.records.suite import SuiteLook
from equipoise.stages.estimate.loss.scoring import MOST_ABORTED
from equipoise.stages.grade.reviewing import NO_FINDING
from equipoise.studies.loss.grading import Asked, grade_study
from equipoise.studies.loss.grading_told import Told
from equipoise.studies.loss.looked import seen_at
from equipoise.studies.loss.looks import GO_ON, NOT_LOOKED, STOP, Looks, Taken
from equipoise.studies.loss.pairing import pair_in
from equipoise.studies.loss.scoring import score_run
from equipoise.studies.loss.sealed import Sealed


def grades_missing(sealed: Sealed, today: date, runs: frozenset[str]) -> str:
    """Grades what was executed, and says what of these runs still waits for people or judges.

    Raises:
        InputError, Blocked, Tampered: as for any grading.
    """
    graded = grade_study(Asked(study=sealed.root, today=today))
    return ", ".join(told for one in graded if one.run_id in runs for told in _missing(one))


def _missing(one: Told) -> Iterator[str]:
    for name, tally in one.categories.items():
        n = sum(times for why, times in tally.why.items() if NO_FINDING in why)
        if n:
            yield f"{name} of {n} trials of {one.arm}"


def take_look(sealed: Sealed, looks: Looks, runs: tuple[str, str | None], number: int) -> Taken:
    """Takes a look at two runs that stand at it.

    Where too much did not complete, nothing is looked at, and the run goes on.

    Args:
        sealed: the study.
        looks: what was planned.
        runs: the new and the base run; null = the baseline that the plan names by its path.
        number: of the look.
    """
    plan = looks.plan
    new_id, base_id = runs
    pair = pair_in(sealed.root, base=base_id, new=new_id, version=plan.catalog_version)
    with duckdb.connect() as con:
        new = score_run(con, pair.new, pair.version, "new", number=number)
        is_same = pair.base.facts.plan_sha256 == pair.new.facts.plan_sha256
        base = score_run(con, pair.base, pair.version, "base", number=number if is_same else None)
        seen = seen_at(con, looks, (new, base), number)
    broken = [one for one in (new.suite, base.suite) if one.completion_rate < 1.0 - MOST_ABORTED]
    outcome, why = (STOP if seen.word else GO_ON), ""
    if broken:
        seen = msgspec.structs.replace(seen, statistic=None, boundary=None, word="")
        outcome = NOT_LOOKED
        why = "; ".join(f"{one.arm}: {one.completion_rate:.1%} completed" for one in broken)
    return Taken(
        new=pair.new.run_id,
        base=pair.base.run_id,
        catalog=pair.version,
        mde=plan.mde,
        outcome=outcome,
        seen=seen,
        results_sha256=(new.suite.results_sha256, base.suite.results_sha256),
        why=why,
    )


def skipped(looks: Looks, new: str, base: str, number: int) -> Taken:
    """Gives a look that was passed by, as the user asked; its share of the error is not spent."""
    plan = looks.plan
    return Taken(
        new=new,
        base=base,
        catalog=plan.catalog_version,
        mde=plan.mde,
        outcome=NOT_LOOKED,
        seen=SuiteLook(
            rule=plan.stopping,
            number=number,
            looks=plan.looks,
            fraction=looks.fractions[number - 1],
            n_executed=looks.n_executions(number),
            n_planned=looks.n_executions(plan.looks),
        ),
        results_sha256=("", ""),
        why="passed by with --skip-looks",
    )
