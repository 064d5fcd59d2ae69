"""What besides quality moves a judge: the order of a pair, and the length of a text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from equipoise.errors import NotEstimable
from equipoise.stages.estimate.rating.choices import (
    PAIR,
    Choice,
    FloatArray,
    ends,
    is_plain,
    numbered,
)
from equipoise.stages.estimate.rating.verdicts import SetVerdict, level
from equipoise.stats.conditional_logit import LogitFit, Options, fit_logit
from equipoise.stats.intervals import t_quantile

Lengths = Mapping[tuple[str, str], int]
"""(unit, arm) -> characters of the output."""

_MOST_ARMS = 40
_NOTHING = 1e-9
_FARTHEST = 5.0
"""An effect of length whose limits reach farther (in logits) goes with the arm."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leanings:
    """How a judge leans.

    `longer` is the share of its verdicts on sets that name the longest text. `order_effect` is the
    advantage of standing first in a pair, in logits, `length_effect` that of twice the length, with
    95 % limits; arms, order and length are in one model. `even` has for (arm, against) the logit
    with length held equal. `why` says why there is no model.
    """

    longer: float | None = None
    order_effect: float | None = None
    length_effect: float | None = None
    length_lo: float | None = None
    length_hi: float | None = None
    even: Mapping[tuple[str, str], float] = field(default_factory=dict)
    why: str = ""


def leanings(verdicts: Sequence[SetVerdict], lengths: Lengths, arms: Sequence[str]) -> Leanings:
    """Gives what moves a judge; what cannot be told is null."""
    longer = _longer(verdicts, lengths)
    choices = [c for v in verdicts for c in v.choices if is_plain(c)]
    used = [arm for arm in arms if any((arm,) in c.shown for c in choices)]
    if not choices or len(used) > _MOST_ARMS:
        return Leanings(longer=longer, why="no verdict on different texts")
    options, names = _options(choices, lengths, used)
    why = ""
    try:
        fit = fit_logit(options)
        _refuse_wide(fit, names)
    except NotEstimable as error:
        if _LENGTH not in names:
            return Leanings(longer=longer, why=str(error))
        why = f"length cannot be told apart from the arms ({error})"
        options, names = _without_length(options, names)
        try:
            fit = fit_logit(options)
        except NotEstimable as other:
            return Leanings(longer=longer, why=str(other))
    at = {name: n for n, name in enumerate(names)}
    worth = {arm: float(fit.value[at[arm]]) if arm in at else 0.0 for arm in used}
    length = at.get(_LENGTH)
    effect = None if length is None else _cleared(float(fit.value[length]))
    reach = _reach(fit, length) if length is not None else 0.0
    return Leanings(
        longer=longer,
        order_effect=float(fit.value[at[_ORDER]]) if _ORDER in at else None,
        length_effect=effect,
        length_lo=effect - reach if effect is not None and reach > 0 else None,
        length_hi=effect + reach if effect is not None and reach > 0 else None,
        even={
            (b, a): worth[b] - worth[a]
            for n, a in enumerate(used)
            for b in used[n + 1 :]
            if length is not None
        },
        why=why,
    )


_ORDER, _LENGTH = " order", " length"


def _cleared(value: float) -> float:
    return 0.0 if abs(value) < _NOTHING else value


def _reach(fit: LogitFit, column: int) -> float:
    """Gives how far the 95 % limits of an effect lie from it; 0 where all clusters say the same."""
    spread = max(0.0, float(fit.covariance[column, column]))
    return _cleared(t_quantile(0.95, fit.df) * float(np.sqrt(spread)))


def _refuse_wide(fit: LogitFit, names: list[str]) -> None:
    if _LENGTH in names and _reach(fit, names.index(_LENGTH)) > _FARTHEST:
        raise NotEstimable("the limits are too wide to say anything", code="wide")


def _without_length(options: Options, names: list[str]) -> tuple[Options, list[str]]:
    kept = [n for n, name in enumerate(names) if name != _LENGTH]
    return replace(options, features=options.features[:, :, kept]), [names[n] for n in kept]


def longest(verdict: SetVerdict, lengths: Lengths) -> tuple[str, ...]:
    """Gives the arms of a set with the longest text."""
    return level({arm: float(lengths.get((verdict.unit, arm), 0)) for arm in verdict.points})


def _longer(verdicts: Sequence[SetVerdict], lengths: Lengths) -> float | None:
    told = [len(set(v.best) & set(longest(v, lengths))) / len(v.best) for v in verdicts]
    return float(np.mean(told)) if told else None


def _options(
    choices: Sequence[Choice], lengths: Lengths, arms: Sequence[str]
) -> tuple[Options, list[str]]:
    """Gives the choices of the best with arms, order (of pairs) and log2 of the length."""
    widest = max(c.size for c in choices)
    names = list(arms[1:])
    has_order = widest == PAIR and len({c.order for c in choices}) > 1
    names += [_ORDER] if has_order else []
    size = np.array(
        [
            [lengths.get((c.unit, c.shown[p][0]), 0) if p < c.size else 0 for p in range(widest)]
            for c in choices
        ],
        dtype=np.float64,
    )
    present = np.array([[p < c.size for p in range(widest)] for c in choices])
    logs = np.log2(np.maximum(size, 1.0))
    has_length = bool((np.ptp(np.where(present, logs, logs[:, :1]), axis=1) > 0).any())
    names += [_LENGTH] if has_length else []
    at = {name: n for n, name in enumerate(names)}
    features: FloatArray = np.zeros((len(choices), widest, len(names)))
    credit = np.zeros((len(choices), widest))
    for row, choice in enumerate(choices):
        for place in range(choice.size):
            column = at.get(choice.shown[place][0])
            if column is not None:
                features[row, place, column] = 1.0
        top = ends(choice)[0]
        credit[row, : choice.size] = 1.0 / choice.size if top is None else 0.0
        if top is not None:
            credit[row, top] = 1.0
    if has_order:
        features[:, 0, at[_ORDER]] = 1.0
    if has_length:
        features[:, :, at[_LENGTH]] = np.where(present, logs, 0.0)
    cluster = numbered([c.cluster for c in choices])
    return Options(features=features, present=present, credit=credit, cluster=cluster), names
