"""Takes one planned look of a run: grades what was executed, then asks the plan's rule."""

from collections.abc import Iterator
from datetime import date

from equipoise.records.suite import SuiteLook
from equipoise.stages.grade.reviewing import NO_FINDING
from equipoise.studies.loss.grading import Asked, grade_study
from equipoise.studies.loss.grading_told import Told
from equipoise.studies.loss.grading_work import SuitesMaker
from equipoise.studies.loss.looked import taken_at
from equipoise.studies.loss.looks import NOT_LOOKED, Looks, Taken
from equipoise.studies.loss.pairing import pair_in
from equipoise.studies.loss.sealed import Sealed


def grades_missing(sealed: Sealed, today: date, runs: frozenset[str], suites: SuitesMaker) -> str:
    """Grades what was executed, and says what of these runs still waits for people or judges.

    Raises:
        InputError, Blocked, Tampered: as for any grading.
    """
    graded = grade_study(Asked(study=sealed.root, today=today, suites=suites))
    return ", ".join(told for one in graded if one.run_id in runs for told in _missing(one))


def _missing(one: Told) -> Iterator[str]:
    for name, tally in one.categories.items():
        n = sum(times for why, times in tally.why.items() if NO_FINDING in why)
        if n:
            yield f"{name} of {n} trials of {one.arm}"


def take_look(sealed: Sealed, looks: Looks, runs: tuple[str, str | None], number: int) -> Taken:
    """Takes a look at two runs that stand at it.

    Args:
        sealed: the study.
        looks: what was planned.
        runs: the new and the base run; null = the baseline that the plan names by its path.
        number: of the look.
    """
    new, base = runs
    pair = pair_in(sealed.root, base=base, new=new, version=looks.plan.catalog_version)
    return taken_at(pair, looks, number)


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
