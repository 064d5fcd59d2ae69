"""Topics on tests that need no normal curve: ``test.*``."""

from typing import Any

import msgspec
import numpy as np

from equipoise.cli.topics import Topic
from equipoise.stats.contingency import fisher
from equipoise.stats.estimates import TestResult
from equipoise.stats.mcnemar import mcnemar
from equipoise.stats.signflip import sign_flip, wilcoxon_signed_rank


class Differences(msgspec.Struct):
    """Differences of matched units; seed and draws for many units off any grid."""

    d: list[float]
    seed: int | None = None
    draws: int = 100_000


class Matched(msgspec.Struct):
    """One number per unit of each arm, matched by position."""

    new: list[float]
    base: list[float]


class PairedTable(msgspec.Struct):
    """Units that succeed in both, first alone, second alone, neither."""

    n11: float
    n12: float
    n21: float
    n22: float


class Table(msgspec.Struct):
    """The table ((a, b), (c, d)); rows are arms."""

    a: float
    b: float
    c: float
    d: float


def _sign_flip(given: Differences) -> dict[str, Any]:
    rng = None if given.seed is None else np.random.default_rng(given.seed)
    return _test(sign_flip(given.d, rng=rng, draws=given.draws))


def _wilcoxon(given: Matched) -> dict[str, Any]:
    result = wilcoxon_signed_rank(given.new, given.base)
    return {"V": result.statistic} | _test(result)


def _mcnemar(given: PairedTable) -> dict[str, Any]:
    found = mcnemar(given.n11, given.n12, given.n21, given.n22)
    return {
        "chi2": found.chi2,
        "p_chi2": found.p_chi2,
        "chi2_cc": found.chi2_corrected,
        "p_cc": found.p_corrected,
        "p_exact": found.exact,
        "p_midp": found.mid,
        "n_changed": found.n_changed,
        "n": found.n,
    }


def _fisher(given: Table) -> dict[str, Any]:
    return _test(fisher(given.a, given.b, given.c, given.d))


def _test(result: TestResult) -> dict[str, Any]:
    value = {"p": result.p, "n": result.n, "method": result.method}
    if result.smallest_p is not None:
        value["smallest_p"] = result.smallest_p
    if result.p_se is not None:
        value["p_se"] = result.p_se
    return value


_P = {"p": "two-sided p-value", "n": "units", "method": "name of the method"}

TOPICS = {
    "test.sign_flip_exact": Topic(
        says="Exact sign-flip test of matched differences, statistic |sum d|.",
        takes=Differences,
        gives=_P
        | {
            "smallest_p": "the smallest p that so many units can give",
            "p_se": "standard error of p, only where it was sampled",
        },
        compute=_sign_flip,
    ),
    "test.wilcoxon_signed_rank": Topic(
        says="Exact Wilcoxon signed-rank test of matched units.",
        takes=Matched,
        gives={"V": "sum of the ranks of positive differences"}
        | _P
        | {"smallest_p": "the smallest p that so many units can give"},
        compute=_wilcoxon,
    ),
    "test.mcnemar": Topic(
        says="McNemar's test of matched 0/1 data in four forms.",
        takes=PairedTable,
        gives={
            "chi2": "chi-square without correction",
            "p_chi2": "its p-value",
            "chi2_cc": "chi-square with continuity correction",
            "p_cc": "its p-value",
            "p_exact": "exact p-value",
            "p_midp": "mid-p value",
            "n_changed": "units that differ",
            "n": "units",
        },
        compute=_mcnemar,
    ),
    "test.fisher": Topic(
        says="Fisher's exact two-sided test of a 2 x 2 table.",
        takes=Table,
        gives=_P,
        compute=_fisher,
    ),
}
