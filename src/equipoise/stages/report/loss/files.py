"""The literal tables of the workflow: `TOP-REGRESSIONS.md` and `IMPROVEMENTS.md`, out and in."""

import html
from collections.abc import Iterable

from equipoise.errors import InputError
from equipoise.records.suite import LossCitation, LossComparison, LossRow
from equipoise.records.verdict import Tag
from equipoise.stages.report.text import quoted, visible

COLUMNS = ("partition", "kategorie", "delta", "ci_low", "ci_high", "n", "run_id", "log_zitat")
REGRESSIONS = "TOP-REGRESSIONS.md"
IMPROVEMENTS = "IMPROVEMENTS.md"

_MOST_QUOTED = 200


def to_regressions(comparison: LossComparison) -> bytes:
    """Gives `TOP-REGRESSIONS.md`: the listed regressions by their lower bound, surest first.

    The header alone means: no demonstrable regression.
    """
    rows = [row for row in comparison.rows if row.is_listed and not row.is_improvement]
    return _table(
        comparison, sorted(rows, key=lambda row: (-(row.limits or (0.0, 0.0))[0], _name(row)))
    )


def to_improvements(comparison: LossComparison) -> bytes:
    """Gives `IMPROVEMENTS.md`: the listed improvements by the bound nearest to no change."""
    rows = [row for row in comparison.rows if row.is_listed and row.is_improvement]
    return _table(
        comparison, sorted(rows, key=lambda row: ((row.limits or (0.0, 0.0))[1], _name(row)))
    )


def read_listed(content: bytes, where: str = REGRESSIONS) -> list[dict[str, str]]:
    """Reads either table: one mapping per row. Zero bytes and a header alone both give no row.

    Raises:
        InputError: another header, or a row with another number of cells.
    """
    lines = [
        (number, line)
        for number, line in enumerate(content.decode().splitlines(), start=1)
        if line.startswith("|")
    ]
    if not lines:
        return []
    header = _cells(lines[0][1])
    if tuple(header) != COLUMNS:
        raise InputError(
            f"the header is {' | '.join(header)}",
            wanted=" | ".join(COLUMNS),
            where=f"{where}:{lines[0][0]}",
            code="bad_header",
        )
    found = []
    for number, line in lines[2:]:
        cells = _cells(line)
        if len(cells) != len(COLUMNS):
            raise InputError(
                f"the row has {len(cells)} cells",
                wanted=str(len(COLUMNS)),
                where=f"{where}:{number}",
                code="bad_row",
            )
        found.append(dict(zip(COLUMNS, cells, strict=True)))
    return found


def _table(comparison: LossComparison, rows: Iterable[LossRow]) -> bytes:
    lines = [f"| {' | '.join(COLUMNS)} |", f"|{' --- |' * len(COLUMNS)}"]
    lines += [
        "| " + " | ".join(escaped(cell) for cell in _of_row(comparison, row)) + " |" for row in rows
    ]
    if comparison.verdict == "not evaluable":
        lines += ["", _comment(f"not evaluable: {comparison.why}")]
    if Tag.SIMULATED.value in comparison.tags:
        lines += ["", _comment("simulated: nothing here speaks of real systems")]
    if comparison.look is not None and comparison.look.word:
        lines += ["", _comment(f"stopped early: {comparison.why}")]
    return ("\n".join(lines) + "\n").encode()


def _comment(text: str) -> str:
    return f"<!-- {text.replace('--', '- -')} -->"


def _of_row(comparison: LossComparison, row: LossRow) -> tuple[str, ...]:
    return (
        row.partition,
        row.category or "loss",
        _number(row.delta),
        *(_number(end) for end in row.limits or (None, None)),
        str(row.n_new),
        comparison.run_id,
        _quoted(row.citation),
    )


def _name(row: LossRow) -> tuple[str, str]:
    return (row.partition, row.category)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.6f}"


def _quoted(citation: LossCitation | None) -> str:
    """Gives place and quote: ``journal.jsonl:12 "..." (+3)``."""
    if citation is None:
        return ""
    place = citation.name or citation.document[:16]
    line = f":{citation.line}" if citation.line is not None else ""
    quote = citation.quote
    if len(quote) > _MOST_QUOTED:
        quote = quote[: _MOST_QUOTED - 1] + "…"
    further = f" (+{citation.n_further})" if citation.n_further else ""
    return f"{place}{line} {quoted(quote)}{further}"


def escaped(text: str) -> str:
    """Gives the text as one cell of a Markdown table: no pipe, line break, tag or unseen."""
    flat = visible(" ".join(text.split())).replace("\\", "\\\\").replace("|", "\\|")
    return flat.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _cells(line: str) -> list[str]:
    cells, text, is_escaped = [], "", False
    for sign in line.strip().removeprefix("|").removesuffix("|"):
        if is_escaped or sign not in "\\|":
            text, is_escaped = text + sign, False
        elif sign == "\\":
            is_escaped = True
        else:
            cells.append(text)
            text = ""
    cells.append(text)
    return [html.unescape(cell.strip()) for cell in cells]
