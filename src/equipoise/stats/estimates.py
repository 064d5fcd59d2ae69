"""The frozen results that the methods give: an interval, an estimate, a test."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A two-sided interval from ``lo`` to ``hi`` at the confidence ``level`` (0.95 is 95 %)."""

    lo: float
    hi: float
    level: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A number with its interval.

    Attributes:
        value: the point estimate.
        interval: where the truth plausibly lies.
        n: how many independent units (or clusters) stand behind it.
        method: the name of the method, fit for print.
        se: standard error; None where the method has none.
        df: degrees of freedom of the quantile; None where a normal quantile or none was used.
        flags: short names of what a reader must know, e.g. ``few_clusters``.
    """

    value: float
    interval: Interval
    n: int
    method: str
    se: float | None = None
    df: float | None = None
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TestResult:
    """A p-value, the statistic it belongs to, and how it was found.

    Attributes:
        p: the p-value; never 0 where it was found by sampling.
        statistic: the value of the test statistic.
        n: how many units carried information.
        method: the name of the method, fit for print.
        smallest_p: the smallest p-value that this number of units could have given; None where
            there is no such floor.
        p_se: standard error of p where it was found by sampling; None where it is exact.
    """

    __test__ = False

    p: float
    statistic: float
    n: int
    method: str
    smallest_p: float | None = None
    p_se: float | None = None
