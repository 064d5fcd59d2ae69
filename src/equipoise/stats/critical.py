"""The critical value of the report rule, ``z = 2 + ln(k)/2`` for k compared cells."""

import math
from dataclasses import dataclass

from scipy.special import ndtr

from equipoise.errors import InputError, NotEstimable


@dataclass(frozen=True, slots=True, kw_only=True)
class CriticalValue:
    """The critical value ``z``, its one-sided level, and the Bonferroni bound on the family."""

    z: float
    one_sided_p: float
    family_error_bound: float
    k: int


def critical_value(k: int) -> CriticalValue:
    """The critical value for ``k`` planned cells, with the error rate it implies.

    ``family_error_bound`` is ``k`` times the one-sided level: an upper bound (at most 1) of the
    chance that any of k cells whose true difference equals the margin is listed.

    Args:
        k: number of compared cells, fixed before looking.

    Raises:
        NotEstimable: ``k`` is 0: nothing was compared.
        InputError: ``k`` is negative.

    >>> round(critical_value(10).z, 3)
    3.151
    """
    if k < 0:
        raise InputError(f"k = {k}", wanted="a number of cells, 1 or more", where="field 'k'")
    if k == 0:
        raise NotEstimable("no cell was compared (k = 0), so there is no critical value", code="k0")
    z = 2.0 + math.log(k) / 2.0
    p = float(ndtr(-z))
    return CriticalValue(z=z, one_sided_p=p, family_error_bound=min(1.0, k * p), k=k)
