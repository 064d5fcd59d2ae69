"""All verdicts of a comparison: the word, the sentence with the numbers, and what would tell."""

from collections.abc import Mapping

from equipoise.records.estimate import ArmEstimate, CellKey, Comparison
from equipoise.records.result import Estimates
from equipoise.records.terms import Direction, Rule, Terms
from equipoise.records.verdict import Tag, Verdict, Word
from equipoise.stages.decide.words import gain_limits, lacking_units, word_of

Arms = Mapping[tuple[str, CellKey], ArmEstimate]


def decide(
    terms: Terms, estimates: Estimates, *, is_simulated: bool, is_soft: bool
) -> tuple[Verdict, ...]:
    """Gives one verdict per comparison, in the order of the comparisons."""
    arms = {(arm.arm, arm.cell): arm for arm in estimates.arms}
    return tuple(
        _verdict(comparison, terms, arms, is_simulated=is_simulated, is_soft=is_soft)
        for comparison in estimates.comparisons
    )


def _verdict(
    comparison: Comparison, terms: Terms, arms: Arms, *, is_simulated: bool, is_soft: bool
) -> Verdict:
    word = word_of(comparison, terms)
    tags = [Tag.SOFT if is_soft else Tag.MEASURED]
    if word is Word.CANNOT_TELL and _is_underpowered(comparison, terms):
        tags.append(Tag.UNDERPOWERED)
    if is_simulated:
        tags.append(Tag.SIMULATED)
    if not terms.is_sealed:
        tags.append(Tag.EXPLORATORY)
    return Verdict(
        comparison=comparison.id,
        word=word,
        rule=_rule_text(comparison, terms),
        level=comparison.adjusted_level or terms.level,
        why=_why(word, comparison, terms),
        needed=_needed(comparison, terms) if word is Word.CANNOT_TELL else "",
        tags=tuple(tags),
        survives_missing=_survives(word, comparison, terms, arms),
        is_listed=comparison.family == "cells" and word in (Word.BETTER, Word.WORSE),
    )


def _is_underpowered(comparison: Comparison, terms: Terms) -> bool:
    """Whether the runs could not have shown even a change as large as the equivalence band."""
    return comparison.reportable is None or comparison.reportable > terms.equivalence


def _rule_text(comparison: Comparison, terms: Terms) -> str:
    if comparison.family_size <= 1:
        return "single comparison"
    name = {
        Rule.SEED: "z = 2 + ln(k)/2, literal and guarded bound",
        Rule.BONFERRONI: "Bonferroni",
        Rule.MAX_T: "max-T",
        Rule.HOLM: "Holm",
        Rule.BH: "Benjamini-Hochberg (expected share of false lines)",
    }[terms.rule if comparison.family == "cells" else Rule.BONFERRONI]
    return f"{name}, k = {comparison.family_size}"


def _why(word: Word, comparison: Comparison, terms: Terms) -> str:
    if comparison.not_estimable:
        return comparison.not_estimable
    assert comparison.gain is not None
    interval = comparison.interval_equivalence if word is Word.EQUIVALENT else comparison.interval
    if interval is None:
        return (
            f"gain {comparison.gain:+.4g}, adjusted p = {_p(comparison.adjusted_p)} "
            f"against {1 - terms.level:.2g}"
        )
    lo, hi = gain_limits(interval, terms.direction)
    level = f"{100 * interval.level:.6g} %"
    range_text = f"gain {comparison.gain:+.4g}, {level} interval {lo:+.4g} to {hi:+.4g}"
    margin = terms.margin
    reason = {
        Word.BETTER: f"lies above {f'the margin {margin:+g}' if margin else '0'}",
        Word.WORSE: f"lies below {f'the margin {-margin:+g}' if margin else '0'}",
        Word.EQUIVALENT: f"lies inside the equivalence band ±{terms.equivalence:g}",
        Word.CANNOT_TELL: _undecided(comparison, lo, hi, terms),
    }[word]
    return f"{range_text} {reason}"


def _p(p: float | None) -> str:
    return "not estimable" if p is None else f"{p:.3g}"


def _undecided(comparison: Comparison, lo: float, hi: float, terms: Terms) -> str:
    few = lacking_units(comparison)
    if few:
        return f"is not listed, whatever it says: unterbelegt, {few} (16 s²/margin²)"
    sides = []
    if hi > terms.margin:
        sides.append("a gain")
    if lo < -terms.margin:
        sides.append("a loss")
    return f"still allows {' and '.join(sides) or 'too much'} beyond what was asked"


def _needed(comparison: Comparison, terms: Terms) -> str:
    if comparison.n_clusters == 1:
        return (
            "units of at least two clusters; or --no-cluster, where units like these of this one "
            "cluster are all that is asked about"
        )
    if lacking_units(comparison):
        return f"n_min units in both arms: {lacking_units(comparison)}"
    parts = []
    if comparison.units_to_show is not None:
        parts.append(
            f"about {comparison.units_to_show:,} more units would show a difference of this size "
            "(80 % power)"
        )
    if comparison.units_to_equate is not None:
        parts.append(
            f"about {comparison.units_to_equate:,} more would show equivalence within "
            f"±{terms.equivalence:g} if there is none"
        )
    return "; ".join(parts) or "at least two units with an outcome in both arms"


def _survives(word: Word, comparison: Comparison, terms: Terms, arms: Arms) -> bool | None:
    new = arms.get((comparison.arm, comparison.cell))
    base = arms.get((comparison.baseline, comparison.cell))
    lacking = [a for a in (new, base) if a is not None and a.missing.evaluable < a.missing.planned]
    if not lacking or comparison.delta is None:
        return None
    if comparison.worst_lo is None or comparison.worst_hi is None:
        return None
    if word not in (Word.BETTER, Word.WORSE, Word.EQUIVALENT):
        return None
    worst = [comparison.worst_lo, comparison.worst_hi]
    if word is not Word.EQUIVALENT:
        is_low = (word is Word.BETTER) == (terms.direction is Direction.HIGHER)
        worst = [min(worst) if is_low else max(worst)]
    return all(word_of(comparison, terms, w - comparison.delta) is word for w in worst)
