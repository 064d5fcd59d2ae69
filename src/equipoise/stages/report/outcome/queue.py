"""The section of the triage queue: what waits for a label, what was labelled, what is stale."""

from equipoise.records.triage import Flagged, Triaged
from equipoise.stages.report.outcome.reading import OutcomeReading
from equipoise.stages.report.tables import Cell, Section, Table, named, table
from equipoise.stages.report.text import label

_MOST = 100


def triage_section(reading: OutcomeReading) -> Section:
    """Gives what stands between the figures and a verdict."""
    file = reading.file
    tables: list[Table] = []
    if file.waiting:
        rows = [_waiting(one) for one in file.waiting[:_MOST]]
        tables.append(table("Waiting for a label", ("What", "Why", "Look at"), rows))
    if file.stale:
        rows = [(named(name), Cell(text=label(why, 300))) for name, why in file.stale.items()]
        tables.append(table("Scores that decide nothing any more", ("Scenario", "Why"), rows))
    if file.labels:
        rows = [_labelled(one) for one in file.labels[:_MOST]]
        tables.append(table("Labels", ("What", "Label", "Flagged for", "Note", "By"), rows))
    lead = (
        "Odd scores are looked at before they are believed: transcript and artifacts first, then "
        "one of four labels. Until then no verdict rests on their scenarios."
    )
    if not tables:
        lead = "No cell was flagged: nothing is odd by the rules of the triage."
    return Section(
        anchor="triage",
        title="Odd scores, and what they were found to be",
        short="Triage",
        leads=(lead,),
        tables=tuple(tables),
    )


def _waiting(one: Flagged) -> tuple[Cell, ...]:
    why = tuple(
        label(f"{flag.value}: {told}", 200) for flag, told in zip(one.flags, one.told, strict=True)
    )
    looks = tuple(f"{name} {sha256[:12]}" for name, sha256 in one.evidence.items())
    return (
        Cell(text=label(one.name, 120), note=one.id if one.trial else ""),
        Cell(lines=why, is_code=True),
        Cell(lines=looks, is_code=True) if looks else Cell(text="the items of its hidden tests"),
    )


def _labelled(one: Triaged) -> tuple[Cell, ...]:
    what = f"{one.scenario}, {one.arm}, {one.repetition}" if one.trial else f"{one.scenario}, all"
    return (
        Cell(text=label(what, 120)),
        Cell(text=one.label.value),
        Cell(text=", ".join(flag.value for flag in one.flags)),
        Cell(text=label(one.note, 300)),
        Cell(text=label(one.by), note=one.at[:10]),
    )
