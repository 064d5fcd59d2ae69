"""The rules of the three judge policies: how many judges, repeats, orders, second looks."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any

from equipoise.errors import nearest
from equipoise.records.codec import identity_of
from equipoise.records.rating_plan import JudgePlan, PanelPlan, Policy
from equipoise.stages.grade.judges.wording import WORDINGS

_MODEL_KEYS = ("model", "provider", "temperature", "max_tokens", "seed")
_UNSENT = (None, "none")
LEAST_REPEATS = 11
MOST_FAMILIES = 3
LEAST_DOUBLE = Fraction(1, 5)
UNSTABLE = (
    "one call decides each judged criterion: in a published study 13.6 % of such verdicts flip "
    "when the same judge is asked again, and another wording changes a quarter of them; policy "
    "double measures that, policy panel averages it"
)
"""What a study is told that decides on criteria judged by a single call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One of a judge's questions about a set: its repeat, its order and the wording.

    `places` is the order: for each place of the packet the number of the arm in the set.
    """

    repeat: int
    order: int
    places: tuple[int, ...]
    template: str


def orders(n: int) -> tuple[tuple[int, ...], ...]:
    """Gives the orders in which a set of `n` is shown, each as often as any other.

    Both orders of a pair; beyond it the rows of a Williams square (and of its mirror where `n` is
    odd), in which each stands equally often at each place and after each other one.

    Source: Williams (1949), Australian J. Sci. Res. A 2, 149-168.
    """
    if n < 2:
        return ((0,) * n,)
    first = [0]
    for step in range(1, n):
        first.append((first[-1] + (step if step % 2 else -step)) % n)
    rows = [tuple((place + shift) % n for place in first) for shift in range(n)]
    if n % 2:
        rows += [tuple(reversed(row)) for row in rows]
    return tuple(rows)


def turns(n_options: int, panel: PanelPlan, *, first: int = 0) -> Iterator[Turn]:
    """Yields a judge's questions about a set of so many options, balanced over orders and wordings.

    Args:
        n_options: options of the packet.
        panel: the plan; see `faults` for what its numbers have to be.
        first: the order to begin with, so that not all sets begin alike where only some are asked.
    """
    rows = orders(n_options)
    for number in range(repeats_of(panel, n_options)):
        order = (number + first) % len(rows)
        template = panel.templates[number // len(rows) % len(panel.templates)]
        yield Turn(repeat=number + 1, order=order, places=rows[order], template=template)


def temperature_of(judge: JudgePlan) -> float | None:
    """Gives the temperature a judge answers at: 0 where nothing is said; null = it is not sent."""
    given = judge.model.get("temperature", 0)
    if given in _UNSENT:
        return None
    return float(given) if _is_number(given, 0, 2) else None


def repeats_of(panel: PanelPlan, n_options: int) -> int:
    """Gives how often a judge is asked about a set: as planned, or once in each order.

    A set of another size than planned (texts that are the same stand in it once) is asked about a
    little more often, where that is what it takes to have all orders equally often.
    """
    n = len(orders(n_options))
    if panel.policy is not Policy.PANEL:
        return n
    step = n * len(panel.templates)
    return ceil(panel.repeats / step) * step


def faults(panel: PanelPlan, n_options: int) -> Iterator[str]:
    """Yields what of the plan of judges breaks its policy, each with the mend.

    Args:
        panel: the plan.
        n_options: options of the largest packet; 1 = single outputs are scored.
    """
    names = [judge.name for judge in panel.judges]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"judge {name!r} stands twice; mend: name them apart"
    for name in panel.templates:
        if name not in WORDINGS:
            yield (
                f"no wording {name!r}; the wordings are {', '.join(WORDINGS)}; mend: "
                f"{nearest(name, list(WORDINGS)) or 'take one of them'}"
            )
    if not panel.judges:
        yield "no judge; mend: name at least one"
    for judge in panel.judges:
        yield from _judge(judge)
    yield from _OF_POLICY[panel.policy](panel, n_options)


def warnings(panel: PanelPlan) -> Iterator[str]:
    """Yields what is allowed and yet doubtful in the plan of judges."""
    families = _families(panel)
    if panel.policy is Policy.SINGLE:
        yield UNSTABLE
    frozen = [judge.name for judge in panel.judges if temperature_of(judge) == 0]
    if panel.policy is Policy.PANEL and frozen:
        yield (
            f"{', '.join(frozen)} answer at temperature 0: repeats in the same order and wording "
            "nearly repeat themselves, so that flips between them say little of how steady a "
            "verdict is; a temperature, or several wordings, would show it"
        )
    if panel.policy is Policy.PANEL and len(families) == 1:
        yield (
            f"all judges are of one family ({families[0]}): they err alike, and count as one; "
            "2 or 3 families make a panel"
        )
    for family in families:
        same = [judge.name for judge in panel.judges if judge.family.casefold() == family]
        if len(same) > 1 and panel.policy is Policy.PANEL:
            yield f"{', '.join(same)} are of one family ({family}) and count once"


def doubling_order(units: Iterable[str], seed: int) -> list[str]:
    """Gives the units in the order in which they are rated twice; `n_doubled` of them are.

    The order is drawn once by the seed, so that it is the same for all arms and whoever asks.
    """
    return sorted(set(units), key=lambda unit: identity_of("double rating", seed, unit))


def n_doubled(n_units: int, share: float) -> int:
    """Gives the smallest number of units that is at least this share, exactly."""
    return ceil(Fraction(str(share)) * n_units)


def _judge(judge: JudgePlan) -> Iterator[str]:
    """Yields what is wrong with one judge and how its model is to answer."""
    name, model = judge.name, judge.model
    if not judge.family:
        yield (
            f"judge {name!r} has no family; wanted: that of its model, for whoever is unknown may "
            "have written what it judges"
        )
    for key in model:
        if key not in _MODEL_KEYS:
            mend = nearest(key, list(_MODEL_KEYS))
            yield f"judge {name!r}: no key {key!r} of a judge's model; " + (
                mend or f"the keys are {', '.join(_MODEL_KEYS)}"
            )
    for key in ("model", "provider"):
        if not model.get(key):
            yield f"judge {name!r}: model.{key} is missing; mend: write it as for an arm"
    temperature = model.get("temperature", 0)
    if temperature not in _UNSENT and not _is_number(temperature, 0, 2):
        yield f"judge {name!r}: temperature is {temperature!r}; wanted: 0 to 2, or none"
    for key, least in (("max_tokens", 1), ("seed", 0)):
        if key in model and not _is_number(model[key], least, 2**31 - 1, is_whole=True):
            yield f"judge {name!r}: {key} is {model[key]!r}; wanted: a whole number from {least}"


def _is_number(value: Any, least: float, most: float, *, is_whole: bool = False) -> bool:
    try:
        number = int(value) if is_whole else float(value)
    except (TypeError, ValueError):
        return False
    return least <= number <= most


def _single(panel: PanelPlan, n_options: int) -> Iterator[str]:
    del n_options
    if len(panel.judges) > 1:
        yield (
            f"policy single has {len(panel.judges)} judges; wanted: the same one for all arms; "
            "mend: leave one, or write policy: double (two judges) or policy: panel"
        )
    for judge in panel.judges:
        if temperature_of(judge) != 0:
            yield (
                f"judge {judge.name!r} has a temperature; policy single wants 0; mend: leave "
                "temperature out"
            )


def _double(panel: PanelPlan, n_options: int) -> Iterator[str]:
    del n_options
    if len(panel.judges) > 2:
        yield (
            f"policy double has {len(panel.judges)} judges; wanted: one or two; mend: leave two, "
            "or write policy: panel"
        )
    if panel.double_rating_share < float(LEAST_DOUBLE):
        yield (
            f"double_rating is {panel.double_rating_share:g}; wanted: at least "
            f"{float(LEAST_DOUBLE):g}; mend: write double_rating: {float(LEAST_DOUBLE):g}"
        )


def _panel(panel: PanelPlan, n_options: int) -> Iterator[str]:
    if n_options < 2:
        yield "policy panel compares outputs; mend: policy single or double scores single ones"
        return
    families = _families(panel)
    if len(families) > MOST_FAMILIES:
        yield (
            f"{len(families)} families ({', '.join(families)}); wanted: at most {MOST_FAMILIES}, "
            f"for nine judges were worth two; mend: leave {MOST_FAMILIES}"
        )
    step = len(orders(n_options)) * len(panel.templates)
    fits = ceil(max(LEAST_REPEATS, 1) / step) * step
    if panel.repeats < LEAST_REPEATS or panel.repeats % step:
        each = f"{len(orders(n_options))} orders"
        if len(panel.templates) > 1:
            each += f" and {len(panel.templates)} wordings"
        more = ceil(max(panel.repeats, fits) / step) * step
        yield (
            f"repeats is {panel.repeats}; wanted: at least {LEAST_REPEATS} and a multiple of "
            f"{step}, so that all {each} come equally often; mend: write repeats: {more}"
        )


_OF_POLICY = {Policy.SINGLE: _single, Policy.DOUBLE: _double, Policy.PANEL: _panel}


def _families(panel: PanelPlan) -> Sequence[str]:
    return list(dict.fromkeys(judge.family.casefold() for judge in panel.judges))
