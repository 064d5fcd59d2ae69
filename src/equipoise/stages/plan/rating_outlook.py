"""What a rating plan will be able to tell, what it asks of people, and why it might not decide."""

from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from equipoise.records.counted import counted
from equipoise.records.rating_plan import AxisPower, RatingPlan, SetKind
from equipoise.stages.plan.rating_sets import AxisSets
from equipoise.stats.agreement_report import agreement_mode
from equipoise.stats.bws_design import DesignBalance, balance
from equipoise.stats.bws_plan import pass_probability

LEAST_RATERS = 3
"""People that a set needs before their agreement says anything."""

_HONEST = 0.95


class AxisOutlook(msgspec.Struct, frozen=True, kw_only=True):
    """One axis: its units, the balance of its sets, and what they can tell.

    `designed` is the balance of the sets as made, `answered` that over all answers that are planned
    (null = nobody rates). `left_out` says why units have no set. `n_unread` sets are read by
    nobody, `n_short` of the overlap by fewer people than planned. `no_kappa` is empty where
    people's agreement can be told.
    """

    axis: str
    ask: str
    power: AxisPower
    n_units: int
    n_same: int
    n_cycle: int
    left_out: dict[str, int]
    designed: DesignBalance
    answered: DesignBalance | None
    n_raters: int
    n_unread: int
    n_short: int
    no_kappa: str


class ListOutlook(msgspec.Struct, frozen=True, kw_only=True):
    """What one annotator is asked: sets by kind."""

    annotator: str
    n: int
    kinds: dict[str, int]


class RatingOutlook(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is said of a plan beside the plan itself.

    `legal` are the lines (Markdown) about who may judge, empty without model judges; `masked` those
    about what was masked.
    """

    plan_sha256: str
    title: str
    is_paired: bool
    axes: tuple[AxisOutlook, ...]
    lists: tuple[ListOutlook, ...]
    checks: str
    doubts: tuple[str, ...]
    remarks: tuple[str, ...]
    legal: tuple[str, ...] = ()
    masked: tuple[str, ...] = ()


Seen = dict[str, list[tuple[str, ...]]]
"""Axis -> the arms of each set that is answered, in the order in which they stand there."""


def axis_outlook(
    made: AxisSets,
    power: AxisPower,
    seen: Sequence[tuple[str, ...]],
    raters: Sequence[Sequence[str]],
    plan: RatingPlan,
) -> AxisOutlook:
    """Gives what is to be said of one axis.

    Args:
        made: its study sets.
        power: what they can tell.
        seen: the arms of every planned answer, in the order in which they stand there.
        raters: for each study set who rates it.
        plan: the plan.
    """
    n_shared = round(plan.overlap * len(raters))
    people = {name for names in raters for name in names}
    mode = agreement_mode(
        min(len(people), max((len(names) for names in raters), default=0)),
        sum(len(names) > 1 for names in raters),
        least_annotators=LEAST_RATERS,
    )
    return AxisOutlook(
        axis=made.axis.name,
        ask=made.axis.ask,
        power=power,
        n_units=made.n_units,
        n_same=made.n_same,
        n_cycle=len(made.design.sets),
        left_out=made.left_out,
        designed=balance([one.arms for one in made.sets], items=plan.arms),
        answered=balance(seen, items=plan.arms) if seen else None,
        n_raters=len(people),
        n_unread=sum(not names for names in raters),
        n_short=sum(0 < len(names) < plan.raters_per_set for names in raters[:n_shared]),
        no_kappa="" if mode.mode == "kappa" else mode.label,
    )


def told_checks(plan: RatingPlan) -> str:
    """Says what the silent checks let through; empty where there are none."""
    checks = plan.checks
    if not checks.n_silent or not checks.need:
        return ""
    guesser = pass_probability(checks.n_silent, checks.need, 1 / plan.set_size)
    honest = pass_probability(checks.n_silent, checks.need, _HONEST)
    return (
        f"{checks.need} of {checks.n_silent} silent checks have to be right: who guesses passes "
        f"with probability {guesser:.4f}, who is right in {_HONEST:.0%} of them with {honest:.4f}"
    )


def rating_doubts(plan: RatingPlan, axes: Sequence[AxisOutlook]) -> Iterator[str]:
    """Yields every reason why the study might not decide."""
    is_people = plan.decides == "people"
    if is_people and not plan.annotators:
        yield "people decide, and no annotator is planned"
    for one in axes:
        yield from _of_power(one, plan)
        if is_people and plan.annotators and one.no_kappa:
            yield (
                f"{one.axis}: no-kappa mode ({one.no_kappa}): every result will say so, and no "
                "decision is made on it"
            )
    for one in axes if plan.annotators else ():
        if one.n_unread:
            yield (
                f"{one.axis}: {counted(one.n_unread, 'set')} with nobody to rate: no annotator "
                "of this axis reads all that is shown"
            )
        if one.n_short:
            yield (
                f"{one.axis}: {counted(one.n_short, 'set')} of the overlap with fewer raters than "
                f"{plan.raters_per_set}"
            )
    for one in axes:
        if one.power.n_sets < one.n_cycle:
            yield (
                f"{one.axis}: {counted(one.power.n_sets, 'set')}, fewer than a full cycle of "
                f"{one.n_cycle}: pairs and places cannot be balanced"
            )


def _of_power(one: AxisOutlook, plan: RatingPlan) -> Iterator[str]:
    power, mde = one.power, plan.mde
    if not power.n_answers and plan.decides != "people":
        yield (
            f"{one.axis}: no people are asked, and how much verdicts of judges spread is known "
            "once they were asked: `compare` says what they could show. One answer of a person to "
            f"each of {power.n_sets:,} sets would find a difference of {mde:g} with probability "
            f"{power.power_reached:.2f}"
        )
    elif 0 < power.n_answers < power.n_needed:
        yield (
            f"{one.axis}: {power.n_answers:,} answers of people find a difference of {mde:g} with "
            f"probability {power.power_reached:.2f}; {power.n_needed:,} are needed for "
            f"{plan.power:g}; what they find with {plan.power:g} is {found_said(power)}"
        )


def found_said(power: AxisPower) -> str:
    """Says what difference the answers find with the planned power."""
    return "nothing" if power.mde_reached is None else f"{power.mde_reached:.3f}"


def rating_remarks(plan: RatingPlan, axes: Sequence[AxisOutlook]) -> Iterator[str]:
    """Yields what a reader of the plan has to know beside it."""
    if plan.set_size == 2:
        yield "sets of two are paired comparisons, and are analysed as such, not as best-worst sets"
    for one in axes:
        for why, n in one.left_out.items():
            yield f"{one.axis}: {counted(n, 'unit')} without a set: {why}"
        if one.n_same:
            yield (
                f"{one.axis}: in {counted(one.n_same, 'set')} arms share a text: it is shown "
                "once, and what is chosen is credited to all of them"
            )
        if one.power.n_sets % one.n_cycle and one.power.n_sets > one.n_cycle:
            yield (
                f"{one.axis}: {counted(one.power.n_sets, 'set')}, no multiple of the cycle of "
                f"{one.n_cycle}; counts of places differ by one cycle's rest"
            )
    study = {(one.axis, one.unit) for one in plan.sets if one.kind is SetKind.STUDY}
    used = Counter(
        one.axis
        for one in plan.sets
        if one.kind not in {SetKind.STUDY, SetKind.RETEST} and (one.axis, one.unit) in study
    )
    for axis, n in used.items():
        made = counted(n, "check")
        yield f"{axis}: {made} made of units that study sets show too: no unit is spare"
    if plan.retest and plan.annotators:
        yield f"{plan.retest:.0%} of each list comes once more, in another order of the texts"


def idle(lists: Sequence[ListOutlook]) -> Iterator[str]:
    """Yields who gets no set at all."""
    for one in lists:
        if not one.n:
            yield f"{one.annotator} gets no set: nothing is in his axes and languages, or is left"


def list_outlook(annotator: str, kinds: Sequence[SetKind]) -> ListOutlook:
    """Gives what one annotator is asked."""
    counted = Counter(kind.value for kind in kinds)
    return ListOutlook(annotator=annotator, n=len(kinds), kinds=dict(sorted(counted.items())))
