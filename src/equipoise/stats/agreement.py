"""Agreement of several raters on categories: raw, Fleiss, Gwet's AC1, Brennan-Prediger.

All work on ``counts`` of shape ``(n_units, n_categories)``: how many raters put the unit into the
category. Units with fewer than two ratings say nothing about agreement and are left out of it.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from equipoise.errors import InputError, NotEstimable

FloatArray = npt.NDArray[np.float64]
Label = str | int | float


def count_ratings(
    ratings: Sequence[Sequence[Label | None]], *, n_categories: int | None = None
) -> tuple[tuple[Label, ...], FloatArray]:
    """The categories, sorted, and the counts of ratings given unit by unit.

    Args:
        ratings: one row a unit, its ratings in any order; None where a rater gave none.
        n_categories: how many categories there were to choose from; categories that nobody chose
            get columns of zeros behind the others. By default those that were chosen.

    Raises:
        InputError: no unit (``no_units``), numbers and texts mixed (``mixed_labels``), or more
            categories chosen than there are (``too_many_categories``).

    >>> count_ratings([["a", "b", None], ["a", "a", "a"]])[1].tolist()
    [[1.0, 1.0], [3.0, 0.0]]
    """
    if not ratings:
        raise InputError("no unit", wanted="at least one unit with ratings", code="no_units")
    categories = sorted_labels({r for row in ratings for r in row if r is not None})
    if n_categories is not None and n_categories < len(categories):
        raise InputError(
            f"{len(categories)} categories were chosen, {n_categories} are declared",
            wanted=f"n_categories of {len(categories)} or more",
            code="too_many_categories",
        )
    place = {label: column for column, label in enumerate(categories)}
    counts = np.zeros((len(ratings), n_categories or len(categories)))
    for unit, row in enumerate(ratings):
        for rating in row:
            if rating is not None:
                counts[unit, place[rating]] += 1.0
    return categories, counts


def sorted_labels(labels: set[Label]) -> tuple[Label, ...]:
    """The labels in order: numbers by size, texts by alphabet.

    Raises:
        InputError: numbers and texts together (``mixed_labels``): 1 and "1" are two labels.

    >>> sorted_labels({10, 9})
    (9, 10)
    """
    texts = sorted(label for label in labels if isinstance(label, str))
    numbers = sorted(label for label in labels if not isinstance(label, str))
    if texts and numbers:
        raise InputError(
            f"labels {numbers[:3]} and {texts[:3]} are numbers and texts",
            wanted="labels of one kind",
            mend="write all as numbers or all as texts",
            code="mixed_labels",
        )
    return (*numbers, *texts)


def observed_agreement(counts: FloatArray) -> float:
    """The share of pairs of raters that agree, per unit and then averaged over units, 0 to 1.

    Raises:
        NotEstimable: no unit with two ratings (``no_overlap``).
        InputError: counts that are negative or no whole numbers (``out_of_range``).

    Source: Fleiss (1971), Psychological Bulletin 76, 378-382, equations 1-2.

    >>> observed_agreement(np.array([[2.0, 0.0], [1.0, 1.0]]))
    0.5
    """
    return float(unit_agreement(counts).mean())


def unit_agreement(counts: FloatArray) -> FloatArray:
    """The share of agreeing pairs of raters in each unit with two or more ratings.

    Raises:
        NotEstimable: as `observed_agreement`.
        InputError: as `observed_agreement`.

    >>> unit_agreement(np.array([[2.0, 0.0], [1.0, 0.0], [1.0, 1.0]])).tolist()
    [1.0, 0.0]
    """
    shared = counts[overlapping(counts)]
    raters = shared.sum(axis=1)
    return np.asarray((shared * (shared - 1.0)).sum(axis=1) / (raters * (raters - 1.0)))


def overlapping(counts: FloatArray) -> npt.NDArray[np.bool_]:
    """Which units have two or more ratings.

    Raises:
        NotEstimable: none has (``no_overlap``).
        InputError: counts that are negative or no whole numbers (``out_of_range``).

    >>> overlapping(np.array([[2.0, 0.0], [1.0, 0.0]])).tolist()
    [True, False]
    """
    if counts.ndim != 2 or (counts < 0).any() or (counts % 1 != 0).any():
        raise InputError(
            f"counts of shape {counts.shape} with values that are no counts",
            wanted="whole numbers of 0 or more, one row a unit, one column a category",
            code="out_of_range",
        )
    twice = counts.sum(axis=1) >= 2.0
    if not twice.any():
        raise NotEstimable("no unit was rated by two raters", code="no_overlap")
    return np.asarray(twice, dtype=np.bool_)


def fleiss_kappa(counts: FloatArray) -> float:
    """Fleiss' kappa: agreement beyond what the shares of the categories alone give, at most 1.

    Near 0 or below although raters agree where one category dominates: show raw agreement and
    `brennan_prediger` beside it.

    Args:
        counts: as in the module; every unit needs the same number of ratings.

    Raises:
        NotEstimable: one category only (``one_category``) or no unit with two ratings.
        InputError: units with different numbers of ratings (``unequal_raters``).

    Source: Fleiss (1971), Psychological Bulletin 76, 378-382.

    >>> round(fleiss_kappa(np.array([[3, 0, 0], [3, 0, 0], [0, 3, 0], [0, 0, 3], [2, 1, 0],
    ...     [1, 1, 1.0]])), 6)
    0.554455
    """
    raters = counts.sum(axis=1)
    if (raters != raters[0]).any():
        raise InputError(
            f"between {raters.min():g} and {raters.max():g} ratings a unit",
            wanted="the same number of ratings for every unit",
            mend="use Krippendorff's alpha, which takes gaps",
            code="unequal_raters",
        )
    share = counts.sum(axis=0) / counts.sum()
    return _beyond(observed_agreement(counts), float(share @ share))


def gwet_ac1(counts: FloatArray) -> float:
    """Gwet's AC1: agreement beyond chance, where chance means a random rating on a hard unit.

    Takes units with gaps; units rated once count for the shares of the categories.

    Raises:
        NotEstimable: no unit with two ratings (``no_overlap``), or a single category to choose
            from (``one_category``).

    Source: Gwet (2008), British J. Math. Stat. Psychology 61, 29-48, equations 6-8 (two raters)
    and section 5 (several).

    >>> round(gwet_ac1(np.array([[2, 0], [2, 0], [1, 1], [2, 0.0]])), 4)
    0.68
    """
    agreement = observed_agreement(counts)
    n_categories = counts.shape[1]
    if n_categories < 2:
        raise NotEstimable("only one category could be chosen", code="one_category")
    rated = counts[counts.sum(axis=1) > 0]
    share = (rated / rated.sum(axis=1, keepdims=True)).mean(axis=0)
    chance = float((share * (1.0 - share)).sum() / (n_categories - 1))
    return _beyond(agreement, chance)


def brennan_prediger(counts: FloatArray, set_sizes: npt.ArrayLike | None = None) -> float:
    """Agreement beyond that of raters who choose at random among what the unit offers.

    Does not depend on which category dominates, nor on how sets are labelled.

    Args:
        counts: as in the module.
        set_sizes: ``(n_units,)`` options of each unit, where units offer different numbers of
            them (best-worst sets of three and of four): chance is the mean of 1/size over the
            units with two ratings. By default every unit offers all categories.

    Raises:
        NotEstimable: no unit with two ratings (``no_overlap``), or units with a single option
            only (``one_category``).
        InputError: set sizes that do not fit (``out_of_range``).

    Source: Brennan & Prediger (1981), Educational and Psychological Measurement 41, 687-699.

    >>> round(brennan_prediger(np.array([[3, 0, 0, 0], [2, 1, 0, 0.0]])), 4)
    0.5556
    """
    agreement = observed_agreement(counts)
    sizes = np.broadcast_to(
        np.asarray(counts.shape[1] if set_sizes is None else set_sizes, dtype=np.float64),
        len(counts),
    )
    if (sizes < (counts > 0).sum(axis=1)).any() or (sizes < 1).any():
        raise InputError(
            "a unit has more chosen categories than options",
            wanted="set sizes of at least the categories chosen",
            code="out_of_range",
        )
    return _beyond(agreement, float((1.0 / sizes[overlapping(counts)]).mean()))


def _beyond(agreement: float, chance: float) -> float:
    if chance > 1.0 - 1e-12:
        raise NotEstimable(
            "only one category was used, so that agreement beyond chance is undefined",
            code="one_category",
        )
    return (agreement - chance) / (1.0 - chance)
