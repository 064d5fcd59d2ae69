"""A mean that people would give, from a judge's verdicts on many units and both on a few."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.stats import t

from equipoise.errors import InputError, NotEstimable

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class PoweredMean:
    """A prediction-powered mean.

    Attributes:
        value: the estimate.
        low: lower limit.
        high: upper limit.
        level: confidence.
        se: standard error.
        weight: how far the judge was trusted, 0 (people alone) to 1.
        naive: mean of the judge's verdicts on the units that nobody labelled.
        n_labelled: units that people labelled.
        n_judged: units that only the judge judged.
    """

    value: float
    low: float
    high: float
    level: float
    se: float
    weight: float
    naive: float
    n_labelled: int
    n_judged: int


def powered_mean(
    people: npt.ArrayLike, judge: npt.ArrayLike, judged: npt.ArrayLike, *, level: float = 0.95
) -> PoweredMean:
    """mean(people) + w (mean(judged) - mean(judge)), with the w that makes the error smallest.

    Unbiased whatever the judge is worth, since what the judge says of labelled units is taken off
    again; a judge that tells nothing gets a weight near 0 and people's own mean is left. Limits by
    t with the labelled units less 1, since few of these decide how wide they are.

    Args:
        people: ``(n,)`` what people say of the labelled units.
        judge: ``(n,)`` what the judge says of the same units.
        judged: ``(N,)`` what the judge says of other units like them; no unit in both.
        level: confidence.

    Raises:
        NotEstimable: fewer than two labelled or judged units (``too_few``), or labels without any
            spread (``degenerate``).
        InputError: different lengths (``length_differs``), values that are not finite
            (``not_a_number``) or a level outside (0, 1) (``out_of_range``).

    Source: Angelopoulos, Bates, Fannjiang, Jordan & Zrnic (2023), Prediction-powered inference,
    Science 382, 669-674; Angelopoulos, Duchi & Zrnic (2023), PPI++, arXiv:2311.01453, example 6.1,
    for the weight.

    >>> found = powered_mean([1, 0, 1, 1], [1, 0, 1, 0], [1, 0, 1, 0, 1, 0, 0, 1])
    >>> round(found.value, 3), round(found.weight, 3)
    (0.75, 0.407)
    """
    y, f, rest = (np.asarray(x, dtype=np.float64) for x in (people, judge, judged))
    if y.shape != f.shape or y.ndim != 1 or rest.ndim != 1:
        raise InputError(
            f"labels of shape {y.shape}, verdicts {f.shape}, others {rest.shape}",
            wanted="flat lists, as many labels as verdicts on the same units",
            code="length_differs",
        )
    if not all(np.isfinite(x).all() for x in (y, f, rest)):
        raise InputError("a value is not finite", wanted="numbers", code="not_a_number")
    if not 0.0 < level < 1.0:
        raise InputError(f"level {level}", wanted="between 0 and 1", code="out_of_range")
    n, more = len(y), len(rest)
    if min(n, more) < 2:
        raise NotEstimable(f"{n} labelled and {more} judged units", code="too_few")
    if np.ptp(y) == 0:
        raise NotEstimable("people say the same of every unit", code="degenerate")
    spread = float(np.concatenate([f, rest]).var(ddof=1))
    shared = float(np.cov(y, f)[0, 1])
    weight = 0.0 if spread == 0 else float(np.clip(shared / (spread * (1 + n / more)), 0.0, 1.0))
    variance = float((y - weight * f).var(ddof=1)) / n + weight**2 * float(rest.var(ddof=1)) / more
    if variance <= 0.0:
        raise NotEstimable("the judge repeats people exactly: no spread to see", code="degenerate")
    value = float(y.mean() + weight * (rest.mean() - f.mean()))
    se = float(np.sqrt(variance))
    half = float(t.ppf((1 + level) / 2, n - 1)) * se
    return PoweredMean(
        value=value,
        low=value - half,
        high=value + half,
        level=level,
        se=se,
        weight=weight,
        naive=float(rest.mean()),
        n_labelled=n,
        n_judged=more,
    )
