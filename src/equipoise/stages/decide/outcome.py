"""The headline of an outcome comparison: what may be said at all, and the word for it."""

from collections.abc import Sequence

import msgspec

from equipoise.records.hypothesis import RESOURCES
from equipoise.records.outcome_report import (
    Answer,
    ArmOutcome,
    HypothesisVerdict,
    OutcomeVerdict,
    Standing,
)
from equipoise.records.suite import LossComparison
from equipoise.records.verdict import Tag, Word


def decided(
    comparison: LossComparison,
    arms: Sequence[ArmOutcome],
    hypotheses: Sequence[HypothesisVerdict],
    waiting: Sequence[OutcomeVerdict],
) -> OutcomeVerdict:
    """Gives the headline: that of the primary hypotheses, where nothing stands against it.

    Args:
        comparison: what the plan's rule says of the two arms.
        arms: all arms that were looked at, the new and the base first.
        hypotheses: what became of each.
        waiting: what stands against any verdict, see `waits`; the first one is the headline.
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
    for one in waiting:
        return msgspec.structs.replace(one, tags=tags)
    if arms and all(_is_full(arm) for arm in arms):
        return _ceiling(tags)
    primary = [one for one in hypotheses if one.primary]
    pair = {comparison.new_arm, comparison.base_arm}
    if about := [one for one in primary if {one.new, one.base} == pair]:
        return _of_hypotheses(about, comparison.new_arm, tags)
    return _exploratory(primary, tags)


def waits(standing: Standing, why: str, needed: str) -> OutcomeVerdict:
    """Gives the headline of what cannot be decided as things stand."""
    said = f"{standing.value}: cannot tell. {why}"
    return OutcomeVerdict(standing=standing, word=Word.CANNOT_TELL, why=said, needed=needed)


def _ceiling(tags: tuple[str, ...]) -> OutcomeVerdict:
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


def _exploratory(primary: Sequence[HypothesisVerdict], tags: tuple[str, ...]) -> OutcomeVerdict:
    why = (
        "exploratory: no hypothesis was registered before the runs, so that what is seen here is a "
        "lead and decides nothing"
    )
    needed = "hypotheses in the study file, sealed before new runs"
    if primary:
        named = ", ".join(f"{one.new} against {one.base}" for one in primary)
        why = f"exploratory: no primary hypothesis is about these two arms; they are about {named}"
        needed = f"a comparison of those arms, with --base and --new: {named}"
    return OutcomeVerdict(
        standing=Standing.EXPLORATORY,
        word=Word.CANNOT_TELL,
        why=why,
        needed=needed,
        tags=(*tags, Tag.EXPLORATORY.value),
    )


def withheld(
    hypotheses: Sequence[HypothesisVerdict],
    comparison: LossComparison,
    waiting: Sequence[OutcomeVerdict],
) -> tuple[HypothesisVerdict, ...]:
    """Gives the answers that may stand: none where a study as a whole decides nothing.

    What waits for labels or newer tests stands against scenarios, and was counted there.
    """
    whole = [one for one in waiting if one.standing in _OF_ALL]
    pair = {comparison.new_arm, comparison.base_arm}
    is_void = comparison.verdict == Word.NOT_EVALUABLE
    found = []
    for one in hypotheses:
        why = whole[0].why if whole else ""
        if is_void and {one.new, one.base} <= pair:
            why = f"not evaluable: {comparison.why}"
        if why and one.answer is not Answer.NULL:
            found.append(msgspec.structs.replace(one, answer=Answer.NULL, why=why, shown=None))
        else:
            found.append(one)
    return tuple(found)


_OF_ALL = frozenset({Standing.OUT_OF_ENVIRONMENT, Standing.EXPLORATORY})


def _of_hypotheses(
    about: Sequence[HypothesisVerdict], new_arm: str, tags: tuple[str, ...]
) -> OutcomeVerdict:
    nulls = [one for one in about if one.answer is Answer.NULL]
    needed = [f"{one.id}: {one.why.removeprefix('cannot tell: ')}" for one in nulls]
    if all(one.metric in RESOURCES for one in about):
        needed.append("a primary hypothesis about what the arms deliver, beside what they take")
    if any(one.adjusted_p is not None for one in nulls):
        needed.append("more scenarios would tell, more repetitions of these hardly")
    said = "; ".join(f"{one.id} {one.answer.value} ({_numbers(one)})" for one in about)
    return OutcomeVerdict(
        standing=Standing.CEILING
        if nulls and all(one.why.startswith("ceiling") for one in about)
        else Standing.DECIDED,
        word=_agreed(about, new_arm),
        why=said,
        needed="; ".join(needed),
        tags=tuple(dict.fromkeys((*tags, *(tag for one in about for tag in one.tags)))),
    )


def _agreed(about: Sequence[HypothesisVerdict], new_arm: str) -> Word:
    """Gives the word on which the primary hypotheses agree.

    What the arms deliver has the word. What they take can make worse of it; it makes better only
    of what is not worse, and nothing where no claim is about what is delivered.
    """
    delivers = [one.word_for(new_arm) for one in about if one.metric not in RESOURCES]
    takes = [one.word_for(new_arm) for one in about if one.metric in RESOURCES]
    words = {word for word in (*delivers, *takes) if word is not None}
    if Word.WORSE in words:
        return Word.WORSE
    if Word.CANNOT_TELL in words or not delivers:
        return Word.CANNOT_TELL
    deciding = {word for word in delivers if word is not None} or words
    return deciding.pop() if len(deciding) == 1 else Word.CANNOT_TELL


def _numbers(one: HypothesisVerdict) -> str:
    if one.gain is None:
        return one.why
    limits = "" if one.lo is None or one.hi is None else f" [{one.lo:+.2f}, {one.hi:+.2f}]"
    p = "" if one.adjusted_p is None else f", p {one.adjusted_p:.3g}"
    return f"{one.metric} {one.gain:+.2f}{limits}{p}"


def _is_full(arm: ArmOutcome) -> bool:
    return arm.main is not None and arm.main.value is not None and arm.main.value >= 1.0


def _tags(arms: Sequence[ArmOutcome]) -> tuple[str, ...]:
    found = [tag for arm in arms if arm.main for tag in arm.main.tags]
    found += [Tag.SIMULATED.value for arm in arms if arm.is_simulated]
    order = [tag.value for tag in Tag]
    return tuple(sorted(set(found), key=order.index))
