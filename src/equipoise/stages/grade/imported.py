"""Grades that came with frozen logs, taken over for a category of the same name."""

from equipoise.errors import NotEstimable
from equipoise.records.catalog import MODEL_JUDGED, Category
from equipoise.records.grade import Grade, How
from equipoise.records.plan import Mode
from equipoise.records.terms import Direction
from equipoise.stages.grade.checking import hinder, withheld
from equipoise.stages.grade.material import Material


def taken_over(
    grade: Grade, category: Category, material: Material, mode: Mode, direction: Direction
) -> Grade:
    """Gives what a grade of the logs means under the catalog: the share lost.

    A value of a criterion of which more is better is turned round. A lost value without a quote is
    invalid. A model-judged category is not evaluable: nobody can see that a fifth was rated twice.

    Args:
        grade: as it was imported; its quotes were looked up then.
        category: the category of the same name.
        material: the trial.
        mode: the run's mode.
        direction: whether more is better of the criterion in the logs.
    """
    lost = grade.value
    if lost is not None and direction is Direction.HIGHER:
        lost = 1 - lost
    why = _hindered(grade, lost, category, material, mode)
    places, note = withheld(grade.evidence, material)
    return Grade(
        trial=grade.trial,
        criterion=category.id,
        value=None if why else lost,
        not_evaluable=why,
        how=How.SOFT if category.type == MODEL_JUDGED else grade.how,
        by=f"logs:{grade.by}" if grade.by else "logs",
        evidence=() if why else places,
        note="" if why else note,
    )


def _hindered(
    grade: Grade, lost: float | None, category: Category, material: Material, mode: Mode
) -> str:
    """Says why the grade has no value under the catalog; empty where it has one."""
    try:
        hinder(category, material, mode)
    except NotEstimable as error:
        return error.why
    if lost is None:
        return grade.not_evaluable
    if category.type == MODEL_JUDGED:
        return "unbewertbar: graded in the logs, and no unit is known to have been rated twice"
    if lost > 0 and not grade.evidence:
        return "invalid: lost, and no quote shows it"
    return ""
