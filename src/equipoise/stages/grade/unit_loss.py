"""The loss of one trial: the weighted share lost over the categories that could be evaluated."""

from collections.abc import Mapping

from equipoise.errors import NotEstimable
from equipoise.records.catalog import Catalog
from equipoise.records.grade import Grade, How
from equipoise.stages.grade.quoting import MOST_QUOTES
from equipoise.stats.suite import unit_loss

LOSS = "loss"
"""The criterion of a trial's loss, after the catalog's version: ``v3:loss``."""


def loss_grade(catalog: Catalog, trial: str, grades: Mapping[str, Grade]) -> Grade:
    """Gives the trial's loss; lower is better.

    ``sum w value / sum w`` over the categories with a value; not evaluable where none has one. A
    category of weight 0 is a diagnostic and has no part in it. The loss is soft where a judged
    category has part in it, and carries the first quote of each category that was lost, the one
    that adds most in front. It is simulated where a part of it is.

    Args:
        catalog: the catalog.
        trial: the trial's id.
        grades: category id -> its grade.
    """
    weights = {one.id: one.weight for one in catalog.categories if one.weight > 0}
    values = {name: grade.value for name, grade in grades.items() if name in weights}
    criterion = catalog.criterion(LOSS)
    try:
        loss = unit_loss(weights, values)
    except NotEstimable as error:
        return Grade(trial=trial, criterion=criterion, not_evaluable=error.why, by="catalog")
    known = [name for name, value in values.items() if value is not None]
    lost = sorted(known, key=lambda name: (-weights[name] * (values[name] or 0.0), name))
    places = [grades[name].evidence[0] for name in lost if values[name] and grades[name].evidence]
    is_soft = any(grades[name].how is How.SOFT for name in known)
    clipped = [name for name in weights if "clipped at" in getattr(grades.get(name), "note", "")]
    missing = [name for name in weights if name not in known]
    notes = [f"clipped: {', '.join(clipped)}"] if clipped else []
    if missing:
        notes.append(f"over {loss.covered:.4g} of the weight, without {', '.join(missing)}")
    return Grade(
        trial=trial,
        criterion=criterion,
        value=min(1.0, loss.loss),
        how=How.SOFT if is_soft else How.MEASURED,
        by="catalog",
        evidence=tuple(dict.fromkeys(places))[:MOST_QUOTES],
        note="; ".join(notes),
        is_simulated=any(grades[name].is_simulated for name in known),
    )
