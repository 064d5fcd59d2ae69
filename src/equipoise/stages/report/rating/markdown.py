"""The ranking in short, as Markdown for a pull request."""

from collections.abc import Sequence

from equipoise.records.ranking import AxisShown, Ranking
from equipoise.stages.report.markdown import escape
from equipoise.stages.report.rating.judges import judges_section, threshold_section
from equipoise.stages.report.rating.parts import guesses_section, languages_section
from equipoise.stages.report.rating.people import people_section
from equipoise.stages.report.rating.ranked import caveats, pair_rows, places_table, refused_said
from equipoise.stages.report.tables import Cell, Table
from equipoise.stages.report.text import label


def to_rating_markdown(ranking: Ranking) -> bytes:
    """Gives report.md: each axis with its words, people and judges; no figure over several axes."""
    blocks = [f"# {escape(label(ranking.title, 160))}"]
    if ranking.is_simulated:
        blocks.append("> **Simulated ratings.** Nothing here speaks of real systems.")
    blocks += [f"> {escape(said)}" for said in caveats(ranking)]
    for rule in ranking.rules:
        tags = "".join(f" `[{tag}]`" for tag in rule.tags)
        blocks.append(
            f"**{rule.word}**: {escape(label(rule.arm))} against {escape(label(rule.against))}, "
            f"{escape(rule.said)}{tags}"
        )
    for axis in ranking.axes:
        blocks += _axis(axis)
    blocks.append(
        "Verify with `equipoise verify STUDY`; the full report is index.html beside this file."
    )
    return ("\n\n".join(block for block in blocks if block) + "\n").encode()


def _axis(axis: AxisShown) -> list[str]:
    blocks = [f"## Axis {escape(label(axis.axis))}", escape(label(axis.ask, 400))]
    blocks += [escape(label(note, 400)) for note in axis.notes]
    if axis.blocked:
        blocks.append(f"> {escape(axis.blocked)}")
    found = axis.deciding
    if found is not None:
        tags = "".join(f" `[{tag}]`" for tag in axis.tags)
        blocks.append(f"Words by {escape(label(axis.decides))}{tags}")
        heads = ("Arm", "Against", "Word", "Difference", "Limits", "Could show")
        blocks.append(_grid(heads, pair_rows(found)))
        if found.places:
            places = places_table(found)
            blocks += [f"### {escape(places.caption)}", _table(places)]
        blocks += [escape(text) for text in (*refused_said(found), *found.notes)]
    sections = (
        languages_section(axis, ""),
        guesses_section(axis, ""),
        people_section(axis),
        judges_section(axis, ""),
        threshold_section(axis.threshold, ""),
    )
    for section in sections:
        if section is not None and any(t.caption.startswith("Agreement") for t in section.tables):
            blocks += [escape(lead) for lead in section.leads]
        for table in section.tables if section else ():
            blocks += [f"### {escape(table.caption)}", _table(table)]
        blocks += [escape(note) for note in section.notes] if section else []
    return blocks


def _table(table: Table) -> str:
    return _grid([column.name for column in table.columns], table.rows)


def _grid(heads: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    lines = [f"| {' | '.join(heads)} |", f"|{' --- |' * len(heads)}"]
    for row in rows:
        texts = (escape(" ".join(c.lines) or c.word or c.text) for c in row)
        lines.append(f"| {' | '.join(texts)} |")
    return "\n".join(lines)
