"""A loss comparison told in the terminal: the verdict, what is listed, and where to look."""

from pathlib import Path

from equipoise.errors import as_word
from equipoise.pipeline.study_files import PLAN
from equipoise.records.suite import LossComparison, LossRow, Suite
from equipoise.stages.report.text import quoted
from equipoise.studies.loss.comparing import Compared

_MARKS = {"better": "+", "worse": "-", "equivalent": "=", "cannot tell": "?", "not evaluable": "x"}
_MOST = 10
_QUOTED = 80


def verified_by(folder: Path) -> str:
    """Gives what checks the comparison in a folder, or why nothing does where it stands."""
    home = folder.parent.parent
    if home.joinpath(PLAN).is_file():
        return f"equipoise verify {as_word(home)}"
    return "not here: this copy stands outside its study; leave --out away for one that is checked"


def told(found: Compared, folder: Path) -> str:
    """Gives the text that `compare` prints about two runs of a loss study."""
    comparison = found.comparison
    word = f"{comparison.verdict.upper()} against {comparison.base_arm}"
    tags = " ".join(f"[{tag}]" for tag in comparison.tags)
    lines = [
        f"{_MARKS[comparison.verdict]} {comparison.new_arm}: {word}  {tags}",
        f"    {comparison.why}",
    ]
    if comparison.needed:
        lines.append(f"    to tell: {comparison.needed}")
    lines += ["", *(_suite(suite) for suite in (found.base, found.new)), ""]
    lines += _errors(found)
    lines += _rows(comparison)
    lines += [f"note: {note}" for note in (*comparison.notes, *found.new.notes)]
    lines += [
        "",
        f"report   {folder / 'report' / 'index.html'}",
        f"files    {folder / 'TOP-REGRESSIONS.md'}",
        f"verify   {verified_by(folder)}",
    ]
    return "\n".join(lines) + "\n"


def _suite(suite: Suite) -> str:
    score = "no score" if suite.suite_score is None else f"loss {suite.suite_score:.4f}"
    return (
        f"{suite.arm}: {score}, completed {suite.completion_rate:.1%}, coverage "
        f"{suite.coverage:.1%}, weight scored {suite.covered_weight:.0%} ({suite.run_id})"
    )


def _errors(found: Compared) -> list[str]:
    return [
        f"harness, {suite.arm}: {times:,} × {what}"
        for suite in (found.base, found.new)
        for what, times in list(suite.harness_errors.items())[:_MOST]
    ]


def _rows(comparison: LossComparison) -> list[str]:
    worse = [row for row in comparison.rows if row.is_listed and not row.is_improvement]
    better = [row for row in comparison.rows if row.is_listed and row.is_improvement]
    unproven = [row for row in comparison.rows if row.failed == ("citation",)]
    few = [row for row in comparison.rows if row.status == "unterbelegt"]
    lines = []
    look = comparison.look
    if look is not None and look.word:
        lines.append(
            f"stopped early: {look.n_executed:,} of {look.n_planned:,} runs executed, "
            f"{comparison.n_saved:,} saved ({comparison.n_saved_base:,} of the base)"
        )
    elif comparison.rows and not worse:
        lines.append(f"no demonstrable regression in {len(comparison.rows)} registered cells")
    for title, rows in (
        ("regressions", sorted(worse, key=lambda row: -(row.limits or (0.0, 0.0))[0])),
        ("improvements", sorted(better, key=lambda row: (row.limits or (0.0, 0.0))[1])),
        ("missing evidence", unproven),
    ):
        if rows:
            lines.append(f"{title} ({len(rows)}):")
            lines += [f"  {_row(row)}" for row in rows[:_MOST]]
            lines += [f"  and {len(rows) - _MOST} more"] if len(rows) > _MOST else []
    if few:
        lines.append(
            f"unterbelegt: {len(few)} cells have too few units; their intervals stand in the "
            "report and are no findings"
        )
    return lines


def _row(row: LossRow) -> str:
    name = f"{row.partition} / {row.category or 'loss'}"
    quote = f"  {quoted(_short(row.citation.quote))}" if row.citation else ""
    lo, hi = row.limits or (0.0, 0.0)
    told = " guarded, no spread was seen," if row.is_flat else ""
    return (
        f"{name}: {row.delta or 0.0:+.4f} [{lo:+.4f}, {hi:+.4f}],{told} "
        f"{row.n_base} and {row.n_new} units{quote}"
    )


def _short(quote: str) -> str:
    """Gives a quote in one line, with an ellipsis where it goes on."""
    flat = " ".join(quote.split())
    return flat if len(flat) <= _QUOTED else f"{flat[: _QUOTED - 1]}…"
