"""The headline of an outcome comparison: what may be said at all, and the word for it."""

from collections.abc import Sequence

from equipoise.records.outcome_report import ArmOutcome, OutcomeVerdict, Standing
from equipoise.records.suite import LossComparison
from equipoise.records.verdict import Tag, Word


def decided(comparison: LossComparison, arms: Sequence[ArmOutcome]) -> OutcomeVerdict:
    """Gives the headline.

    Args:
        comparison: what the plan's rule says of the two arms.
        arms: all arms that were looked at, the new and the base first.
    """
    tags = _tags(arms)
    if comparison.verdict == Word.NOT_EVALUABLE:
        return OutcomeVerdict(
            standing=Standing.VOID,
            word=Word.NOT_EVALUABLE,
            why=comparison.why,
            needed=comparison.needed,
            tags=tags,
        )
    if arms and all(_is_full(arm) for arm in arms):
        return OutcomeVerdict(
            standing=Standing.CEILING,
            word=Word.CANNOT_TELL,
            why=(
                "ceiling: cannot tell. Every arm passed everything that decides, in every cell: "
                "scenarios that nobody fails show no difference, and no equivalence either"
            ),
            needed="harder scenarios, or implicit hidden tests that some arm fails",
            tags=tags,
        )
    return OutcomeVerdict(
        standing=Standing.EXPLORATORY,
        word=Word.CANNOT_TELL,
        why=(
            "exploratory: no hypothesis was registered before the runs, so that what is seen here "
            "is a lead and decides nothing"
        ),
        needed="hypotheses in the study file, sealed before new runs",
        tags=(*tags, Tag.EXPLORATORY.value),
    )


def _is_full(arm: ArmOutcome) -> bool:
    return arm.main is not None and arm.main.value is not None and arm.main.value >= 1.0


def _tags(arms: Sequence[ArmOutcome]) -> tuple[str, ...]:
    found = [tag for arm in arms if arm.main for tag in arm.main.tags]
    found += [Tag.SIMULATED.value for arm in arms if arm.is_simulated]
    order = [tag.value for tag in Tag]
    return tuple(sorted(set(found), key=order.index))
