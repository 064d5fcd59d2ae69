"""Fisher's exact test on the counts of a 2 x 2 table."""

import numpy as np

from equipoise.errors import InputError, NotEstimable
from equipoise.stats.estimates import TestResult
from equipoise.stats.inputs import count

_MOST_IN_TABLE = 100_000_000
"""Beyond it the exact test takes minutes and says no more than an interval."""


def fisher(a: float, b: float, c: float, d: float) -> TestResult:
    """Fisher's exact two-sided test of the table ((a, b), (c, d)).

    The rows are the arms. The p-value adds all tables with these margins that are no more probable
    than the one found; it is 1 where both arms have nothing but successes, or nothing but failures.

    Raises:
        InputError: a count that is negative or not whole, or more than 1e8 in all.
        NotEstimable: a row without any count (code ``too_few``).

    Source: Fisher (1935), The Design of Experiments, section 21.

    >>> round(fisher(8, 5, 2, 11).p, 4)
    0.0414
    """
    cells = [count(v, n) for v, n in ((a, "a"), (b, "b"), (c, "c"), (d, "d"))]
    if 0 in (cells[0] + cells[1], cells[2] + cells[3]):
        raise NotEstimable("a row of the table (an arm) is empty", code="too_few")
    if sum(cells) > _MOST_IN_TABLE:
        raise InputError(
            f"a table of {sum(cells):g}",
            wanted=f"at most {_MOST_IN_TABLE:g} in all for an exact test",
            mend="use interval.diff_proportions",
            code="outside_range",
        )
    # it takes longer to load than a comparison of thousands of trials, and few ask for it
    from scipy.stats import fisher_exact  # noqa: PLC0415  as said above

    p = float(fisher_exact(np.reshape(cells, (2, 2))).pvalue)
    return TestResult(
        p=min(1.0, p), statistic=float(cells[0]), n=sum(cells), method="Fisher's exact test"
    )
