"""Judges of single outputs held against people who rated some of the same outputs."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from equipoise.errors import NotEstimable
from equipoise.records.judge_held import FoundShare, JudgeHeld
from equipoise.stats.judge_correction import corrected_rate
from equipoise.stats.prediction_powered import powered_mean

FEWEST_UNITS = 30
FEWEST_OF_A_KIND = 5
OF_CEILING = 0.8
RULE = (
    f"at least {FEWEST_UNITS} units rated by both, {FEWEST_OF_A_KIND} of each kind; J = found + "
    f"spared - 1 above 0 with 95 % limits, and at least {OF_CEILING:g} of what one person reaches "
    "against the others"
)
_Z = 1.959964


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedOutput:
    """What was said of one output under one category: the share of its maximum lost, by rater."""

    unit: str
    arm: str
    people: Mapping[str, float] = field(default_factory=dict)
    judges: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldUnder:
    """Whom a judge is held against people as, and under which category."""

    judge: str
    model: str
    category: str
    about_sha256: str
    is_simulated: bool = False


def judge_held(under: HeldUnder, rated: Sequence[RatedOutput]) -> JudgeHeld:
    """Holds one judge against people under one category.

    An output is lost where more than half of the people who rated it lose something there; where
    they are split it is left out. Limits count units, not outputs: several outputs of one unit are
    no several units.

    Args:
        under: the judge and the category.
        rated: all outputs that the judge or people rated.

    Source: Youden (1950), Cancer 3, 32-35, for the index; Agresti & Coull (1998), The American
    Statistician 52, 119-126, for its limits; the corrections as in `equipoise.stats`.
    """
    both = [one for one in rated if one.people and under.judge in one.judges]
    told = [
        (is_lost, one) for one in both if (is_lost := _is_lost(one.people.values())) is not None
    ]
    lost = [one.judges[under.judge] > 0 for is_lost, one in told if is_lost]
    spared = [one.judges[under.judge] <= 0 for is_lost, one in told if not is_lost]
    n_units = len({one.unit for _, one in told})
    finds, spares = (fmean(kind) if kind else None for kind in (lost, spared))
    beyond, lo = _youden(lost, spared, n_units)
    ceiling = _ceiling(both)
    failed = tuple(_failed(n_units, (lost, spared), (beyond, lo), ceiling))
    return JudgeHeld(
        judge=under.judge,
        model=under.model,
        category=under.category,
        about_sha256=under.about_sha256,
        n_units=n_units,
        n_lost=len(lost),
        n_people=len({name for one in both for name in one.people}),
        finds=finds,
        spares=spares,
        beyond=beyond,
        beyond_lo=lo,
        ceiling=ceiling,
        passed=not failed,
        failed=failed,
        rule=RULE,
        found=tuple(_found(under.judge, rated, (lost, spared))) if both else (),
        is_simulated=under.is_simulated,
    )


def _is_lost(values: Iterable[float]) -> bool | None:
    """Says whether most people lose something in an output; null where they are split."""
    share = fmean(float(value > 0) for value in values)
    return None if share == 0.5 else share > 0.5


def _youden(
    lost: Sequence[bool], spared: Sequence[bool], n_units: int
) -> tuple[float | None, float | None]:
    """Gives J with its lower limit, as if only so many outputs as units had been rated."""
    if not lost or not spared:
        return None, None
    each = n_units / (len(lost) + len(spared))
    variance = shifted = 0.0
    for kind in (lost, spared):
        n = len(kind) * each + 2.0
        share = (sum(kind) * each + 1.0) / n
        shifted += share
        variance += share * (1.0 - share) / n
    return fmean(lost) + fmean(spared) - 1.0, shifted - 1.0 - _Z * math.sqrt(variance)


def _ceiling(both: Sequence[RatedOutput]) -> float | None:
    """Gives what one person earns against the others, over all people; null without two."""
    kinds: dict[bool, list[bool]] = {True: [], False: []}
    for one in both:
        for name, value in one.people.items():
            others = [said for other, said in one.people.items() if other != name]
            is_lost = _is_lost(others) if others else None
            if is_lost is not None:
                kinds[is_lost].append((value > 0) == is_lost)
    if not kinds[True] or not kinds[False]:
        return None
    return fmean(kinds[True]) + fmean(kinds[False]) - 1.0


def _failed(
    n_units: int,
    kinds: tuple[Sequence[bool], Sequence[bool]],
    found: tuple[float | None, float | None],
    ceiling: float | None,
) -> Iterable[str]:
    if n_units < FEWEST_UNITS:
        yield f"{n_units} units rated by people too, {FEWEST_UNITS} are wanted"
    for kind, said in zip(kinds, ("something", "nothing"), strict=True):
        if len(kind) < FEWEST_OF_A_KIND:
            yield f"{len(kind)} outputs in which people find {said}, {FEWEST_OF_A_KIND} are wanted"
    beyond, lo = found
    if beyond is not None and lo is not None and lo <= 0.0:
        yield f"J {beyond:.2f} is not shown to be above 0, which looking at nothing gives"
    if ceiling is None:
        yield "no two people rated the same outputs (no-κ mode): what people reach is not known"
    elif beyond is not None and beyond < OF_CEILING * ceiling:
        yield f"J {beyond:.2f} is below {OF_CEILING:g} of the {ceiling:.2f} that people reach"


def _found(
    judge: str, rated: Sequence[RatedOutput], kinds: tuple[Sequence[bool], Sequence[bool]]
) -> Iterable[FoundShare]:
    by_arm: dict[str, list[RatedOutput]] = defaultdict(list)
    for one in rated:
        if judge in one.judges:
            by_arm[one.arm].append(one)
    for arm, outputs in sorted(by_arm.items()):
        labelled = _by_unit(one for one in outputs if one.people)
        alone = {
            unit: some
            for unit, some in _by_unit(one for one in outputs if not one.people).items()
            if unit not in labelled
        }
        yield _rogan_gladen(judge, arm, [some[0] for some in alone.values()], kinds)
        yield _powered(judge, arm, labelled, alone)


def _by_unit(outputs: Iterable[RatedOutput]) -> dict[str, list[RatedOutput]]:
    found: dict[str, list[RatedOutput]] = {}
    for one in outputs:
        found.setdefault(one.unit, []).append(one)
    return found


def _rogan_gladen(
    judge: str,
    arm: str,
    alone: Sequence[RatedOutput],
    kinds: tuple[Sequence[bool], Sequence[bool]],
) -> FoundShare:
    """Corrects the share of units lost, one output each, by the errors on all labelled outputs."""
    lost, spared = kinds
    n = len(alone)
    positive = sum(one.judges[judge] > 0 for one in alone)
    naive = positive / n if n else None
    n_labelled = len(lost) + len(spared)
    try:
        found = corrected_rate(
            positive,
            n,
            negatives_right=sum(spared),
            n_negatives=len(spared),
            positives_right=sum(lost),
            n_positives=len(lost),
        )
    except NotEstimable as error:
        return _none(arm, "Rogan-Gladen", naive, (n, n_labelled), str(error))
    return FoundShare(
        arm=arm,
        method="Rogan-Gladen",
        naive=found.naive,
        value=found.value,
        lo=found.low,
        hi=found.high,
        n_judged=n,
        n_labelled=n_labelled,
    )


def _powered(
    judge: str,
    arm: str,
    labelled: Mapping[str, Sequence[RatedOutput]],
    alone: Mapping[str, Sequence[RatedOutput]],
) -> FoundShare:
    """Corrects the mean share lost, each unit the mean of its outputs."""
    people = [fmean(fmean(o.people.values()) for o in some) for some in labelled.values()]
    said = [fmean(o.judges[judge] for o in some) for some in labelled.values()]
    rest = [fmean(o.judges[judge] for o in some) for some in alone.values()]
    naive = fmean([*said, *rest]) if said or rest else None
    sizes = (len(rest), len(people))
    try:
        found = powered_mean(people, said, rest)
    except NotEstimable as error:
        return _none(arm, "prediction-powered", naive, sizes, str(error))
    return FoundShare(
        arm=arm,
        method="prediction-powered",
        naive=naive,
        value=found.value,
        lo=found.low,
        hi=found.high,
        n_judged=sizes[0],
        n_labelled=sizes[1],
    )


def _none(
    arm: str, method: str, naive: float | None, sizes: tuple[int, int], why: str
) -> FoundShare:
    return FoundShare(
        arm=arm,
        method=method,
        naive=naive,
        value=None,
        lo=None,
        hi=None,
        n_judged=sizes[0],
        n_labelled=sizes[1],
        why=why,
    )
