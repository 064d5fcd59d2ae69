"""The report in short, as Markdown for a pull request."""

import re
from collections.abc import Sequence

from equipoise.records.notice import Severity
from equipoise.records.verdict import Word
from equipoise.stages.report.findings import findings_section
from equipoise.stages.report.numbers import count
from equipoise.stages.report.reading import Reading, Row
from equipoise.stages.report.sentences import (
    UNSAID,
    cell_name,
    difference,
    missing_beside,
    needed,
    sample,
    sentence,
)
from equipoise.stages.report.tables import Cell, Table
from equipoise.stages.report.text import label

_MOST_ROWS = 40
_MOST_NOTICES = 10
_MARKS = {
    Word.BETTER: "▲",
    Word.WORSE: "▼",
    Word.EQUIVALENT: "＝",
    Word.CANNOT_TELL: "？",
    Word.NOT_EVALUABLE: "∅",
}
_SPECIAL = re.compile(r"([\\`*_\[\]|~$])")
_MENTION = re.compile(r"([@#])(?=\w)")
_ADDRESS = re.compile(r"\b(https?|ftp|www)(?=[:.])")
_LINE_START = re.compile(r"^(?=[-+#>=]|\d+[.)])")
_JOINER = "\u2060"


def to_markdown(reading: Reading) -> bytes:
    """Gives report.md: each headline verdict, all comparisons, findings, where to look further."""
    title = label(reading.result.file.title) if reading.result.file.title else "Comparison"
    blocks = [f"# {escape(title)}", *_warnings(reading)]
    for row in reading.headlines:
        blocks += _headline(reading, row)
    blocks.append(_all(reading))
    section = findings_section(reading)
    for table in section.tables:
        blocks += [f"## {escape(table.caption)}", _table(table)]
    blocks += [escape(note) for note in section.notes]
    blocks += _notices(reading)
    blocks += _closing(reading)
    return ("\n\n".join(block for block in blocks if block) + "\n").encode()


def escape(text: str) -> str:
    """Gives text that Markdown shows as it is.

    It can end no table cell, open no link, HTML, emphasis or formula, mention nobody and link no
    issue (a word joiner parts the sign from the name), and start no list, heading or quote.
    """
    text = _SPECIAL.sub(r"\\\1", " ".join(text.split()))
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    text = _MENTION.sub(rf"\1{_JOINER}", text)
    return _LINE_START.sub(_JOINER, _ADDRESS.sub(rf"\1{_JOINER}", text))


def _warnings(reading: Reading) -> list[str]:
    told = []
    if reading.result.file.is_simulated:
        told.append("> **Simulated runs or judges.** Nothing here speaks of real systems.")
    if reading.is_exploratory:
        told.append("> Exploratory: the terms were not sealed before the runs.")
    return told


def _headline(reading: Reading, row: Row) -> list[str]:
    tags = "".join(f" `[{tag}]`" for tag in row.verdict.tags)
    mark = _MARKS[row.verdict.word]
    lines = [f"**{mark} {row.verdict.word}**: {escape(sentence(reading, row))}{tags}"]
    lines += [escape(text) for text in (needed(row), missing_beside(row)) if text]
    return lines


def _all(reading: Reading) -> str:
    rows = [
        (
            Cell(text=cell_name(row)),
            Cell(text=label(row.comparison.arm)),
            Cell(text=f"{_MARKS[row.verdict.word]} {row.verdict.word}"),
            *_numbers(reading, row),
            Cell(text=sample(row.comparison)),
        )
        for row in reading.rows
    ]
    heads = ("Partition", "Arm", "Verdict", "Difference", "Interval", "Rests on")
    return "## All comparisons\n\n" + _grid(heads, rows)


def _numbers(reading: Reading, row: Row) -> tuple[Cell, Cell]:
    shown = difference(reading, row)
    interval = f"{shown.lo} to {shown.hi} ({shown.level})" if shown.lo else UNSAID
    return Cell(text=shown.value or UNSAID), Cell(text=interval)


def _table(table: Table) -> str:
    more = f"\n\n{count(table.n_more)} more in {table.more_in}." if table.n_more else ""
    return _grid([column.name for column in table.columns], table.rows) + more


def _grid(heads: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    lines = [f"| {' | '.join(heads)} |", f"|{' --- |' * len(heads)}"]
    for row in rows[:_MOST_ROWS]:
        texts = (escape(" ".join(cell.lines) or cell.text) for cell in row)
        lines.append(f"| {' | '.join(texts)} |")
    more = len(rows) - _MOST_ROWS
    return "\n".join(lines) + (f"\n\n{count(more)} more rows in report.json." if more > 0 else "")


def _notices(reading: Reading) -> list[str]:
    """Gives what may change what is believed; the rest stands in index.html."""
    grave = [n for n in reading.result.estimates.notices if n.severity is not Severity.INFO]
    if not grave:
        return []
    lines = [f"- {n.severity}: {escape(label(n.message, 500))}" for n in grave[:_MOST_NOTICES]]
    if len(grave) > _MOST_NOTICES:
        lines.append(f"- {count(len(grave) - _MOST_NOTICES)} more in index.html")
    return ["## Notices", "\n".join(lines)]


def _closing(reading: Reading) -> list[str]:
    heads = [
        f"- {escape(label(s.name))}: archive {escape(label(s.archive))}, head "
        f"`{re.sub('[^0-9a-f]', '', s.head or reading.heads.get(s.archive, '')) or 'not recorded'}`"
        for s in reading.result.file.sources
    ]
    verify = "Verify with `equipoise verify DIR`; the full report is index.html beside this file."
    return ["## Verify", "\n".join(heads), verify]
