"""The method paragraph, put together from what was done, and what a sealed plan would add."""

from dataclasses import dataclass

from equipoise.records.counted import counted
from equipoise.records.estimate import Comparison
from equipoise.stages.report.numbers import count, percent, plain
from equipoise.stages.report.reading import Reading
from equipoise.stages.report.sentences import better_side, criterion_name, is_paired
from equipoise.stages.report.sources import works_for
from equipoise.stages.report.text import label

_RULES = {
    "z = 2": "were decided by the z rule z = 2 + ln(k)/2 (z = {z} here), with both the literal and "
    "the guarded bound beyond the margin",
    "Bonferroni": "were guarded together at the {level} level by Bonferroni's correction",
    "max-T": "were guarded together at the {level} level by simultaneous max-T intervals, which "
    "keep the correlation between comparisons",
    "Holm": "were guarded together at the {level} level by Holm's step-down procedure on p-values, "
    "which gives decisions but no matching intervals",
    "Benjamini": "were sorted out by the Benjamini-Hochberg procedure on p-values: a triage list "
    "in which the expected share of false lines is at most {alpha}, and no proof of a single line",
}
"""The word that names a rule in a verdict -> the rule in a sentence."""

_METHODS = {
    "guarded t": "Student's t, widened on the side to which the units are skewed and where a rare "
    "opposite outcome may have gone unseen, by Wilson's argument",
    "MOVER": "limits of the difference recovered from the limits of each arm",
    "quasi-Wilson": "Wilson limits at the effective number of units",
    "CR2": "cluster-robust errors with Satterthwaite's degrees of freedom",
    "repetition noise": "only the noise between repetitions of a unit counts",
}
"""A part of a method's name -> what it does."""

_FAMILIES = {"cells": "inside partitions", "headline": "over all units"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """The paragraph, its sources, and what a sealed plan would have needed (none when sealed)."""

    paragraph: str
    works: tuple[str, ...]
    sealing: tuple[str, ...]


def method_of(reading: Reading) -> Method:
    """Gives the method paragraph of the comparison, ready to paste into a paper."""
    sentences = [
        _question(reading),
        _sample(reading),
        *_intervals(reading),
        _words(reading),
        _multiplicity(reading),
        _missing(reading),
        *_secondary(reading),
        _origin(reading),
    ]
    paragraph = " ".join(sentence for sentence in sentences if sentence)
    return Method(
        paragraph=paragraph,
        works=works_for([paragraph, *_method_names(reading)]),
        sealing=_sealing(reading) if reading.is_exploratory else (),
    )


def _question(reading: Reading) -> str:
    terms = reading.terms
    arms = ", ".join(label(arm) for arm in terms.arms)
    kept = ", ".join(f"{label(k)}={label(v)}" for k, v in sorted(terms.where.items()))
    return (
        f"We compared {arms} with the baseline {label(terms.baseline)} on "
        f"{criterion_name(terms)} ({better_side(terms)})"
        f"{f', restricted to units with {kept}' if kept else ''}."
    )


def _sample(reading: Reading) -> str:
    comparisons = [row.comparison for row in reading.headlines]
    if not comparisons:
        return "No comparison over all units was made."
    parts = ["The unit was the sample: repetitions were averaged within a unit first"]
    if any(e.n_attempts_beyond_first for e in reading.result.estimates.arms):
        parts.append("and further attempts at the same repetition were not counted")
    text = " ".join(parts) + "."
    pairs = [counted(c.n_pairs, "pair") for c in comparisons if is_paired(c)]
    if pairs:
        text += f" Units were matched by their ids ({', '.join(pairs)})."
    if len(pairs) < len(comparisons):
        alone = [label(c.arm) for c in comparisons if not is_paired(c)]
        text += f" {', '.join(alone)} and the baseline were compared as independent samples."
    clusters = [c.n_clusters for c in comparisons if c.n_clusters]
    if clusters:
        text += (
            " Units that share a cluster were treated as dependent "
            f"({' and '.join(counted(n, 'cluster') for n in clusters)})."
        )
    return text


def _intervals(reading: Reading) -> list[str]:
    comparisons = [row.comparison for row in reading.rows]
    arms = sorted({e.interval.method for e in reading.result.estimates.arms if e.interval})
    differences = _names(comparisons, "interval")
    if arms == differences:
        subjects = [("of means and differences", arms)]
    else:
        subjects = [("of means", arms), ("of differences", differences)]
    subjects.append(("for this very set of units", _names(comparisons, "fixed_interval")))
    told = [f"Intervals {what} are by {'; '.join(names)}." for what, names in subjects if names]
    named = " ".join(told)
    meanings = [f"{name} means {says}" for name, says in _METHODS.items() if name in named]
    return [label(named, 800), f"Here {'; '.join(meanings)}." if meanings else ""]


def _words(reading: Reading) -> str:
    terms = reading.terms
    margin = f"the margin {plain(terms.margin)}" if terms.margin else "zero"
    levels = {
        row.comparison.interval_equivalence.level
        for row in reading.rows
        if row.comparison.interval_equivalence
    } or {1 - 2 * (1 - terms.level)}
    shown = " or ".join(percent(level) for level in sorted(levels))
    has_p_only = any(r.is_finding and r.comparison.interval is None for r in reading.rows)
    by_p = (
        f" (inside partitions: when its adjusted p-value was at most {plain(1 - terms.level)} and "
        f"the difference beyond {margin})"
        if has_p_only
        else ""
    )
    return (
        f"A change was called better or worse when its interval lay wholly beyond {margin}{by_p}, "
        "and "
        f"the arms equivalent when the {shown} interval lay inside ±{plain(terms.equivalence)} "
        "(two one-sided tests of equivalence, TOST); otherwise the runs cannot tell."
    )


def _multiplicity(reading: Reading) -> str:
    level = percent(reading.terms.level)
    families = sorted(
        {
            (row.comparison.family, row.comparison.family_size, row.verdict.rule)
            for row in reading.rows
            if row.comparison.family_size > 1
        }
    )
    if not families:
        return f"Each comparison was decided by itself at the {level} level."
    told = [
        f"The {count(size)} comparisons {_FAMILIES.get(name, label(name))} {_rule(reading, rule)}."
        for name, size, rule in families
    ]
    return " ".join(told)


def _rule(reading: Reading, rule: str) -> str:
    told = next((says for name, says in _RULES.items() if name in rule), "")
    if not told:
        return f"were guarded together by {label(rule, 160)}"
    critical = {r.comparison.critical_z for r in reading.rows if r.verdict.rule == rule} - {None}
    return told.format(
        z=" or ".join(f"{z:.2f}" for z in sorted(z for z in critical if z is not None)) or "larger",
        level=percent(reading.terms.level),
        alpha=percent(1 - reading.terms.level),
    )


def _missing(reading: Reading) -> str:
    estimates = [e for e in reading.result.estimates.arms if not e.cell.label]
    lacking = sum(e.missing.planned - e.missing.evaluable for e in estimates)
    planned = sum(e.missing.planned for e in estimates)
    limit = percent(reading.terms.max_missing)
    if not planned:
        return "Whether outcomes were missing was not recorded."
    if not lacking:
        return f"No outcome was missing ({counted(planned, 'planned repetition')})."
    return (
        f"{count(lacking)} of {counted(planned, 'planned repetition')} had no outcome; they were "
        "left out of the means, counted per arm, and bounded by worst-case limits; an arm with "
        f"more than {limit} missing would not have been compared."
    )


def _secondary(reading: Reading) -> list[str]:
    tests = sorted({p.test for row in reading.rows for p in row.comparison.p_values})
    told = (
        [f"Tests beside the intervals: {'; '.join(label(t, 160) for t in tests)}."] if tests else []
    )
    if any(e.pass_k for e in reading.result.estimates.arms):
        told.append("pass@k and pass^k are unbiased estimates averaged over units.")
    return told


def _origin(reading: Reading) -> str:
    file = reading.result.file
    heads = "; ".join(f"{label(s.name)} {label(s.head[:16])}" for s in file.sources if s.head)
    resampled = ("max-T", "sign-flip", "bootstrap")
    is_resampled = any(word in name for name in _method_names(reading) for word in resampled)
    seed = f"Resampling used the seed {file.terms.seed}. " if is_resampled else ""
    cited = f" from archives with heads {heads}" if heads else ""
    return f"{seed}Computed with Equipoise {label(file.tool_version)}{cited}."


def _sealing(reading: Reading) -> tuple[str, ...]:
    terms = reading.terms
    chosen = (
        (
            "the units and how many of them, from the spread between units and the change worth "
            "finding"
        ),
        f"the criterion and its direction: {criterion_name(terms)}, {better_side(terms)}",
        (
            f"the margin of superiority ({plain(terms.margin)} here) and the equivalence band "
            f"(±{plain(terms.equivalence)} here)"
        ),
        (
            f"the partitions whose cells are compared ({_partitions(reading)}) and so the size of "
            "the family"
        ),
        f"the multiplicity rule ({terms.rule} here) and its level ({percent(terms.level)} here)",
        (
            f"how missing outcomes are treated (arms with more than {percent(terms.max_missing)} "
            "missing are not compared here)"
        ),
        "how many looks at the data are taken, and when the runs stop",
    )
    defaulted = ", ".join(label(name) for name in terms.defaulted)
    note = (f"Nobody chose these terms, they are defaults: {defaulted}.",) if defaulted else ()
    return (*chosen, *note)


def _partitions(reading: Reading) -> str:
    return ", ".join(label(p) for p in reading.terms.partitions) or "none here"


def _names(comparisons: list[Comparison], which: str) -> list[str]:
    intervals = [getattr(comparison, which) for comparison in comparisons]
    return sorted({interval.method for interval in intervals if interval})


def _method_names(reading: Reading) -> list[str]:
    comparisons = [row.comparison for row in reading.rows]
    return [
        *_names(comparisons, "interval"),
        *_names(comparisons, "interval_equivalence"),
        *_names(comparisons, "fixed_interval"),
        *(p.test for c in comparisons for p in c.p_values),
        *(row.verdict.rule for row in reading.rows),
    ]
