"""Topics on how many units are needed and what can be reported: ``power.*``."""

from typing import Any, Literal

import msgspec
import numpy as np

from equipoise.cli.topics import Topic
from equipoise.errors import InputError
from equipoise.stats.classic_power import (
    TTestDesign,
    t_test_power,
    t_test_units,
    two_proportion_power,
    two_proportion_units,
)
from equipoise.stats.power import (
    ReportDesign,
    least_units,
    reach,
    report_probability,
    smallest_reportable,
    units_to_report,
)
from equipoise.stats.spread import augmented_sd


class LeastUnits(msgspec.Struct):
    """Spread between units and margin, as decimal texts or numbers."""

    s: str | float
    mde: str | float


class ReportedShare(msgspec.Struct):
    """Spread and units of each arm, the true difference, the rule."""

    s_each_arm: float
    n_each_arm: float
    true_delta: float
    mde: float
    k: int = 1
    correlation: float = 0.0


class UnitsToReport(msgspec.Struct):
    """Spread of each arm, the true difference, the rule, the wanted power."""

    s_each_arm: float
    true_delta: float
    mde: float
    k: int = 1
    power: float = 0.8
    correlation: float = 0.0


class SmallestReportable(msgspec.Struct):
    """Spread and units of each arm, the rule, the wanted power."""

    s_each_arm: float
    n_each_arm: float
    mde: float
    k: int = 1
    power: float = 0.8
    correlation: float = 0.0


class Pilot(msgspec.Struct):
    """Unit results of a pilot on [0, 1], and the margin."""

    x: list[float]
    mde: str | float


class Measured(msgspec.Struct):
    """Standard error of a difference as measured, and the rule."""

    se_delta: float
    mde: float
    k: int = 1
    power: float = 0.8


class TTest(msgspec.Struct):
    """A planned t test; give ``n`` for its power, or ``power`` for n."""

    delta: float
    sd: float = 1.0
    n: float | None = None
    power: float | None = None
    alpha: float = 0.05
    type: Literal["two.sample", "one.sample", "paired"] = "two.sample"
    alternative: Literal["two.sided", "one.sided"] = "two.sided"


class TwoProportions(msgspec.Struct):
    """A planned test of two proportions; give ``n`` for its power, or ``power`` for n."""

    p1: float
    p2: float
    n: float | None = None
    power: float | None = None
    alpha: float = 0.05
    alternative: Literal["two.sided", "one.sided"] = "two.sided"


def _reported(given: ReportedShare) -> dict[str, Any]:
    design = _design(given)
    chance = report_probability(design, n=given.n_each_arm, true_delta=given.true_delta)
    return {"se_delta": design.se(given.n_each_arm), "prob_report": chance, "z": design.z}


def _to_report(given: UnitsToReport) -> dict[str, Any]:
    needed = units_to_report(_design(given), true_delta=given.true_delta, power=given.power)
    return {"n_exact": needed.exact, "n": needed.n}


def _smallest(given: SmallestReportable) -> dict[str, Any]:
    smallest = smallest_reportable(_design(given), n=given.n_each_arm, power=given.power)
    return {"smallest_true_delta_reported_with_power": smallest}


def _pilot(given: Pilot) -> dict[str, Any]:
    augmented = augmented_sd(given.x)
    plain = float(np.std(given.x, ddof=1)) if len(given.x) > 1 else 0.0
    spread = max(plain, augmented)
    return {
        "s": plain,
        "s_augmented": augmented,
        "s_used": spread,
        "n_min": least_units(spread, given.mde),
    }


def _reach(given: Measured) -> dict[str, Any]:
    found = reach(given.se_delta, margin=given.mde, k=given.k, power=given.power)
    return {
        "margin": found.margin,
        "reportable": found.reportable,
        "excludable": found.excludable,
        "too_small_to_clear_anyone": found.is_too_small,
    }


def _design(given: ReportedShare | UnitsToReport | SmallestReportable) -> ReportDesign:
    return ReportDesign(
        sd=given.s_each_arm, margin=given.mde, k=given.k, correlation=given.correlation
    )


def _t_test(given: TTest) -> dict[str, Any]:
    design = TTestDesign(
        delta=given.delta,
        sd=given.sd,
        alpha=given.alpha,
        design=given.type,
        sides=_sides(given.alternative),
    )
    n, power = _one_of(given)
    if n is not None:
        return {"power": t_test_power(design, n=n)}
    assert power is not None
    needed = t_test_units(design, power=power)
    return {"n_exact": needed.exact, "n": needed.n}


def _two_proportions(given: TwoProportions) -> dict[str, Any]:
    sides = _sides(given.alternative)
    n, power = _one_of(given)
    if n is not None:
        reached = two_proportion_power(given.p1, given.p2, n=n, alpha=given.alpha, sides=sides)
        return {"power": reached}
    assert power is not None
    needed = two_proportion_units(given.p1, given.p2, power=power, alpha=given.alpha, sides=sides)
    return {"n_exact": needed.exact, "n": needed.n}


def _one_of(given: TTest | TwoProportions) -> tuple[float | None, float | None]:
    if (given.n is None) == (given.power is None):
        raise InputError(
            "both n and power are given" if given.n is not None else "neither n nor power is given",
            wanted="n for the power, or power for n",
        )
    return given.n, given.power


def _sides(alternative: str) -> Literal[1, 2]:
    return 2 if alternative == "two.sided" else 1


_NEEDED = {"n_exact": "units per arm by the formula", "n": "the same rounded up"}
_POWER = {"power": "probability of rejecting, where n was given"}

TOPICS = {
    "power.n_min": Topic(
        says="The minimum number of units per partition, ceil(16 s^2 / mde^2), exactly.",
        takes=LeastUnits,
        gives={"n_min": "units per partition"},
        compute=lambda given: {"n_min": least_units(given.s, given.mde)},
    ),
    "power.report_rule": Topic(
        says="The probability that the report rule lists a cell with a given true difference.",
        takes=ReportedShare,
        gives={
            "se_delta": "standard error of the difference",
            "prob_report": "probability of being listed",
            "z": "critical value",
        },
        compute=_reported,
    ),
    "power.n_to_report": Topic(
        says="Units per arm so that the report rule lists a true difference with given power.",
        takes=UnitsToReport,
        gives=_NEEDED,
        compute=_to_report,
    ),
    "power.smallest_reportable": Topic(
        says="The smallest true difference that the report rule lists with given power.",
        takes=SmallestReportable,
        gives={"smallest_true_delta_reported_with_power": "true difference"},
        compute=_smallest,
    ),
    "power.n_min_from_pilot": Topic(
        says="The minimum number of units from a pilot, whose spread of 0 would be no certainty.",
        takes=Pilot,
        gives={
            "s": "standard deviation of the pilot, 0 with one unit",
            "s_augmented": "the same after adding one 0 and one 1",
            "s_used": "the larger of the two",
            "n_min": "units per partition",
        },
        compute=_pilot,
    ),
    "power.reach": Topic(
        says="What a run can list and what it cannot exclude, from its standard error.",
        takes=Measured,
        gives={
            "margin": "smallest change one cares about",
            "reportable": "smallest true change listed with the stated power",
            "excludable": "largest change still allowed where nothing is listed",
            "too_small_to_clear_anyone": "reportable is above three margins",
        },
        compute=_reach,
    ),
    "power.t_test": Topic(
        says="Power or sample size of a t test.",
        takes=TTest,
        gives=_POWER | _NEEDED,
        compute=_t_test,
    ),
    "power.two_prop": Topic(
        says="Power or sample size of the pooled z test of two proportions.",
        takes=TwoProportions,
        gives=_POWER | _NEEDED,
        compute=_two_proportions,
    ),
}
