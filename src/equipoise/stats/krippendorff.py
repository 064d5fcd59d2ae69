"""Krippendorff's alpha for categories, ranks, intervals and ratios, with gaps."""

from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from equipoise.errors import InputError, NotEstimable
from equipoise.stats.agreement import FloatArray, overlapping

Metric = Literal["nominal", "ordinal", "interval", "ratio"]


def krippendorff_alpha(
    counts: FloatArray, values: npt.ArrayLike | None = None, *, metric: Metric = "nominal"
) -> float:
    """One minus the observed over the expected disagreement, with the small-sample correction.

    Args:
        counts: ``(n_units, n_categories)`` how many raters gave the unit each value; units with
            fewer than two ratings are left out.
        values: ``(n_categories,)`` the values in ascending order; needed for interval and ratio.
        metric: how far two values differ: not at all or fully (nominal), by the ratings between
            them (ordinal), by the squared distance (interval), by that relative to the sum (ratio).

    Raises:
        NotEstimable: no unit with two ratings (``no_overlap``) or one value only
            (``one_category``).
        InputError: an unknown metric (``unknown_metric``), values missing or not ascending
            (``values``), or negative values for the ratio metric (``out_of_range``).

    Source: Krippendorff (2011), Computing Krippendorff's alpha-reliability; Hayes & Krippendorff
    (2007), Communication Methods and Measures 1, 77-89.

    >>> counts = np.array([[2, 0, 0], [0, 2, 0], [0, 1, 1], [0, 0, 2.0]])
    >>> round(krippendorff_alpha(counts), 4)
    0.6667
    """
    if metric not in get_args(Metric):
        raise InputError(
            f"metric {metric!r}", wanted=f"one of {get_args(Metric)}", code="unknown_metric"
        )
    shared = counts[overlapping(counts)]
    raters = shared.sum(axis=1)
    per_value = shared.sum(axis=0)
    distance = _squared_distance(per_value, values, metric)
    weighted = shared / (raters - 1.0)[:, None]
    together = shared.T @ weighted
    expected = float(per_value @ distance @ per_value)
    if expected <= 0.0:
        raise NotEstimable(
            "only one category was used, so that agreement beyond chance is undefined",
            code="one_category",
        )
    return float(1.0 - (per_value.sum() - 1.0) * (together * distance).sum() / expected)


def _squared_distance(
    per_value: FloatArray, values: npt.ArrayLike | None, metric: Metric
) -> FloatArray:
    if metric == "nominal":
        return np.asarray(1.0 - np.eye(len(per_value)))
    if metric == "ordinal":
        middle = np.cumsum(per_value) - per_value / 2.0
        return np.asarray((middle[:, None] - middle) ** 2)
    numbers = np.asarray([] if values is None else values, dtype=np.float64)
    if numbers.shape != per_value.shape or (np.diff(numbers) <= 0).any():
        raise InputError(
            f"{numbers.size} values for {len(per_value)} categories",
            wanted="one ascending value a category",
            code="values",
        )
    gap = numbers[:, None] - numbers
    if metric == "interval":
        return np.asarray(gap**2)
    if (numbers < 0).any():
        raise InputError(
            f"a value {numbers.min():g}", wanted="values of 0 or more", code="out_of_range"
        )
    total = numbers[:, None] + numbers
    return np.asarray((gap / np.where(total == 0.0, 1.0, total)) ** 2)
