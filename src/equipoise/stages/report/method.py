"""The method paragraph, put together from what was done, and what a sealed plan would add."""

from dataclasses import dataclass

from equipoise.records.estimate import Comparison
from equipoise.records.terms import Rule
from equipoise.stages.report.numbers import count, counted, percent, plain
from equipoise.stages.report.reading import Reading
from equipoise.stages.report.sentences import better_side, criterion_name
from equipoise.stages.report.sources import works_for
from equipoise.stages.report.text import label

_RULES = {
    Rule.SEED: "the z rule z = 2 + ln(k)/2, with both the literal and the guarded bound beyond the "
    "margin",
    Rule.BONFERRONI: "Bonferroni's correction",
    Rule.MAX_T: "simultaneous max-T intervals that keep the correlation between comparisons",
    Rule.HOLM: "Holm's step-down procedure, which gives decisions but no matching intervals",
    Rule.BH: "the Benjamini-Hochberg procedure, a triage list whose expected share of false lines "
    "is bounded, and not a proof of any single line",
}


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
    pairings = sorted({c.pairing for c in comparisons})
    pairs = sum(c.n_pairs for c in comparisons)
    if pairs:
        total = " and ".join(counted(c.n_pairs, "pair") for c in comparisons)
        text += f" Units were matched by their ids ({'/'.join(map(label, pairings))}: {total})."
    else:
        text += " The arms were compared as independent samples."
    clusters = [c.n_clusters for c in comparisons if c.n_clusters]
    if clusters:
        text += (
            " Units that share a cluster were treated as dependent "
            f"({' and '.join(counted(n, 'cluster') for n in clusters)})."
        )
    return text


def _intervals(reading: Reading) -> list[str]:
    deciding = _names([row.comparison for row in reading.rows], "interval")
    arms = sorted({e.interval.method for e in reading.result.estimates.arms if e.interval})
    told = []
    if arms:
        told.append(f"Intervals of means: {_list(arms)}.")
    if deciding:
        told.append(f"Intervals of differences: {_list(deciding)}.")
    return told


def _words(reading: Reading) -> str:
    terms = reading.terms
    margin = f"the margin {plain(terms.margin)}" if terms.margin else "zero"
    level = 1 - 2 * (1 - terms.level)
    levels = {
        row.comparison.interval_equivalence.level
        for row in reading.rows
        if row.comparison.interval_equivalence
    }
    shown = percent(min(levels)) if len(levels) == 1 else percent(level)
    return (
        f"A change was called better or worse when its interval lay wholly beyond {margin}, and "
        f"the arms equivalent when the {shown} interval lay inside ±{plain(terms.equivalence)} "
        "(two one-sided tests of equivalence, TOST); otherwise the verdict is that the runs "
        "cannot tell."
    )


def _multiplicity(reading: Reading) -> str:
    families = sorted({(r.comparison.family, r.comparison.family_size) for r in reading.rows})
    guarded = [(name, size) for name, size in families if size > 1]
    level = percent(reading.terms.level)
    if not guarded:
        return f"A single comparison was decided at the {level} level."
    told = " and ".join(f"{count(size)} comparisons ({label(name)})" for name, size in guarded)
    rules = sorted({r.verdict.rule for r in reading.rows if r.comparison.family_size > 1})
    return (
        f"Families of {told} were guarded together at the {level} level by "
        f"{_RULES[reading.terms.rule]} (rules applied: {_list(rules)})."
    )


def _missing(reading: Reading) -> str:
    estimates = [e for e in reading.result.estimates.arms if not e.cell.label]
    lacking = sum(e.missing.planned - e.missing.evaluable for e in estimates)
    planned = sum(e.missing.planned for e in estimates)
    limit = percent(reading.terms.max_missing)
    if not lacking:
        return f"No outcome was missing ({counted(planned, 'planned repetition')})."
    return (
        f"{count(lacking)} of {counted(planned, 'planned repetition')} had no outcome; they were "
        "left out of the means, counted per arm, and bounded by worst-case limits; an arm with "
        f"more than {limit} missing would not have been compared."
    )


def _secondary(reading: Reading) -> list[str]:
    tests = sorted({p.test for row in reading.rows for p in row.comparison.p_values})
    told = [f"Tests beside the intervals: {_list(tests)}."] if tests else []
    if any(e.pass_k for e in reading.result.estimates.arms):
        told.append("pass@k and pass^k are unbiased estimates averaged over units.")
    return told


def _origin(reading: Reading) -> str:
    file = reading.result.file
    heads = "; ".join(f"{label(s.name)} {s.head[:16]}" for s in file.sources if s.head)
    seed = f"Resampling used the seed {file.terms.seed}. "
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
        *(p.test for c in comparisons for p in c.p_values),
        *(row.verdict.rule for row in reading.rows),
    ]


def _list(names: list[str]) -> str:
    return "; ".join(label(name, 160) for name in names)
