"""Topics on clusters, repetitions, raters and correlated votes: ``cluster.*``, ``variance.*``."""

from typing import Any

import msgspec

from equipoise.cli.topics import Topic
from equipoise.cli.topics.intervals import ENDS, ends
from equipoise.errors import InputError
from equipoise.stats.clusters import clustered_mean
from equipoise.stats.spread import effective_votes, rater_variance, variance_components


class Clustered(msgspec.Struct):
    """One number per unit, its cluster, and the confidence level."""

    y: list[float]
    cluster: list[str | float | bool]
    level: float = 0.95


class Repeated(msgspec.Struct):
    """One row a unit with the results of its repetitions."""

    units_by_repetition: list[list[float]]


class DoubleRatings(msgspec.Struct):
    """Pairs of ratings of the same thing, and the confidence level."""

    double_ratings: list[list[float]]
    level: float = 0.95


class Votes(msgspec.Struct):
    """Number of votes and their mean pairwise correlation."""

    n_judges_or_repeats: float
    mean_pairwise_correlation: float


def _clustered(given: Clustered) -> dict[str, Any]:
    found = clustered_mean(given.y, given.cluster, level=given.level)
    return {
        "mean": found.value,
        "n_clusters": found.n,
        "n_units": found.n_units,
        "se_cr0": found.se_cr0,
        "se_cr1": found.se_cr1,
        "se_cr2": found.se,
        "df_cr2": found.df,
        "flags": found.flags,
    } | ends(found)


def _components(given: Repeated) -> dict[str, Any]:
    found = variance_components(given.units_by_repetition)
    return {
        "mean": found.mean,
        "stddev_within": found.sd_within,
        "sd_of_unit_means": found.sd_of_unit_means,
        "se_of_mean": found.se_of_mean,
        "variance_between_true": found.variance_between,
        "icc1": found.icc,
        "n": found.n,
        "n_repetitions": found.n_repetitions,
    }


def _rater(given: DoubleRatings) -> dict[str, Any]:
    for index, pair in enumerate(given.double_ratings):
        if len(pair) != 2:
            raise InputError(
                f"{len(pair)} ratings",
                wanted="two ratings of the same thing",
                where=f"field 'double_ratings[{index}]'",
            )
    first = [pair[0] for pair in given.double_ratings]
    second = [pair[1] for pair in given.double_ratings]
    found = rater_variance(first, second, level=given.level)
    value: dict[str, Any] = {
        "rater_variance": found.variance,
        "rater_sd": found.sd,
        "n": found.n,
    }
    if found.interval is None:
        return value | {"interval": None, "why": "all pairs agree: 0 is no certainty"}
    return value | {"lo": found.interval.lo, "hi": found.interval.hi, "level": given.level}


TOPICS = {
    "cluster.robust_se": Topic(
        says="Mean of clustered units: CR0, CR1, CR2 and the interval on Satterthwaite's t.",
        takes=Clustered,
        gives={
            "mean": "mean over units",
            "n_clusters": "clusters",
            "n_units": "units",
            "se_cr0": "standard error CR0",
            "se_cr1": "standard error CR1",
            "se_cr2": "standard error CR2",
            "df_cr2": "Satterthwaite degrees of freedom",
            "flags": "few_clusters below 5 clusters",
        }
        | ENDS,
        compute=_clustered,
    ),
    "variance.components": Topic(
        says="Spread within and between units, and the intraclass correlation.",
        takes=Repeated,
        gives={
            "mean": "mean of the unit means",
            "stddev_within": "between repetitions of one unit, pooled",
            "sd_of_unit_means": "between unit means",
            "se_of_mean": "standard error of the mean",
            "variance_between_true": "between units without repetition noise; may be below 0",
            "icc1": "share of variance between units; null where nothing varies",
            "n": "units",
            "n_repetitions": "repetitions in all",
        },
        compute=_components,
    ),
    "variance.rater": Topic(
        says="Variance of one rating, from double ratings, with its interval.",
        takes=DoubleRatings,
        gives={
            "rater_variance": "sum (a - b)^2 / (2 m)",
            "rater_sd": "its root",
            "lo": "lower limit of the variance",
            "hi": "upper limit of the variance",
            "n": "double ratings",
        },
        compute=_rater,
    ),
    "variance.effective_votes": Topic(
        says="How many independent votes correlated ones are worth.",
        takes=Votes,
        gives={"effective_n": "n / (1 + (n - 1) rho)"},
        compute=lambda given: {
            "effective_n": effective_votes(
                given.n_judges_or_repeats, given.mean_pairwise_correlation
            )
        },
    ),
}
