"""The true rate behind a judge's verdicts, from its errors on a labelled sample."""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from equipoise.errors import InputError, NotEstimable


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedRate:
    """A judged rate corrected for the judge's errors.

    Attributes:
        value: corrected rate, cut to 0..1.
        uncut: the same before cutting; outside 0..1 the labelled sample and the judged one do not
            fit together well.
        naive: share of positive verdicts.
        sensitivity: share of true positives that the judge finds.
        specificity: share of true negatives that the judge finds.
        se: delta-method standard error; None where the formula gives 0, which is no certainty.
        low: lower limit.
        high: upper limit.
        level: confidence of the limits.
        n: judged units.
        method: in words.
    """

    value: float
    uncut: float
    naive: float
    sensitivity: float
    specificity: float
    se: float | None
    low: float
    high: float
    level: float
    n: int
    method: str


def corrected_rate(
    positives: int,
    n: int,
    *,
    negatives_right: int,
    n_negatives: int,
    positives_right: int,
    n_positives: int,
    level: float = 0.95,
) -> CorrectedRate:
    """The rate that people would give, from a judge's rate and its errors on labelled units.

    value = (p + q0 - 1)/(q0 + q1 - 1) with specificity q0 and sensitivity q1. The labelled units
    must be like the judged ones, and no unit may be in both samples. The limits take all three
    samples into account, with pseudo-counts, so that they also hold near 0 and 1.

    Args:
        positives: judged positive.
        n: judged.
        negatives_right: truly negative labelled units that the judge calls negative.
        n_negatives: truly negative labelled units.
        positives_right: truly positive labelled units that the judge calls positive.
        n_positives: truly positive labelled units.
        level: confidence of the limits, 0 to 1.

    Raises:
        NotEstimable: no judged unit (``no_units``), no labelled unit of a kind
            (``no_calibration``), or a judge no better than chance, q0 + q1 <= 1
            (``judge_uninformative``).
        InputError: counts or level out of range (``out_of_range``).

    Source: Rogan & Gladen (1978), Am. J. Epidemiology 107, 71-76; Lang & Reiczigel (2014),
    Preventive Veterinary Medicine 113, 13-22, equations 2-4, for the limits; Lee et al.,
    arXiv:2511.21140, for judges.

    >>> found = corrected_rate(640, 1000, negatives_right=90, n_negatives=100,
    ...     positives_right=85, n_positives=100)
    >>> round(found.value, 3), round(found.se, 4), round(found.low, 2), round(found.high, 2)
    (0.72, 0.0414, 0.64, 0.81)
    """
    samples = [(positives, n), (negatives_right, n_negatives), (positives_right, n_positives)]
    if any(not 0 <= part <= whole for part, whole in samples) or not 0.0 < level < 1.0:
        raise InputError(
            f"{', '.join(f'{part} of {whole}' for part, whole in samples)}, level {level}",
            wanted="0 <= part <= whole in each sample and a level between 0 and 1",
            code="out_of_range",
        )
    if n == 0:
        raise NotEstimable("no unit was judged", code="no_units")
    if n_negatives == 0 or n_positives == 0:
        kind = "negative" if n_negatives == 0 else "positive"
        raise NotEstimable(f"no labelled unit is truly {kind}", code="no_calibration")
    p, q0, q1 = (part / whole for part, whole in samples)
    gain = q0 + q1 - 1.0
    if gain <= 1e-12:
        raise NotEstimable(
            f"specificity {q0:.3f} + sensitivity {q1:.3f} is not above 1: the judge is no better "
            "than chance on the labelled units",
            code="judge_uninformative",
        )
    uncut = (p + q0 - 1.0) / gain
    variance = p * (1 - p) / n + (1 - uncut) ** 2 * q0 * (1 - q0) / n_negatives
    variance += uncut**2 * q1 * (1 - q1) / n_positives
    se = float(np.sqrt(variance) / gain)
    low, high = _limits(samples, float(-ndtri((1.0 - level) / 2.0)))
    value = min(1.0, max(0.0, uncut))
    return CorrectedRate(
        value=value,
        uncut=uncut,
        naive=p,
        sensitivity=q1,
        specificity=q0,
        se=se if se > 1e-12 else None,
        low=min(low, value),
        high=max(high, value),
        level=level,
        n=n,
        method="Rogan-Gladen, limits by Lang-Reiczigel",
    )


def _limits(samples: list[tuple[int, int]], z: float) -> tuple[float, float]:
    """Limits with z^2/2 pseudo-successes for the judged rate and 1 of 2 for each error rate."""
    (positives, n), (right0, m0), (right1, m1) = samples
    n_more, m0_more, m1_more = n + z * z, m0 + 2, m1 + 2
    p = (positives + z * z / 2.0) / n_more
    q0, q1 = (right0 + 1.0) / m0_more, (right1 + 1.0) / m1_more
    gain = q0 + q1 - 1.0
    if gain <= 0.0:
        return 0.0, 1.0
    rate = (p + q0 - 1.0) / gain
    error0, error1 = q0 * (1 - q0) / m0_more, q1 * (1 - q1) / m1_more
    shift = 2.0 * z * z * (rate * error1 - (1.0 - rate) * error0)
    variance = p * (1 - p) / n_more + (1 - rate) ** 2 * error0 + rate**2 * error1
    half = z * np.sqrt(variance) / gain
    return (
        float(np.clip(rate + shift - half, 0.0, 1.0)),
        float(np.clip(rate + shift + half, 0.0, 1.0)),
    )
