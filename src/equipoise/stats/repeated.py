"""Critical values at planned looks: together they have the error that one value has at one look."""

from collections.abc import Sequence

from scipy.special import ndtr, ndtri

from equipoise.stats.sequential import Kind, boundaries


def repeated_critical(
    z: float, looks: int, *, kind: Kind | None, fractions: Sequence[float] | None = None
) -> tuple[float, ...]:
    """The critical value at each look in place of ``z`` at one; limits there may be repeated.

    Args:
        z: two-sided critical value of a single comparison.
        looks: that are planned, the last one included.
        kind: shape of the boundaries; none: the error is shared out evenly (Bonferroni).
        fractions: shares of the units at the looks; equal steps if not given.

    Source: Jennison and Turnbull (1989), Journal of the Royal Statistical Society B 51, 305-361,
    section 2.

    >>> [round(value, 2) for value in repeated_critical(1.96, 4, kind="obrien_fleming")]
    [4.05, 2.86, 2.34, 2.02]
    """
    if looks == 1:
        return (z,)
    alpha = 2.0 * float(ndtr(-z))
    if kind is None:
        return (-float(ndtri(alpha / (2.0 * looks))),) * looks
    return boundaries(looks, kind=kind, alpha=alpha, fractions=fractions).z
