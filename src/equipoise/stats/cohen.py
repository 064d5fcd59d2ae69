"""Cohen's kappa of two raters, plain or weighted, with its standard error."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from equipoise.errors import InputError, NotEstimable
from equipoise.stats.agreement import FloatArray, Label, sorted_labels

Weights = Literal["none", "linear", "quadratic"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CohenKappa:
    """Kappa with what it is made of.

    Attributes:
        value: kappa, at most 1.
        se: asymptotic standard error; None where the formula gives 0 (perfect agreement), which
            is no certainty.
        agreement: share of equal ratings, whatever the weights.
        chance: (weighted) agreement expected from the two raters' shares.
        n: rated units.
    """

    value: float
    se: float | None
    agreement: float
    chance: float
    n: float


def cross_table(
    a: Sequence[Label | None], b: Sequence[Label | None], *, labels: Sequence[Label] | None = None
) -> tuple[tuple[Label, ...], FloatArray]:
    """The labels in order and how often each pair of them was given, rows for ``a``.

    Units that one of them did not rate are left out; the table's sum says how many are left.

    Args:
        a: ratings of the first rater, None where there is none.
        b: ratings of the second, of the same units in the same order.
        labels: all labels in their order; by default those used, sorted.

    Raises:
        NotEstimable: no unit was rated by both (``no_units``).
        InputError: different lengths (``length_differs``), numbers and texts mixed
            (``mixed_labels``), a label not in ``labels`` (``unknown_label``), or, without
            ``labels``, raters of whom each uses a label that the other never does
            (``label_sets_differ``): often one of them was coded otherwise.

    >>> cross_table(["y", "n"], ["y", "y"])[1].tolist()
    [[0.0, 1.0], [0.0, 1.0]]
    """
    if len(a) != len(b):
        raise InputError(
            f"{len(a)} and {len(b)} ratings", wanted="as many from both", code="length_differs"
        )
    pairs = [(x, y) for x, y in zip(a, b, strict=True) if x is not None and y is not None]
    if not pairs:
        raise NotEstimable("no unit was rated by both", code="no_units")
    used_a, used_b = {x for x, _ in pairs}, {y for _, y in pairs}
    order = sorted_labels(used_a | used_b) if labels is None else tuple(labels)
    if labels is None and used_a - used_b and used_b - used_a:
        raise InputError(
            f"only the first rater uses {sorted(used_a - used_b, key=str)}, "
            f"only the second {sorted(used_b - used_a, key=str)}",
            wanted="both raters to use one set of labels",
            mend="recode one of them, or declare all labels",
            code="label_sets_differ",
        )
    place = {label: index for index, label in enumerate(order)}
    if strangers := sorted((used_a | used_b) - place.keys(), key=str):
        raise InputError(
            f"labels {strangers} are not declared", wanted=f"{list(order)}", code="unknown_label"
        )
    table = np.zeros((len(order), len(order)))
    np.add.at(table, ([place[x] for x, _ in pairs], [place[y] for _, y in pairs]), 1.0)
    return order, table


def cohen_kappa(table: npt.ArrayLike, *, weights: Weights = "none") -> CohenKappa:
    """Kappa of a square table of counts, rows for one rater and columns for the other.

    Show ``agreement`` beside it: kappa is 0 with 90 % agreement where one label dominates.

    Args:
        table: ``(k, k)`` counts; the labels in the same order on both sides, and in their natural
            order for weighted kappa.
        weights: ``linear`` or ``quadratic`` give credit by the distance of positions in the order.

    Raises:
        NotEstimable: both raters used one and the same label only (``one_category``), or an empty
            table (``no_units``).
        InputError: no square table of counts (``table``) or unknown weights (``unknown_weights``).

    Source: Cohen (1960), Educational and Psychological Measurement 20, 37-46; Cohen (1968),
    Psychological Bulletin 70, 213-220, for weights; Fleiss, Cohen & Everitt (1969), Psychological
    Bulletin 72, 323-327, equation 8, for the standard error.

    >>> round(cohen_kappa([[20, 5], [10, 15]]).value, 6)
    0.4
    """
    counts = _square(table)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or (counts < 0).any():
        raise InputError(
            f"a table of shape {counts.shape}", wanted="a square table of counts", code="table"
        )
    if weights not in get_args(Weights):
        raise InputError(
            f"weights {weights!r}", wanted=f"one of {get_args(Weights)}", code="unknown_weights"
        )
    if not (n := float(counts.sum())):
        raise NotEstimable("no unit was rated by both", code="no_units")
    share, credit = counts / n, _credit(len(counts), weights)
    rows, columns = share.sum(axis=1), share.sum(axis=0)
    seen, chance = float((share * credit).sum()), float(rows @ credit @ columns)
    if chance > 1.0 - 1e-12:
        raise NotEstimable(
            "both raters used one and the same label only, so that kappa is undefined",
            code="one_category",
        )
    kappa = (seen - chance) / (1.0 - chance)
    expected_credit = (credit @ columns)[:, None] + (rows @ credit)[None, :]
    spread = (share * (credit - expected_credit * (1.0 - kappa)) ** 2).sum()
    spread -= (kappa - chance * (1.0 - kappa)) ** 2
    se = float(np.sqrt(max(spread, 0.0) / n) / (1.0 - chance))
    return CohenKappa(
        value=kappa,
        se=se if se > 1e-9 else None,
        agreement=float(np.trace(share)),
        chance=chance,
        n=n,
    )


def _square(table: npt.ArrayLike) -> FloatArray:
    try:
        return np.asarray(table, dtype=np.float64)
    except ValueError as error:
        raise InputError(
            "rows of different lengths", wanted="a square table of counts", code="table"
        ) from error


def _credit(k: int, weights: Weights) -> FloatArray:
    if weights == "none" or k == 1:
        return np.eye(k)
    place = np.arange(k) / (k - 1)
    gap = np.abs(place[:, None] - place)
    return np.asarray(1.0 - (gap if weights == "linear" else gap**2))
