"""What becomes of a rating study of which no model judge may judge anything, before spending."""

from collections.abc import Iterator

from equipoise.blind.legal_judges import LegalJudges
from equipoise.records.rating_plan import RatingPlan, SetKind
from equipoise.stages.plan.faults import Faults

_PEOPLE, _PANEL = "people", "panel"
_SHOWN = 6
_MENDS = (
    "write `models` with every model that had a hand in each output (an empty list for a person's "
    "text), add unknown ones to families.yaml, name judges of other families, or write decides: "
    "people"
)


def nobody_left(plan: RatingPlan, legal: LegalJudges | None, faults: Faults) -> Iterator[str]:
    """Yields why a study that model judges decide is refused: nobody knows whom they may judge.

    Where families are known and all of them had a hand in everything, the study can be planned; the
    plan says that it is not evaluable (see `people_only`).

    Args:
        plan: the plan.
        legal: who may judge what; null = no judges are planned.
        faults: where keys stand in the study file.
    """
    if legal is None or plan.decides == _PEOPLE:
        return
    axes = [axis.name for axis in plan.axes if not _has_judge(plan, legal, axis.name)]
    if axes and (unknown := _unknown(legal)):
        which = "" if plan.decides == _PANEL else f" of the name {plan.decides}"
        found = f"no judge{which} may judge a set on {', '.join(axes)}, and {plan.decides} decides"
        yield faults.at(("judges",), f": {found}: {unknown}", mend=_MENDS)


def people_only(plan: RatingPlan, legal: LegalJudges | None) -> Iterator[str]:
    """Yields that no judge may judge anything, and why: people do it alone, or nobody does."""
    if legal is None:
        return
    axes = [axis.name for axis in plan.axes if not _has_judge(plan, legal, axis.name)]
    if axes:
        left = "planned for people only" if plan.decides == _PEOPLE else "not evaluable"
        why = _unknown(legal) or "models of the judges' own families had a hand in all outputs"
        yield f"{', '.join(axes)}: {left}, for no judge may judge any set: {why}; {_MENDS}"


def _has_judge(plan: RatingPlan, legal: LegalJudges, axis: str) -> bool:
    for one in plan.sets:
        if one.axis == axis and one.kind is SetKind.STUDY:
            left = legal.allowed.get(one.id, ())
            if plan.decides in left or (left and plan.decides in {_PEOPLE, _PANEL}):
                return True
    return False


def _unknown(legal: LegalJudges) -> str:
    """Says what is not known of the models behind the outputs; empty where all is."""
    n_unrecorded = max((one.n_unrecorded for one in legal.comparisons), default=0)
    unknown = dict.fromkeys(name for one in legal.comparisons for name in one.unknown_models)
    whys = []
    if n_unrecorded:
        whys.append(f"the models behind outputs of {n_unrecorded} sets are not recorded")
    if unknown:
        more = f" and {len(unknown) - _SHOWN} more" if len(unknown) > _SHOWN else ""
        whys.append(f"of no known family: {', '.join(list(unknown)[:_SHOWN])}{more}")
    return "; ".join(whys)
