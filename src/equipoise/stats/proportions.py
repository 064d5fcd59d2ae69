"""Intervals for one proportion: Wilson, Clopper-Pearson and Jeffreys."""

from scipy.special import betaincinv

from equipoise.stats.estimates import Estimate, Interval
from equipoise.stats.inputs import confidence, count, normal_quantile, units
from equipoise.stats.intervals import wilson_limits


def wilson(x: float, n: float, *, level: float = 0.95) -> Estimate:
    """The Wilson score interval for ``x`` successes in ``n`` trials.

    Never of zero width: 0 of 20 gives an upper end of 0.161.

    Raises:
        InputError: ``x`` or ``n`` is no count, ``x`` above ``n``, or the level is not in (0, 1).
        NotEstimable: ``n`` is 0.

    Source: Wilson (1927), JASA 22, 209-212; no continuity correction.

    >>> round(wilson(0, 20).interval.hi, 3)
    0.161
    """
    successes, trials = _checked(x, n)
    share = successes / trials
    lo, hi = wilson_limits(share, trials, normal_quantile(level))
    return _estimate(share, (float(lo), float(hi)), trials, level, "Wilson score interval")


def clopper_pearson(x: float, n: float, *, level: float = 0.95) -> Estimate:
    """The exact Clopper-Pearson interval: coverage never below the level, often above.

    Raises:
        InputError: as :func:`wilson`.
        NotEstimable: ``n`` is 0.

    Source: Clopper and Pearson (1934), Biometrika 26, 404-413.

    >>> round(clopper_pearson(13, 13).interval.lo, 4)
    0.7529
    """
    successes, trials = _checked(x, n)
    tail = (1.0 - confidence(level)) / 2.0
    failures = trials - successes
    lo = 0.0 if successes == 0 else float(betaincinv(successes, failures + 1, tail))
    hi = 1.0 if failures == 0 else float(1.0 - betaincinv(failures, successes + 1, tail))
    return _estimate(successes / trials, (lo, hi), trials, level, "Clopper-Pearson interval")


def jeffreys(x: float, n: float, *, level: float = 0.95) -> Estimate:
    """The Jeffreys interval: equal tails of Beta(x + 1/2, n - x + 1/2), ends 0 and 1 at the edges.

    Raises:
        InputError: as :func:`wilson`.
        NotEstimable: ``n`` is 0.

    Source: Brown, Cai and DasGupta (2001), Statistical Science 16, 101-133, section 3.1.3.

    >>> round(jeffreys(0, 20).interval.hi, 4)
    0.1166
    """
    successes, trials = _checked(x, n)
    tail = (1.0 - confidence(level)) / 2.0
    failures = trials - successes
    lo = 0.0 if successes == 0 else float(betaincinv(successes + 0.5, failures + 0.5, tail))
    hi = 1.0 if failures == 0 else float(1.0 - betaincinv(failures + 0.5, successes + 0.5, tail))
    return _estimate(successes / trials, (lo, hi), trials, level, "Jeffreys interval")


def _checked(x: float, n: float) -> tuple[int, int]:
    trials = units(n, least=1)
    return count(x, "x", most=trials), trials


def _estimate(
    value: float, ends: tuple[float, float], n: int, level: float, method: str
) -> Estimate:
    return Estimate(
        value=value, interval=Interval(lo=ends[0], hi=ends[1], level=level), n=n, method=method
    )
