"""Showing that a difference is small: two one-sided tests, sizes, non-inferiority."""

import math
from dataclasses import dataclass

from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri, stdtr

from equipoise.errors import InputError, NotEstimable
from equipoise.stats.differences import MeanAndSe, paired_mean, welch_mean
from equipoise.stats.estimates import Interval
from equipoise.stats.inputs import open_unit, positive
from equipoise.stats.intervals import t_quantile
from equipoise.stats.power import UnitsNeeded, round_up
from equipoise.stats.proportion_differences import TwoShares, newcombe


@dataclass(frozen=True, slots=True, kw_only=True)
class Equivalence:
    """Two one-sided tests that the difference lies inside +-margin.

    Attributes:
        delta: new minus base.
        p_lower: p-value against a difference at or below -margin.
        p_upper: p-value against a difference at or above +margin.
        p: the larger of the two.
        interval: at level 1 - 2 alpha; inside +-margin exactly where ``equivalent``.
        margin: the registered margin.
        equivalent: ``p`` is below alpha.
        n: units (of the smaller arm).
        method: name of the method.
    """

    delta: float
    p_lower: float
    p_upper: float
    p: float
    interval: Interval
    margin: float
    equivalent: bool
    n: int
    method: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NonInferiority:
    """Whether new is worse than base by less than the margin (a larger share is better)."""

    delta: float
    interval: Interval
    margin: float
    non_inferior: bool
    n: int
    method: str


def tost_paired(
    new: ArrayLike, base: ArrayLike, *, margin: float, alpha: float = 0.05
) -> Equivalence:
    """Two one-sided paired t tests.

    Raises:
        InputError: a margin not above 0, alpha not in (0, 0.5), unequal lengths, NaN.
        NotEstimable: fewer than 2 pairs, or all differences equal (code ``degenerate``).

    Source: Schuirmann (1987), Journal of Pharmacokinetics and Biopharmaceutics 15, 657-680.

    >>> tost_paired([0.5, 0.6, 0.4, 0.7], [0.5, 0.61, 0.41, 0.69], margin=0.1).equivalent
    True
    """
    return _two_tests(paired_mean(new, base), margin, alpha, "TOST, paired t")


def tost_welch(
    new: ArrayLike, base: ArrayLike, *, margin: float, alpha: float = 0.05
) -> Equivalence:
    """Two one-sided Welch t tests for independent samples.

    Raises:
        InputError: a margin not above 0, alpha not in (0, 0.5), NaN.
        NotEstimable: fewer than 2 units in an arm, or both arms constant (code ``degenerate``).

    >>> tost_welch([0.5, 0.6, 0.4], [0.4, 0.6, 0.6], margin=0.05).equivalent
    False
    """
    return _two_tests(welch_mean(new, base), margin, alpha, "TOST, Welch t")


def equivalence_probability(
    sd: float, *, n: float, margin: float, true_delta: float = 0.0, alpha: float = 0.05
) -> float:
    """The chance that two one-sided tests show equivalence, by the normal approximation.

    ``Phi((m - d) / se - z) + Phi((m + d) / se - z) - 1`` with ``se = sd / sqrt(n)``, not below 0.

    Raises:
        InputError: a value outside its range.

    >>> round(equivalence_probability(0.3, n=78, margin=0.1), 3)
    0.806
    """
    z = -float(ndtri(_one_sided(alpha)))
    se = positive(sd, "sd") / math.sqrt(positive(n, "n"))
    both = float(ndtr((margin - true_delta) / se - z) + ndtr((margin + true_delta) / se - z))
    return max(0.0, both - 1.0)


def equivalence_units(
    sd: float, *, margin: float, power: float = 0.8, true_delta: float = 0.0, alpha: float = 0.05
) -> UnitsNeeded:
    """Matched units so that equivalence is shown with probability ``power``.

    With a true difference of 0: ``(z_{1-alpha} + z_{(1+power)/2})^2 sd^2 / margin^2``.

    Args:
        sd: standard deviation of the differences of matched units.
        margin: the equivalence margin.
        power: wanted probability.
        true_delta: assumed true difference.
        alpha: level of each one-sided test.

    Raises:
        InputError: a value outside its range.
        NotEstimable: the true difference is not inside the margin (code ``impossible``), or the
            spread is 0 (code ``degenerate``).

    >>> equivalence_units(0.3, margin=0.1).n
    78
    """
    wanted, z = open_unit(power, "power"), -float(ndtri(_one_sided(alpha)))
    inside = positive(margin, "margin") - abs(true_delta)
    if inside <= 0.0:
        raise NotEstimable(
            f"a true difference of {true_delta:g} is not inside +-{margin:g}: no number of units "
            "shows equivalence",
            code="impossible",
        )
    if positive(sd, "sd", zero=True) == 0.0:
        raise NotEstimable("the differences have no spread", code="degenerate")
    least = ((z + float(ndtri(wanted))) * sd / inside) ** 2
    exact = ((z + float(ndtri((1.0 + wanted) / 2.0))) * sd / margin) ** 2
    if true_delta != 0.0:
        most = ((z + float(ndtri((1.0 + wanted) / 2.0))) * sd / inside) ** 2

        def short(n: float) -> float:
            reached = equivalence_probability(
                sd, n=n, margin=margin, true_delta=true_delta, alpha=alpha
            )
            return reached - wanted

        exact = float(brentq(short, least * (1 - 1e-9), most * (1 + 1e-9), rtol=1e-13))
    return UnitsNeeded(n=round_up(exact), exact=exact, method="normal approximation of TOST")


def noninferiority_shares(
    new: tuple[float, float], base: tuple[float, float], *, margin: float, alpha: float = 0.05
) -> NonInferiority:
    """Whether the share of successes in the new arm is lower by less than ``margin``.

    Newcombe's interval at level 1 - 2 alpha; non-inferior where its lower end is above -margin.

    Args:
        new: successes and trials of the new arm.
        base: successes and trials of the base arm.
        margin: the largest loss that is accepted, above 0.
        alpha: one-sided level.

    Raises:
        InputError: a count or a margin outside its range.
        NotEstimable: an arm without trials.

    >>> noninferiority_shares((1700, 2000), (1720, 2000), margin=0.05).non_inferior
    True
    """
    positive(margin, "margin")
    estimate = newcombe(TwoShares.of(*new, *base), level=1.0 - 2.0 * _one_sided(alpha))
    return NonInferiority(
        delta=estimate.value,
        interval=estimate.interval,
        margin=margin,
        non_inferior=estimate.interval.lo > -margin,
        n=estimate.n,
        method=f"{estimate.method}, one-sided",
    )


def _two_tests(mean: MeanAndSe, margin: float, alpha: float, method: str) -> Equivalence:
    positive(margin, "margin")
    level = 1.0 - 2.0 * _one_sided(alpha)
    p_lower = float(stdtr(mean.df, -(mean.value + margin) / mean.se))
    p_upper = float(stdtr(mean.df, (mean.value - margin) / mean.se))
    half = t_quantile(level, mean.df) * mean.se
    return Equivalence(
        delta=mean.value,
        p_lower=p_lower,
        p_upper=p_upper,
        p=max(p_lower, p_upper),
        interval=Interval(lo=mean.value - half, hi=mean.value + half, level=level),
        margin=margin,
        equivalent=max(p_lower, p_upper) < alpha,
        n=mean.n,
        method=method,
    )


def _one_sided(alpha: float) -> float:
    if not 0.0 < alpha < 0.5:
        raise InputError(
            f"alpha = {alpha}", wanted="a one-sided level between 0 and 0.5", where="field 'alpha'"
        )
    return alpha
