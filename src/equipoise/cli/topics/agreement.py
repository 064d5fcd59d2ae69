"""Topics on agreement between raters: ``agreement.*``, ``kappa_*``, ``alpha_krippendorff``."""

from collections.abc import Callable
from typing import Any, Literal

import msgspec
import numpy as np

from equipoise.cli.topics import Topic
from equipoise.errors import InputError, NotEstimable
from equipoise.stats.agreement import (
    FloatArray,
    brennan_prediger,
    count_ratings,
    fleiss_kappa,
    gwet_ac1,
    observed_agreement,
)
from equipoise.stats.agreement_report import agreement_mode
from equipoise.stats.cohen import cohen_kappa, cross_table
from equipoise.stats.krippendorff import Metric, krippendorff_alpha

Label = str | int | float | bool
Level = Literal["nominal", "ordinal", "interval", "ratio"]
Weighting = Literal["none", "unweighted", "linear", "quadratic"]


class UnitRatings(msgspec.Struct):
    """Ratings unit by unit, null where a rater gave none, and how many categories there were."""

    ratings_by_unit: list[list[Label | None]]
    n_categories: int | None = None


class MetricRatings(msgspec.Struct):
    """Ratings unit by unit and how far two values differ."""

    ratings_by_unit: list[list[Label | None]]
    metric: Level = "nominal"


class ObserverRatings(msgspec.Struct):
    """One row an observer, one column a unit, null for a gap."""

    ratings: list[list[Label | None]]
    level: Level = "nominal"


class Table(msgspec.Struct):
    """Counts of two raters, rows for one, columns for the other."""

    table: list[list[float]]
    weights: Weighting | None = None


class TwoRaters(msgspec.Struct):
    """Ratings of two raters on the same units; all labels in order where some may be unused."""

    a: list[Label | None]
    b: list[Label | None]
    weights: Weighting | None = None
    labels: list[Label] | None = None


class CategoryCounts(msgspec.Struct):
    """One row a unit, one column a category: how many raters chose it."""

    counts: list[list[int]]


class People(msgspec.Struct):
    """Who annotated how much."""

    annotators: int
    sets: int
    overlap_sets: int | None = None
    minimum: int = 3


def _multi(given: UnitRatings) -> dict[str, Any]:
    _, counts = count_ratings(given.ratings_by_unit, n_categories=given.n_categories)
    found: dict[str, Any] = {}
    why: dict[str, str] = {}
    coefficients: dict[str, Callable[[FloatArray], float]] = {
        "observed_agreement": observed_agreement,
        "krippendorff_alpha_nominal": krippendorff_alpha,
        "gwet_ac1": gwet_ac1,
        "brennan_prediger": brennan_prediger,
        "fleiss_kappa": fleiss_kappa,
    }
    for name, coefficient in coefficients.items():
        try:
            found[name] = coefficient(counts)
        except NotEstimable as missing:
            found[name], why[name] = None, missing.why
        except InputError as missing:
            found[name], why[name] = None, missing.found
    return found | ({"why": why} if why else {})


def _by_unit(given: MetricRatings) -> dict[str, Any]:
    return _alpha(given.ratings_by_unit, given.metric)


def _by_observer(given: ObserverRatings) -> dict[str, Any]:
    lengths = {len(row) for row in given.ratings}
    if len(lengths) > 1:
        raise InputError(
            f"observers with {sorted(lengths)} units",
            wanted="one entry a unit for every observer, null for a gap",
            code="length_differs",
        )
    return _alpha([list(unit) for unit in zip(*given.ratings, strict=True)], given.level)


def _alpha(ratings: list[list[Label | None]], metric: Metric) -> dict[str, Any]:
    categories, counts = count_ratings(ratings)
    values = None
    if metric in {"interval", "ratio"}:
        if texts := [label for label in categories if isinstance(label, str)]:
            raise InputError(
                f"the ratings {texts[:3]} are texts", wanted="numbers", code="not_a_number"
            )
        values = np.array(categories, dtype=np.float64)
    try:
        return {"alpha": krippendorff_alpha(counts, values, metric=metric)}
    except NotEstimable as missing:
        return {"alpha": None, "why": missing.why}


def _table(given: Table) -> dict[str, Any]:
    found = cohen_kappa(given.table, weights=_weights(given.weights))
    return {"kappa": found.value, "ase": found.se, "agreement": found.agreement}


def _two(given: TwoRaters) -> dict[str, Any]:
    weights = _weights(given.weights)
    try:
        order, table = cross_table(given.a, given.b, labels=given.labels)
    except NotEstimable as missing:
        return {"kappa": None, "agreement": None, "why": missing.why}
    n = int(table.sum())
    if weights != "none" and given.labels is None and isinstance(order[0], str):
        raise InputError(
            f"weights over the texts {list(order)[:4]}",
            wanted="labels in their natural order",
            mend="give `labels` in order, or numbers",
            code="order_unknown",
        )
    try:
        found = cohen_kappa(table, weights=weights)
    except NotEstimable as missing:
        agreement = float(np.trace(table) / table.sum())
        return {"kappa": None, "agreement": agreement, "n": n, "why": missing.why}
    return {"kappa": found.value, "agreement": found.agreement, "ase": found.se, "n": n}


def _weights(given: Weighting | None) -> Literal["none", "linear", "quadratic"]:
    return "none" if given is None or given == "unweighted" else given


def _fleiss(given: CategoryCounts) -> dict[str, Any]:
    if not given.counts:
        raise InputError("no unit", wanted="one row of counts a unit", code="no_units")
    if len({len(row) for row in given.counts}) != 1:
        raise InputError(
            "rows of different lengths", wanted="one column a category", code="length_differs"
        )
    counts = np.array(given.counts, dtype=np.float64)
    answer: dict[str, Any] = {"kappa": None, "mean_agreement": None}
    try:
        answer["mean_agreement"] = observed_agreement(counts)
        answer["kappa"] = fleiss_kappa(counts)
    except NotEstimable as missing:
        answer["why"] = missing.why
    return answer


def _mode(given: People) -> dict[str, Any]:
    shared_sets = given.sets if given.overlap_sets is None else given.overlap_sets
    found = agreement_mode(given.annotators, shared_sets, least_annotators=given.minimum)
    answer: dict[str, Any] = {"mode": found.mode, "label": found.label}
    if found.mode == "no_kappa":
        answer["kappa"] = None
    if found.may_show:
        answer["may_show"] = found.may_show
    return answer


_KAPPA = "kappa; null with `why` where undefined"
_ALPHA = {"alpha": "Krippendorff's alpha; null with `why` where undefined"}

TOPICS = {
    "agreement.multi_rater": Topic(
        says="Raw agreement and four coefficients of several raters; null with `why` if undefined.",
        takes=UnitRatings,
        gives={
            "observed_agreement": "share of agreeing pairs of raters, mean over units",
            "krippendorff_alpha_nominal": "alpha for categories",
            "gwet_ac1": "AC1",
            "brennan_prediger": "agreement beyond chance 1/n_categories",
            "fleiss_kappa": "only where every unit has the same number of ratings",
        },
        compute=_multi,
    ),
    "agreement.krippendorff_metric": Topic(
        says="Krippendorff's alpha from ratings unit by unit.",
        takes=MetricRatings,
        gives=_ALPHA,
        compute=_by_unit,
    ),
    "alpha_krippendorff": Topic(
        says="Krippendorff's alpha from ratings observer by observer, with gaps.",
        takes=ObserverRatings,
        gives=_ALPHA,
        compute=_by_observer,
    ),
    "agreement.cohen": Topic(
        says="Cohen's kappa of a square table with its asymptotic standard error.",
        takes=Table,
        gives={"kappa": "kappa", "ase": "standard error", "agreement": "share of equal ratings"},
        compute=_table,
    ),
    "kappa_cohen": Topic(
        says="Cohen's kappa of two lists of ratings, plain or weighted by position of the labels.",
        takes=TwoRaters,
        gives={
            "kappa": _KAPPA,
            "agreement": "share of equal ratings",
            "ase": "standard error",
            "n": "units rated by both",
        },
        compute=_two,
    ),
    "kappa_fleiss": Topic(
        says="Fleiss' kappa of counts per category.",
        takes=CategoryCounts,
        gives={"kappa": _KAPPA, "mean_agreement": "raw agreement"},
        compute=_fleiss,
    ),
    "agreement_mode": Topic(
        says="Whether a report may show agreement between annotators, and the sentence it prints.",
        takes=People,
        gives={
            "mode": "kappa or no_kappa",
            "label": "the sentence",
            "kappa": "null in no_kappa mode",
            "may_show": "what may be shown as information",
        },
        compute=_mode,
    ),
}
