"""What a number of units can report under the declared rule, before anything was measured."""

import math
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
from scipy.special import ndtri

from equipoise.errors import NotEstimable
from equipoise.records.plan import Stopping
from equipoise.records.terms import Rule
from equipoise.stats.critical import critical_value
from equipoise.stats.guarded import Powers, independent_tails
from equipoise.stats.guarded_planning import reportable_change
from equipoise.stats.power import round_up

POWER = 0.8
"""The probability with which a change counts as found."""

_STEPS = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """The rule under which a cell is listed: margin, name, number of cells, level and looks."""

    margin: float
    rule: str
    k: int
    alpha: float
    stopping: Stopping = Stopping.NONE
    looks: int = 1

    @property
    def z(self) -> float:
        """The critical value where all units are there: at the last of the planned looks."""
        return self.at_looks[-1]

    @property
    def at_looks(self) -> tuple[float, ...]:
        """The critical value at each look; the error of all looks is that of a single one."""
        if self.stopping is Stopping.NONE:
            return (self._single,)
        return _repeated(self._single, self.looks, self.stopping)

    @property
    def _single(self) -> float:
        """That of one look; of rules that give none (holm, bh, maxt), Bonferroni's bound."""
        if self.rule == Rule.SEED:
            return critical_value(self.k).z
        return float(ndtri(1.0 - self.alpha / (2.0 * max(self.k, 1))))


@cache
def _repeated(z: float, looks: int, stopping: Stopping) -> tuple[float, ...]:
    from equipoise.stats.repeated import repeated_critical  # noqa: PLC0415  loads an optimiser

    kinds: dict[Stopping, Literal["obrien_fleming", "pocock"]] = {
        Stopping.OBRIEN_FLEMING: "obrien_fleming",
        Stopping.POCOCK: "pocock",
    }
    return repeated_critical(z, looks, kind=kinds.get(stopping))


@dataclass(frozen=True, slots=True, kw_only=True)
class CellReach:
    """What one cell can tell; null where too few units are there, or no change is large enough.

    `reportable`: smallest true change that is listed with 80 %, both arms with this spread and
    normal means; `reportable_at_worst`: the same where units lose all or nothing, through the
    guarded limit; `excludable`: largest change still possible where nothing is listed.
    """

    achieved_mde: float | None
    reportable: float | None
    reportable_at_worst: float | None
    excludable: float | None


@cache
def reach_of(n: int, s: float, decided: Decided) -> CellReach:
    """Gives what `n` units in each arm with spread `s` can tell.

    ``reportable = mde + (z + 0.84) s √(2/n)`` and ``excludable = mde + 2 z s √(2/n)``
    (statistics: operating characteristics of the report rule).
    """
    if n < 2:
        return CellReach(
            achieved_mde=None, reportable=None, reportable_at_worst=None, excludable=None
        )
    se = s * math.sqrt(2.0 / n)
    reportable = decided.margin + (decided.z + float(ndtri(POWER))) * se
    return CellReach(
        achieved_mde=4.0 * s / math.sqrt(n),
        reportable=_possible(reportable),
        reportable_at_worst=_possible(_all_or_nothing(n, s, decided)),
        excludable=min(1.0, decided.margin + 2.0 * decided.z * se),
    )


def advisory_n(s: float, decided: Decided, *, change: float) -> int | None:
    """Gives the units an arm needs to list a true `change` with 80 %; null where none do.

    ``2 s² (z + 0.84)² / (change − mde)²``: no number of units does where the change is not above
    the margin.
    """
    beyond = change - decided.margin
    if beyond <= 0.0:
        return None
    try:
        return round_up(2.0 * (s * (decided.z + float(ndtri(POWER))) / beyond) ** 2)
    except (NotEstimable, OverflowError):
        return None  # more than any number of units


def _possible(change: float) -> float | None:
    return change if change <= 1.0 else None


def _all_or_nothing(n: int, s: float, decided: Decided) -> float:
    """Gives the reportable change where each unit loses all or nothing; above 1 = there is none.

    The base arm's mean is the one with spread s; the new arm's spread follows from its mean.
    """
    base = (1.0 - math.sqrt(max(0.0, 1.0 - 4.0 * s * s))) / 2.0
    change = decided.margin
    for _ in range(_STEPS):
        new = min(base + change, 1.0)
        tails = independent_tails(_two_point(n, new), _two_point(n, base))
        change = float(
            reportable_change(
                tails,
                margin=decided.margin,
                z=decided.z,
                is_literal_too=decided.rule == Rule.SEED,
                direction="up",
                power=POWER,
            )
        )
        if base + change > 1.0:
            return math.inf
    return change


def _two_point(n: int, mean: float) -> Powers:
    spread = mean * (1.0 - mean)
    return Powers(
        n=np.asarray(float(n)),
        mean=np.asarray(mean),
        squares=np.asarray(n * spread),
        cubes=np.asarray(n * spread * (1.0 - 2.0 * mean)),
        fourths=np.asarray(n * spread * (1.0 - 3.0 * spread)),
    )
