"""Topics on showing that a difference is small: ``equivalence.*``."""

from typing import Any

import msgspec

from equipoise.cli.topics import Topic
from equipoise.stats.equivalence import (
    Equivalence,
    equivalence_units,
    noninferiority_shares,
    tost_paired,
    tost_welch,
)


class WithMargin(msgspec.Struct):
    """One number per unit of each arm, the margin, the level of each one-sided test."""

    new: list[float]
    base: list[float]
    margin: float
    alpha: float = 0.05


class SampleSize(msgspec.Struct):
    """Spread of the differences of matched units, margin, level, power, true difference."""

    sd_of_paired_differences: float
    margin: float
    alpha: float = 0.05
    power: float = 0.8
    true_difference: float = 0.0


class Shares(msgspec.Struct):
    """Successes and trials of both arms, the margin, the one-sided level."""

    x_new: float
    n_new: float
    x_base: float
    n_base: float
    margin: float
    alpha_one_sided: float = 0.05


def _tost(found: Equivalence) -> dict[str, Any]:
    return {
        "delta": found.delta,
        "p_lower": found.p_lower,
        "p_upper": found.p_upper,
        "p": found.p,
        "ci_lo": found.interval.lo,
        "ci_hi": found.interval.hi,
        "level": found.interval.level,
        "equivalent": found.equivalent,
        "n": found.n,
        "method": found.method,
    }


def _sample_size(given: SampleSize) -> dict[str, Any]:
    needed = equivalence_units(
        given.sd_of_paired_differences,
        margin=given.margin,
        power=given.power,
        true_delta=given.true_difference,
        alpha=given.alpha,
    )
    return {"n_exact": needed.exact, "n": needed.n}


def _noninferior(given: Shares) -> dict[str, Any]:
    found = noninferiority_shares(
        (given.x_new, given.n_new),
        (given.x_base, given.n_base),
        margin=given.margin,
        alpha=given.alpha_one_sided,
    )
    percent = f"{100 * found.interval.level:g}".replace(".", "_")
    return {
        "delta": found.delta,
        f"ci{percent}_lo": found.interval.lo,
        f"ci{percent}_hi": found.interval.hi,
        "ci_lo": found.interval.lo,
        "ci_hi": found.interval.hi,
        "level": found.interval.level,
        "non_inferior": found.non_inferior,
        "method": found.method,
    }


_TOST = {
    "delta": "new minus base",
    "p_lower": "p-value against a difference at or below -margin",
    "p_upper": "p-value against a difference at or above margin",
    "p": "the larger of the two",
    "ci_lo": "lower limit at level 1 - 2 alpha",
    "ci_hi": "upper limit at level 1 - 2 alpha",
    "equivalent": "p is below alpha",
    "n": "units",
    "method": "name of the method",
}

TOPICS = {
    "equivalence.tost_paired": Topic(
        says="Two one-sided paired t tests.",
        takes=WithMargin,
        gives=_TOST,
        compute=lambda given: _tost(
            tost_paired(given.new, given.base, margin=given.margin, alpha=given.alpha)
        ),
    ),
    "equivalence.tost_welch": Topic(
        says="Two one-sided Welch t tests.",
        takes=WithMargin,
        gives=_TOST,
        compute=lambda given: _tost(
            tost_welch(given.new, given.base, margin=given.margin, alpha=given.alpha)
        ),
    ),
    "equivalence.sample_size": Topic(
        says="Matched units so that equivalence is shown with given power.",
        takes=SampleSize,
        gives={"n_exact": "units by the formula", "n": "the same rounded up"},
        compute=_sample_size,
    ),
    "equivalence.noninferiority_props": Topic(
        says="Whether a share of successes is lower by less than the margin (Newcombe).",
        takes=Shares,
        gives={
            "delta": "new minus base",
            "ci_lo": "lower limit at level 1 - 2 alpha (also as ci90_lo for alpha 0.05)",
            "ci_hi": "upper limit at level 1 - 2 alpha (also as ci90_hi for alpha 0.05)",
            "non_inferior": "the lower limit is above -margin",
            "method": "name of the method",
        },
        compute=_noninferior,
    ),
}
