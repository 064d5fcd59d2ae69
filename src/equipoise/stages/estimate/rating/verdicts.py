"""One judge's repeats on each set to one verdict of the judge: places weighed out, quorum kept."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from equipoise.records.judgement import ReadState
from equipoise.stages.estimate.rating.choices import PAIR, Choice, ends, fault_of

_LEVEL = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What a judge said in one repeat on one set; `choice` holds no verdict unless it was read."""

    choice: Choice
    state: ReadState
    model: str = ""
    is_cached: bool = False
    is_simulated: bool = False

    @property
    def is_read(self) -> bool:
        """Says whether a verdict stands in the answer and is one that can be."""
        return self.state is ReadState.READ and not fault_of(self.choice)


@dataclass(frozen=True, slots=True, kw_only=True)
class SetVerdict:
    """What a judge says of a set over its repeats, every order weighing alike.

    `points` has for each arm its mean of best (1) and worst (-1), `shares` of being best. `best`
    are the arms with the highest share, several where they are level; `majority` is the arm with
    more than half, "" where none has. `flips` is the share of repeats that contradict `best`,
    `order_best` what each order alone gives. `first` is the share of verdicts for the first place,
    `even` what it would be without regard to places. `weights` has one weight a readable repeat.
    """

    set: str
    unit: str
    cluster: str
    points: Mapping[str, float]
    shares: Mapping[str, float]
    best: tuple[str, ...]
    majority: str
    flips: float
    order_best: Mapping[int, tuple[str, ...]]
    first: float | None
    even: float
    choices: tuple[Choice, ...]
    weights: tuple[float, ...]

    @property
    def is_flipped(self) -> bool:
        """Says whether the orders do not all give the same best."""
        return len(set(self.order_best.values())) > 1


def verdict_on(told: Sequence[Told], *, repeats: int, quorum: float) -> SetVerdict | None:
    """Gives the judge's verdict on a set; None where too few repeats can be read.

    Of a pair both orders need a readable repeat: a preference could not be told from a place.

    Args:
        told: all repeats on one set; each order of one arm in one place once or more.
        repeats: as planned; what was not asked counts like what could not be read.
        quorum: the share of repeats that must be readable.
    """
    read = [one.choice for one in told if one.is_read]
    if not read or len(read) < quorum * max(repeats, len(told)):
        return None
    by_order: dict[int, list[Choice]] = defaultdict(list)
    for choice in read:
        by_order[choice.order].append(choice)
    if read[0].size == PAIR and len({c.shown for c in read}) < PAIR:
        return None
    each = 1.0 / len(by_order)
    weights = [each / len(by_order[c.order]) for c in read]
    points, shares = _tally(read, weights)
    order_best = {
        order: level(_tally(some, [1.0 / len(some)] * len(some))[1])
        for order, some in sorted(by_order.items())
    }
    best = level(shares)
    top = max(shares.values())
    return SetVerdict(
        set=read[0].set,
        unit=read[0].unit,
        cluster=read[0].cluster,
        points=points,
        shares=shares,
        best=best,
        majority=best[0] if len(best) == 1 and top > 0.5 + _LEVEL else "",
        flips=_flips(read, best),
        order_best=order_best,
        first=_first(read, weights),
        even=fmean(1.0 / c.size for c in read),
        choices=tuple(read),
        weights=tuple(weights),
    )


def verdicts_of(
    told: Sequence[Told], *, repeats: int, quorum: float
) -> tuple[dict[str, SetVerdict], int]:
    """Gives set -> verdict, and the number of sets that lack a quorum."""
    by_set: dict[str, list[Told]] = defaultdict(list)
    for one in told:
        by_set[one.choice.set].append(one)
    found = {}
    for name in sorted(by_set):
        verdict = verdict_on(by_set[name], repeats=repeats, quorum=quorum)
        if verdict is not None:
            found[name] = verdict
    return found, len(by_set) - len(found)


def level(shares: Mapping[str, float]) -> tuple[str, ...]:
    """Gives the names with the highest value, in alphabetical order."""
    top = max(shares.values())
    return tuple(sorted(name for name, share in shares.items() if share >= top - _LEVEL))


def _tally(
    choices: Sequence[Choice], weights: Sequence[float]
) -> tuple[dict[str, float], dict[str, float]]:
    """Gives points and shares of being best; a tie shares the best among all."""
    points: dict[str, float] = defaultdict(float)
    shares: dict[str, float] = defaultdict(float)
    for choice, weight in zip(choices, weights, strict=True):
        top, bottom = ends(choice)
        for place, names in enumerate(choice.shown):
            part = 1.0 / choice.size if choice.is_tie else float(place == top)
            for arm in names:
                points[arm] += weight * ((place == top) - (place == bottom))
                shares[arm] += weight * part
    return dict(points), dict(shares)


def _flips(choices: Sequence[Choice], best: tuple[str, ...]) -> float:
    against = 0
    for choice in choices:
        top = ends(choice)[0]
        against += top is None or not set(choice.shown[top]) & set(best)
    return against / len(choices)


def _first(choices: Sequence[Choice], weights: Sequence[float]) -> float | None:
    told = [(ends(c)[0], w) for c, w in zip(choices, weights, strict=True) if not c.is_tie]
    total = sum(weight for _, weight in told)
    return sum(weight for place, weight in told if place == 0) / total if total else None


def unreadable(told: Sequence[Told]) -> dict[str, int]:
    """Counts by state what is no verdict; a verdict that cannot be is counted by its fault."""
    found = Counter(
        one.state.value if one.state is not ReadState.READ else fault_of(one.choice)
        for one in told
        if not one.is_read
    )
    return dict(sorted(found.items()))
