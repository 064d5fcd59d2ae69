"""Tests on counts: McNemar for matched 0/1 data, Fisher for a 2 x 2 table."""

from dataclasses import dataclass

import numpy as np
from scipy.special import betainc, chdtrc
from scipy.stats import fisher_exact

from equipoise.errors import InputError, NotEstimable
from equipoise.stats.estimates import TestResult
from equipoise.stats.inputs import count

_MOST_IN_TABLE = 100_000_000
"""Beyond it the exact test takes minutes and says no more than an interval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class McNemar:
    """The four forms of McNemar's test on the units that changed.

    Attributes:
        exact: exact two-sided binomial p-value (the one to report with few changes).
        mid: exact p minus half of the probability of the observed table.
        chi2: chi-square statistic without correction, and ``p_chi2``.
        chi2_corrected: with Edwards' continuity correction, and ``p_corrected``.
        n_changed: number of units that differ between the arms.
        n: number of units.
    """

    exact: float
    mid: float
    chi2: float
    p_chi2: float
    chi2_corrected: float
    p_corrected: float
    n_changed: int
    n: int


def mcnemar(n11: float, n12: float, n21: float, n22: float) -> McNemar:
    """McNemar's test that a change is as often a gain as a loss.

    Args:
        n11: units that succeed in both arms.
        n12: units that succeed in the first arm alone.
        n21: units that succeed in the second arm alone.
        n22: units that succeed in neither.

    Raises:
        InputError: a count that is negative or not whole.
        NotEstimable: no unit differs between the arms (code ``no_discordant``): the test has
            nothing to work on. An interval for the difference still exists.

    Source: McNemar (1947), Psychometrika 12, 153-157; mid-p: Fagerland, Lydersen and Laake (2013),
    BMC Medical Research Methodology 13:91.

    >>> round(mcnemar(20, 9, 2, 8).exact, 4)
    0.0654
    """
    cells = [count(v, n) for v, n in ((n11, "n11"), (n12, "n12"), (n21, "n21"), (n22, "n22"))]
    gains, losses = cells[1], cells[2]
    changed = gains + losses
    if changed == 0:
        raise NotEstimable(
            "no unit differs between the arms, so there is nothing to test", code="no_discordant"
        )
    fewer = min(gains, losses)
    tail = _at_most(fewer, changed)
    point = tail - (_at_most(fewer - 1, changed) if fewer else 0.0)
    exact = min(1.0, 2.0 * tail)
    gap = abs(gains - losses)
    chi2, corrected = gap**2 / changed, (gap - min(1, gap)) ** 2 / changed
    return McNemar(
        exact=exact,
        mid=exact - point,
        chi2=chi2,
        p_chi2=float(chdtrc(1, chi2)),
        chi2_corrected=corrected,
        p_corrected=float(chdtrc(1, corrected)),
        n_changed=changed,
        n=sum(cells),
    )


def fisher(a: float, b: float, c: float, d: float) -> TestResult:
    """Fisher's exact two-sided test of the table ((a, b), (c, d)).

    The rows are the arms. The p-value adds all tables with these margins that are no more probable
    than the one found; it is 1 where both arms have nothing but successes, or nothing but failures.

    Raises:
        InputError: a count that is negative or not whole, or more than 1e8 in all.
        NotEstimable: a row without any count (code ``too_few``).

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
    p = float(fisher_exact(np.reshape(cells, (2, 2))).pvalue)
    return TestResult(
        p=min(1.0, p), statistic=float(cells[0]), n=sum(cells), method="Fisher's exact test"
    )


def _at_most(k: int, n: int) -> float:
    """The chance of at most ``k`` heads in ``n`` fair tosses, for k below n."""
    return float(betainc(n - k, k + 1, 0.5))
