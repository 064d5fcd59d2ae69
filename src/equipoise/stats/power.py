"""How many units a comparison needs, and what it can report with a given number of units."""

import math
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from scipy.special import ndtr, ndtri

from equipoise.errors import InputError, NotEstimable
from equipoise.stats.critical import critical_value
from equipoise.stats.inputs import open_unit, positive, units

_LEAST_UNITS = 2
"""Fewer units have no spread, so no minimum may be below it."""


def least_units(spread: str | float, margin: str | float) -> int:
    """The minimum number of units per partition, ``ceil(16 s^2 / mde^2)``, never below 2.

    Computed in exact rational arithmetic on the decimal text of the numbers, since the same
    formula in doubles is one too high on some inputs (s = 0.05, mde = 0.01 gives 401, not 400).
    The 16 is Lehr's 2 (1.96 + 0.84)^2 rounded up: two independent equal arms, one comparison.

    Args:
        spread: standard deviation between units, as text or a number (its shortest decimal form).
        margin: the smallest difference one cares about (``mde``), above 0.

    Raises:
        InputError: a value is no decimal number, ``spread`` is negative or ``margin`` not above 0.

    Source: Lehr (1992), Statistics in Medicine 11, 1099-1102.

    >>> least_units("0.3", "0.05")
    576
    >>> least_units(0.05, 0.01)
    400
    """
    s = exact_number(spread, "s")
    mde = exact_number(margin, "mde")
    if s < 0:
        raise InputError(
            f"s = {spread}", wanted="a standard deviation, 0 or more", where="field 's'"
        )
    if mde <= 0:
        raise InputError(f"mde = {margin}", wanted="a margin above 0", where="field 'mde'")
    return max(_LEAST_UNITS, math.ceil(16 * s * s / (mde * mde)))


def least_units_of(variance: float, margin: str | float) -> int:
    """The minimum number of units where the variance between units was measured, not typed.

    As :func:`least_units`; a measured variance carries the dust of binary fractions, which must
    not add a unit: one part in 10^12 is taken off before rounding up.

    Args:
        variance: variance between units (ddof 1), 0 or more; at 0 the spread after adding one 0
            and one 1 is not known here: give that variance instead.
        margin: the smallest difference one cares about (``mde``), above 0.

    Raises:
        InputError: the margin is no decimal number above 0, or the variance is negative.

    >>> least_units_of(0.5000000000000001, "0.05")
    3200
    """
    if variance < 0:
        raise InputError(f"variance = {variance}", wanted="0 or more", where="field 'variance'")
    mde = exact_number(margin, "mde")
    if mde <= 0:
        raise InputError(f"mde = {margin}", wanted="a margin above 0", where="field 'mde'")
    exact = 16 * Fraction(variance) / (mde * mde)
    return max(_LEAST_UNITS, math.ceil(exact * (1 - Fraction(1, 10**12))))


def exact_number(given: str | float | Decimal, name: str) -> Fraction:
    """A decimal text, or a number by its shortest decimal form, as an exact fraction.

    >>> exact_number("0.1", "mde")
    Fraction(1, 10)
    """
    try:
        number = Decimal(str(given).strip())
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite() or abs(number.adjusted()) > 400:
        raise InputError(f"{name} = {given!r}", wanted="a decimal number", where=f"field '{name}'")
    return Fraction(number)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportDesign:
    """The rule under which a difference is listed, and the spread it meets.

    Attributes:
        sd: standard deviation between units, the larger of the two arms.
        margin: a difference is listed only if its lower bound is above this (``mde``).
        k: number of planned cells; the critical value is 2 + ln(k)/2.
        correlation: of the two arms over matched units; 0 for independent arms.
    """

    sd: float
    margin: float
    k: int = 1
    correlation: float = 0.0

    def se(self, n: float) -> float:
        """Standard error of the difference with ``n`` units in each arm.

        Raises:
            NotEstimable: no spread, or fewer than 2 units.
            InputError: a value outside its range.
        """
        if not -1.0 <= self.correlation <= 1.0:
            raise InputError(
                f"correlation = {self.correlation}",
                wanted="a number from -1 to 1",
                where="field 'correlation'",
            )
        variance = 2.0 * positive(self.sd, "sd", zero=True) ** 2 * (1.0 - self.correlation)
        if variance == 0.0:
            raise NotEstimable(
                "the difference has no spread (sd 0 or correlation 1): a spread of 0 is no "
                "certainty",
                code="degenerate",
            )
        return math.sqrt(variance / units(n))

    @property
    def z(self) -> float:
        """The critical value of the rule."""
        positive(self.margin, "mde", zero=True)
        return critical_value(self.k).z


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """Three numbers that are never mixed up, for one run under the rule in force.

    Attributes:
        margin: the smallest change one cares about.
        reportable: the smallest true change that is listed with the stated power.
        excludable: the largest change that the interval may still allow where nothing is listed.
        power: the stated power.
        is_too_small: ``reportable`` is above three margins: the run is too small to clear anyone.
    """

    margin: float
    reportable: float
    excludable: float
    power: float
    is_too_small: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitsNeeded:
    """A number of units per arm: ``exact`` as the formula gives it, ``n`` rounded up."""

    n: int
    exact: float
    method: str


def report_probability(design: ReportDesign, *, n: float, true_delta: float) -> float:
    """The chance that the report rule lists a cell whose true difference is ``true_delta``.

    ``Phi((delta - mde) / se - z)`` for known spread and normal means.

    Raises:
        InputError: a value outside its range.
        NotEstimable: fewer than 2 units, no spread, or no cell.

    >>> round(report_probability(ReportDesign(sd=0.3, margin=0.05), n=576, true_delta=0.1), 3)
    0.796
    """
    se = design.se(n)
    return float(ndtr((true_delta - design.margin) / se - design.z))


def smallest_reportable(design: ReportDesign, *, n: float, power: float = 0.8) -> float:
    """The smallest true difference that the rule lists with probability ``power``.

    ``mde + (z + z_power) se``; with fewer than 2 units or no spread it does not exist.

    Raises:
        InputError: a value outside its range.
        NotEstimable: fewer than 2 units, no spread, or no cell.

    >>> round(smallest_reportable(ReportDesign(sd=0.3, margin=0.05), n=576), 4)
    0.1002
    """
    quantile = float(ndtri(open_unit(power, "power")))
    return design.margin + (design.z + quantile) * design.se(n)


def units_to_report(design: ReportDesign, *, true_delta: float, power: float = 0.8) -> UnitsNeeded:
    """Units per arm so that the rule lists a true difference with probability ``power``.

    ``2 s^2 (1 - rho) (z + z_power)^2 / (delta - mde)^2``.

    Raises:
        InputError: a value outside its range.
        NotEstimable: the true difference is not above the margin (code ``impossible``): by
            construction no number of units makes the rule list it with a useful probability.

    >>> units_to_report(ReportDesign(sd=0.3, margin=0.05, k=10), true_delta=0.1).n
    1148
    """
    beyond = true_delta - design.margin
    if beyond <= 0.0:
        raise NotEstimable(
            f"a true difference of {true_delta:g} is not above the margin {design.margin:g}: the "
            "rule lists it with probability at most "
            f"{critical_value(design.k).one_sided_p:.3g}, however many units there are",
            code="impossible",
        )
    reach = design.z + float(ndtri(open_unit(power, "power")))
    exact = (reach * design.se(2) / beyond) ** 2 * 2.0 if reach > 0 else 0.0
    return UnitsNeeded(
        n=round_up(exact), exact=exact, method="normal approximation of the report rule"
    )


def reach(se: float, *, margin: float, k: int = 1, power: float = 0.8) -> Reach:
    """What a run with standard error ``se`` can list, and what it cannot exclude.

    ``reportable = mde + (z + z_power) se``; ``excludable = mde + 2 z se``, since a cell that just
    fails to be listed has its lower limit at the margin.

    Args:
        se: standard error of the difference as measured (pairing and clusters inside).
        margin: the smallest change one cares about (``mde``).
        k: number of planned cells.
        power: the stated power.

    Raises:
        InputError: a value outside its range.
        NotEstimable: a standard error of 0 (code ``degenerate``), or no cell.

    >>> r = reach(0.05, margin=0.05)
    >>> round(r.reportable, 3), r.is_too_small
    (0.192, True)
    """
    if positive(se, "se", zero=True) == 0.0:
        raise NotEstimable("a standard error of 0 is no certainty", code="degenerate")
    z = critical_value(k).z
    reportable = positive(margin, "mde", zero=True)
    reportable += (z + float(ndtri(open_unit(power, "power")))) * se
    return Reach(
        margin=margin,
        reportable=reportable,
        excludable=margin + 2.0 * z * se,
        power=power,
        is_too_small=reportable > 3.0 * margin,
    )


def round_up(exact: float) -> int:
    """The whole number of units, at least 2; a rounding error above a whole number is not one.

    Raises:
        NotEstimable: the number is too large to be one (code ``impossible``).

    >>> round_up(581.386), round_up(400.0000000000001)
    (582, 400)
    """
    if not math.isfinite(exact) or exact > 1e15:
        raise NotEstimable(
            f"it would take {exact:.3g} units per arm: no study is that large", code="impossible"
        )
    return max(_LEAST_UNITS, math.ceil(exact * (1.0 - 1e-12)))
