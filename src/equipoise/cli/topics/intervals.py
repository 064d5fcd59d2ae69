"""Topics on one mean or proportion, and on the difference of two: ``interval.*``."""

from collections.abc import Callable
from typing import Any

import msgspec

from equipoise.cli.topics import Topic
from equipoise.errors import InputError
from equipoise.stats.estimates import Estimate
from equipoise.stats.intervals import guaranteed_widths, quasi_wilson, student_t
from equipoise.stats.mover import Difference, independent_difference, paired_difference
from equipoise.stats.proportions import clopper_pearson, jeffreys, wilson


class Share(msgspec.Struct):
    """``x`` successes of ``n``, and the confidence level."""

    x: float
    n: float
    level: float = 0.95


class Sample(msgspec.Struct):
    """One number per unit, and the confidence level."""

    x: list[float]
    level: float = 0.95


class Summary(msgspec.Struct):
    """Number of units, their mean and variance (n - 1), the range of possible values."""

    n: float
    mean: float
    sample_variance: float
    level: float = 0.95
    range: tuple[float, float] = (0.0, 1.0)


class TwoSamples(msgspec.Struct):
    """One number per unit of each arm, and the confidence level."""

    new: list[float]
    base: list[float]
    level: float = 0.95


ENDS = {"lo": "lower limit", "hi": "upper limit", "n": "units", "method": "name of the method"}


def ends(estimate: Estimate) -> dict[str, Any]:
    """What every interval topic gives of an estimate."""
    return {
        "lo": estimate.interval.lo,
        "hi": estimate.interval.hi,
        "level": estimate.interval.level,
        "n": estimate.n,
        "method": estimate.method,
    }


def _share(function: Callable[..., Estimate]) -> Callable[[Share], dict[str, Any]]:
    def compute(given: Share) -> dict[str, Any]:
        estimate = function(given.x, given.n, level=given.level)
        return {"proportion": estimate.value} | ends(estimate)

    return compute


def _t(given: Sample) -> dict[str, Any]:
    estimate = student_t(given.x, level=given.level)
    assert estimate.se is not None
    sd = estimate.se * estimate.n**0.5
    return {"mean": estimate.value, "sd": sd, "se": estimate.se, "df": estimate.df} | ends(estimate)


def _quasi_wilson(given: Sample) -> dict[str, Any]:
    estimate = quasi_wilson(given.x, level=given.level)
    return {"mean": estimate.value, "phi": estimate.phi} | ends(estimate)


def _guaranteed(given: Summary) -> dict[str, Any]:
    low, high = given.range
    if not low <= given.mean <= high:
        raise InputError(
            f"mean = {given.mean:g}", wanted=f"a mean on [{low:g}, {high:g}]", where="field 'mean'"
        )
    widths = guaranteed_widths(given.n, given.sample_variance, level=given.level, width=high - low)
    return {
        "hoeffding_half_width": widths.hoeffding,
        "empirical_bernstein_half_width": widths.empirical_bernstein,
        "hoeffding_lo": max(low, given.mean - widths.hoeffding),
        "hoeffding_hi": min(high, given.mean + widths.hoeffding),
        "empirical_bernstein_lo": max(low, given.mean - widths.empirical_bernstein),
        "empirical_bernstein_hi": min(high, given.mean + widths.empirical_bernstein),
    }


def _difference(difference: Difference) -> dict[str, Any]:
    return {"delta": difference.value} | ends(difference)


def _paired(given: TwoSamples) -> dict[str, Any]:
    difference = paired_difference(given.new, given.base, level=given.level)
    return {"r_augmented": difference.correlation} | _difference(difference)


TOPICS = {
    "interval.wilson": Topic(
        says="Wilson score interval of a proportion.",
        takes=Share,
        gives={"proportion": "x / n"} | ENDS,
        compute=_share(wilson),
    ),
    "interval.clopper_pearson": Topic(
        says="Exact Clopper-Pearson interval of a proportion.",
        takes=Share,
        gives={"proportion": "x / n"} | ENDS,
        compute=_share(clopper_pearson),
    ),
    "interval.jeffreys": Topic(
        says="Jeffreys interval of a proportion.",
        takes=Share,
        gives={"proportion": "x / n"} | ENDS,
        compute=_share(jeffreys),
    ),
    "interval.t": Topic(
        says="Student's interval of a mean.",
        takes=Sample,
        gives={"mean": "mean", "sd": "standard deviation (n - 1)", "se": "standard error"} | ENDS,
        compute=_t,
    ),
    "interval.quasi_wilson": Topic(
        says="Quasi-Wilson interval of a mean of values on [0, 1].",
        takes=Sample,
        gives={"mean": "mean", "phi": "variance as a share of that of 0/1 data"} | ENDS,
        compute=_quasi_wilson,
    ),
    "interval.guaranteed": Topic(
        says="Hoeffding and empirical Bernstein intervals, which hold for every distribution.",
        takes=Summary,
        gives={
            "hoeffding_half_width": "half-width",
            "empirical_bernstein_half_width": "half-width",
        },
        compute=_guaranteed,
    ),
    "interval.diff_bounded_independent": Topic(
        says="New minus base for independent samples on [0, 1]: MOVER on quasi-Wilson limits.",
        takes=TwoSamples,
        gives={"delta": "new minus base"} | ENDS,
        compute=lambda given: _difference(
            independent_difference(given.new, given.base, level=given.level)
        ),
    ),
    "interval.diff_bounded_paired": Topic(
        says="New minus base for matched samples on [0, 1]: MOVER with correlation.",
        takes=TwoSamples,
        gives={"delta": "new minus base", "r_augmented": "correlation with the pseudo-pairs"}
        | ENDS,
        compute=_paired,
    ),
}
