"""Topics on differences by Student's t, and on proportions: ``delta.*``, ``interval.*prop*``."""

from typing import Any

import msgspec

from equipoise.cli.topics import Topic
from equipoise.cli.topics.intervals import ENDS, TwoSamples, ends
from equipoise.stats.differences import TDifference, overlap_se, paired_t, welch_t
from equipoise.stats.proportion_differences import (
    TwoShares,
    agresti_caffo,
    bonett_price,
    miettinen_nurminen,
    newcombe,
)


class TwoProportions(msgspec.Struct):
    """``x1`` of ``n1`` (new), ``x2`` of ``n2`` (base), and the confidence level."""

    x1: float
    n1: float
    x2: float
    n2: float
    level: float = 0.95


class PairedTable(msgspec.Struct):
    """Units that succeed in both, first alone, second alone, neither; and the level."""

    n11: float
    n12: float
    n21: float
    n22: float
    level: float = 0.95


class Overlap(msgspec.Struct):
    """Spread and units of both arms, how many units they share and how these correlate."""

    sd_new: float
    sd_base: float
    n_new: float
    n_base: float
    n_shared_units: float
    correlation_on_shared: float


def _t(difference: TDifference) -> dict[str, Any]:
    return {
        "delta": difference.value,
        "se": difference.se,
        "df": difference.df,
        "p": difference.p,
    } | ends(difference)


def _overlap(given: Overlap) -> dict[str, Any]:
    found = overlap_se(
        (given.sd_new, given.sd_base),
        (given.n_new, given.n_base),
        n_shared=given.n_shared_units,
        correlation=given.correlation_on_shared,
    )
    return {"se_delta": found.se, "se_delta_if_treated_as_independent": found.se_independent}


def _two_proportions(given: TwoProportions) -> dict[str, Any]:
    shares = TwoShares.of(given.x1, given.n1, given.x2, given.n2)
    value: dict[str, Any] = {"delta": shares.p1 - shares.p2, "level": given.level}
    for name, method in (
        ("newcombe", newcombe),
        ("agresti_caffo", agresti_caffo),
        ("miettinen_nurminen", miettinen_nurminen),
    ):
        interval = method(shares, level=given.level).interval
        value |= {f"{name}_lo": interval.lo, f"{name}_hi": interval.hi}
    return value


def _paired_table(given: PairedTable) -> dict[str, Any]:
    estimate = bonett_price(given.n11, given.n12, given.n21, given.n22, level=given.level)
    return {"delta": estimate.value} | ends(estimate)


_T = {
    "delta": "new minus base",
    "se": "standard error",
    "df": "degrees of freedom",
    "p": "two-sided p-value",
} | ENDS

TOPICS = {
    "delta.paired": Topic(
        says="New minus base over units matched by position, by the paired t.",
        takes=TwoSamples,
        gives=_T,
        compute=lambda given: _t(paired_t(given.new, given.base, level=given.level)),
    ),
    "delta.unpaired": Topic(
        says="New minus base for independent samples, by Welch's t.",
        takes=TwoSamples,
        gives=_T,
        compute=lambda given: _t(welch_t(given.new, given.base, level=given.level)),
    ),
    "delta.partial_overlap": Topic(
        says="Standard error of a difference whose arms share some units.",
        takes=Overlap,
        gives={
            "se_delta": "with the shared units taken into account",
            "se_delta_if_treated_as_independent": "as if no unit were shared",
        },
        compute=_overlap,
    ),
    "interval.diff_proportions": Topic(
        says="Newcombe, Agresti-Caffo and Miettinen-Nurminen intervals for p1 - p2.",
        takes=TwoProportions,
        gives={
            "delta": "p1 - p2",
            "newcombe_lo": "lower limit",
            "newcombe_hi": "upper limit",
            "agresti_caffo_lo": "lower limit, may lie below -1",
            "agresti_caffo_hi": "upper limit, may lie above 1",
            "miettinen_nurminen_lo": "lower limit",
            "miettinen_nurminen_hi": "upper limit",
            "level": "confidence level",
        },
        compute=_two_proportions,
    ),
    "interval.paired_proportions": Topic(
        says="Bonett-Price interval for p12 - p21 of matched 0/1 data.",
        takes=PairedTable,
        gives={"delta": "p12 - p21"} | ENDS,
        compute=_paired_table,
    ),
}
