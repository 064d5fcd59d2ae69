"""McNemar's test: whether a change is as often a gain as a loss, on matched 0/1 outcomes."""

from dataclasses import dataclass

from scipy.special import betainc, chdtrc

from equipoise.errors import NotEstimable
from equipoise.stats.inputs import count


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


def _at_most(k: int, n: int) -> float:
    """The chance of at most ``k`` heads in ``n`` fair tosses, for k below n."""
    return float(betainc(n - k, k + 1, 0.5))
