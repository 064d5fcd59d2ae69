"""The noise of raters, from trials that were rated more than once under one category."""

from collections.abc import Iterable

import numpy as np

from equipoise.errors import NotEstimable
from equipoise.records.catalog import Catalog
from equipoise.records.event import Rating
from equipoise.records.suite import RaterSpread
from equipoise.stats.rater_noise import rater_variance


def rater_spreads(catalog: Catalog, ratings: Iterable[Rating]) -> dict[str, RaterSpread]:
    """Gives the variance between raters of each category that somebody rated twice.

    Only the first rating of one rater about one trial counts.
    """
    names = {catalog.criterion(category.id): category.id for category in catalog.categories}
    seen: dict[str, dict[tuple[str, str], float]] = {}
    for rating in ratings:
        if category := names.get(rating.criterion):
            seen.setdefault(category, {}).setdefault((rating.trial, rating.rater), rating.value)
    found = {}
    for category, values in sorted(seen.items()):
        _, trials = np.unique([trial for trial, _ in values], return_inverse=True)
        try:
            noise = rater_variance(trials, list(values.values()))
        except NotEstimable:
            continue
        found[category] = RaterSpread(
            variance=noise.value, lo=noise.interval.lo, hi=noise.interval.hi, n=noise.n
        )
    return found


def added_variance(catalog: Catalog, spreads: dict[str, RaterSpread]) -> list[float]:
    """Gives what is added to the variance between units: of the loss, then of each category.

    The observed spread holds part of it already; adding it all is the conservative reading.
    """
    whole = sum(category.weight for category in catalog.categories)
    by_category = [
        spreads[category.id].variance if category.id in spreads else 0.0
        for category in catalog.categories
    ]
    shares = [category.weight / whole for category in catalog.categories]
    loss = sum(share**2 * part for share, part in zip(shares, by_category, strict=True))
    return [loss, *by_category]
