"""A comparison told in the terminal: verdicts first, then what is missing, then where to look."""

from pathlib import Path

from equipoise.errors import as_word
from equipoise.records.estimate import Comparison
from equipoise.records.notice import Notice, Severity
from equipoise.records.result import Result
from equipoise.records.terms import Terms
from equipoise.records.verdict import Verdict, Word

_NOTICES = 10

_MARKS = {
    Word.BETTER: "+",
    Word.WORSE: "-",
    Word.EQUIVALENT: "=",
    Word.CANNOT_TELL: "?",
    Word.NOT_EVALUABLE: "x",
}


def told(result: Result, out: Path) -> str:
    """Gives the text that `compare` prints."""
    lines: list[str] = []
    pairs = list(zip(result.estimates.comparisons, result.verdicts, strict=True))
    for comparison, verdict in pairs:
        if comparison.family == "headline":
            lines += _headline(comparison, verdict, result)
    cells = [(c, v) for c, v in pairs if c.family == "cells"]
    if cells:
        lines += _cells(cells, result.file.terms)
    lines += _notices(result)
    lines.append("")
    lines.append(f"report   {out / 'report' / 'index.html'}")
    lines.append(f"verify   equipoise verify {as_word(out)}")
    return "\n".join(lines) + "\n"


def _headline(comparison: Comparison, verdict: Verdict, result: Result) -> list[str]:
    terms = result.file.terms
    tags = " ".join(f"[{tag}]" for tag in verdict.tags)
    lines = [
        (
            f"{_MARKS[verdict.word]} {comparison.arm}: {verdict.word.value.upper()} "
            f"{_against(verdict.word)} {comparison.baseline}  {tags}"
        ),
        (
            f"    {terms.criterion} {_number(comparison.mean_base)} -> "
            f"{_number(comparison.mean_new)} ({terms.direction.value} is better), "
            f"{_sample(comparison)}"
        ),
        f"    {verdict.why}",
    ]
    if verdict.needed:
        lines.append(f"    to tell: {verdict.needed}")
    if verdict.survives_missing is False:
        lines.append("    the missing outcomes could change this verdict")
    lines += [
        f"    units: {sets.n_shared:,} in both, {sets.n_only_base:,} only in {sets.baseline}, "
        f"{sets.n_only_new:,} only in {sets.arm}"
        for sets in result.estimates.unit_sets
        if sets.arm == comparison.arm and (sets.n_only_base or sets.n_only_new)
    ]
    for arm in result.estimates.arms:
        lacking = arm.missing.planned - arm.missing.evaluable
        if not arm.cell.label and lacking and arm.arm in (comparison.arm, comparison.baseline):
            why = ", ".join(f"{n:,} {reason}" for reason, n in arm.missing.reasons.items())
            lines.append(
                f"    missing in {arm.arm}: {lacking:,} of {arm.missing.planned:,} ({why})"
            )
    return [*lines, ""]


def _against(word: Word) -> str:
    return {Word.BETTER: "than", Word.WORSE: "than", Word.EQUIVALENT: "to"}.get(word, "against")


def _sample(comparison: Comparison) -> str:
    if comparison.pairing == "unpaired":
        return f"{comparison.n_units_base:,} and {comparison.n_units_new:,} units, unpaired"
    clusters = f" in {comparison.n_clusters:,} clusters" if comparison.n_clusters else ""
    return f"{comparison.n_pairs:,} units in both{clusters}"


def _cells(cells: list[tuple[Comparison, Verdict]], terms: Terms) -> list[str]:
    listed = [(c, v) for c, v in cells if v.is_listed]
    counts = ", ".join(f"{sum(v.word is word for _, v in cells)} {word.value}" for word in Word)
    lines = [f"cells ({cells[0][0].family_size} compared, {cells[0][1].rule}): {counts}"]
    for comparison, verdict in sorted(listed, key=lambda row: _order(row[0], terms)):
        lines.append(
            f"  {_MARKS[verdict.word]} {comparison.arm} {comparison.cell.text}: "
            f"{verdict.word.value}: {verdict.why}"
        )
    return [*lines, ""]


def _order(comparison: Comparison, terms: Terms) -> tuple[float, str]:
    """Sorts by the bound nearest to no change, the surest finding first."""
    if comparison.interval is None or comparison.gain is None:
        return (0.0, comparison.id)
    lo, hi = comparison.interval.lo, comparison.interval.hi
    nearest = lo if (comparison.delta or 0.0) > 0 else -hi
    del terms
    return (-nearest, comparison.id)


def _notices(result: Result) -> list[str]:
    lines = [
        f"declared {check.headline.metric} {_number(check.headline.value)} does not follow: "
        f"{check.note}: {_number(check.from_rows)}"
        for check in result.estimates.headlines
        if check.follows is False
    ]
    notices = result.estimates.notices
    lines += [_told_notice(notice) for notice in notices[:_NOTICES]]
    if len(notices) > _NOTICES:
        lines.append(f"note: {len(notices) - _NOTICES} further notices stand in the report")
    return lines


def _told_notice(notice: Notice) -> str:
    start = {Severity.LOST: "not read", Severity.REFUSED: "refused"}.get(notice.severity, "note")
    is_counted = start != "note" and notice.count > 1
    times = f" ({notice.count:,} times)" if is_counted else ""
    where = f" [{notice.where}]" if notice.where else ""
    return f"{start}: {notice.message}{times}{where}"


def _number(value: float | None) -> str:
    return "not estimable" if value is None else f"{value:.4g}"
