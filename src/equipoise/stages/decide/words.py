"""One comparison to one of five words.

``better``: the interval of the gain lies wholly above the margin; ``worse``: wholly below minus the
margin; ``equivalent``: the equivalence interval lies inside the equivalence band (two one-sided
tests, Schuirmann 1987); ``not evaluable``: what is there cannot be compared; else ``cannot tell``.
"""

from scipy.special import ndtri

from equipoise.records.estimate import Comparison, Interval
from equipoise.records.terms import Direction, Rule, Terms
from equipoise.records.verdict import Word


def word_of(comparison: Comparison, terms: Terms, shift: float = 0.0) -> Word:
    """Gives the word for the comparison.

    Args:
        comparison: what was estimated.
        terms: margins and rule.
        shift: added to the delta and all its limits; shows what missing outcomes could do.
    """
    if comparison.not_estimable:
        lacking = (
            comparison.n_pairs < 1 and min(comparison.n_units_new, comparison.n_units_base) < 1
        )
        return Word.NOT_EVALUABLE if lacking or _is_void(comparison) else Word.CANNOT_TELL
    sided = _by_p_value if _has_no_interval(comparison, terms) else _by_interval
    word = sided(comparison, terms, shift)
    if word is Word.CANNOT_TELL and _is_equivalent(comparison, terms, shift):
        return Word.EQUIVALENT
    return word


def gain_limits(
    interval: Interval, direction: Direction, shift: float = 0.0
) -> tuple[float, float]:
    """Gives the limits of the gain (positive = better) from those of delta = new - base."""
    lo, hi = interval.lo + shift, interval.hi + shift
    return (lo, hi) if direction is Direction.HIGHER else (-hi, -lo)


def lacking_units(comparison: Comparison) -> str:
    """Says which arm has fewer units than the seed rule's n_min; "" where both have enough."""
    sides = (
        (comparison.baseline, comparison.n_units_base, comparison.n_min_base),
        (comparison.arm, comparison.n_units_new, comparison.n_min_new),
    )
    return ", ".join(
        f"{name!r} has {n:,} units of n_min = {least:,}"
        for name, n, least in sides
        if least is not None and n < least
    )


def _is_void(comparison: Comparison) -> bool:
    return comparison.delta is None


def _has_no_interval(comparison: Comparison, terms: Terms) -> bool:
    return terms.rule in (Rule.HOLM, Rule.BH) and comparison.family == "cells"


def _by_interval(comparison: Comparison, terms: Terms, shift: float) -> Word:
    assert comparison.interval is not None
    lo, hi = gain_limits(comparison.interval, terms.direction, shift)
    if terms.rule is Rule.SEED and comparison.family == "cells":
        if lacking_units(comparison):
            return Word.CANNOT_TELL
        literal_lo, literal_hi = _literal_gain(comparison, terms, shift)
        lo, hi = min(lo, literal_lo), max(hi, literal_hi)
    if lo > terms.margin:
        return Word.BETTER
    if hi < -terms.margin:
        return Word.WORSE
    return Word.CANNOT_TELL


def _literal_gain(comparison: Comparison, terms: Terms, shift: float) -> tuple[float, float]:
    """Gives the literal limits delta +- z se of the seed rule, as limits of the gain."""
    assert comparison.delta is not None
    half = (comparison.critical_z or 0.0) * (comparison.se or 0.0)
    literal = Interval(
        lo=comparison.delta - half, hi=comparison.delta + half, level=0.0, method="literal"
    )
    return gain_limits(literal, terms.direction, shift)


def _by_p_value(comparison: Comparison, terms: Terms, shift: float) -> Word:
    p = comparison.adjusted_p
    if p is None or p > 1 - terms.level or comparison.gain is None:
        return Word.CANNOT_TELL
    if shift:
        return _shifted(comparison, terms, shift)
    if comparison.gain > terms.margin:
        return Word.BETTER
    return Word.WORSE if comparison.gain < -terms.margin else Word.CANNOT_TELL


def _shifted(comparison: Comparison, terms: Terms, shift: float) -> Word:
    """Gives the word after a shift, where the rule has p-values but no interval of its own.

    The single interval is widened to Bonferroni's level, which asks more than Holm and
    Benjamini-Hochberg do: a word that stands then stands under them too.
    """
    single = comparison.interval_single
    if single is None or comparison.delta is None:
        return Word.CANNOT_TELL
    alpha = (1 - terms.level) / max(comparison.family_size, 1)
    ratio = float(ndtri(1 - alpha / 2) / ndtri(0.5 + single.level / 2))
    wide = Interval(
        lo=comparison.delta - ratio * (comparison.delta - single.lo),
        hi=comparison.delta + ratio * (single.hi - comparison.delta),
        level=1 - alpha,
        method=single.method,
    )
    lo, hi = gain_limits(wide, terms.direction, shift)
    if lo > terms.margin:
        return Word.BETTER
    return Word.WORSE if hi < -terms.margin else Word.CANNOT_TELL


def _is_equivalent(comparison: Comparison, terms: Terms, shift: float) -> bool:
    if comparison.interval_equivalence is None:
        return False
    lo, hi = gain_limits(comparison.interval_equivalence, terms.direction, shift)
    return -terms.equivalence < lo and hi < terms.equivalence
