"""What ``equipoise triage --show`` prints: the cells of a scenario, or one cell from end to end."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from equipoise.archive.store import Archive
from equipoise.cli.screen import write
from equipoise.errors import InputError, as_word, nearest
from equipoise.stages.report.text import visible_lines

if TYPE_CHECKING:
    from equipoise.records.outcome import GroupResult, OutcomeResult
    from equipoise.studies.outcome.triage import Queue


def show_cells(study: Path, name: str, queue: "Queue") -> None:
    """Prints what came of a cell, or which cells a scenario has.

    Args:
        study: the study's folder.
        name: id of a cell, flagged or not, or of a scenario.
        queue: what is flagged, with all cells of the last graded runs.

    Raises:
        InputError: there is no such cell and no such scenario.
    """
    of_it = [one for one in queue.cells if one.scenario == name]
    if of_it:
        write("".join(f"{line}\n" for line in _scenario(study, name, of_it, queue)))
        return
    found = [one for one in queue.cells if one.cell == name]
    if not found:
        known = [*(one.scenario for one in queue.cells), *(one.cell for one in queue.cells)]
        raise InputError(
            f"there is no cell and no scenario {name!r} in the last graded runs",
            wanted="a scenario of the study, or the id of a cell",
            mend=nearest(name, list(dict.fromkeys(known)))
            or f"equipoise triage {as_word(study)} SCENARIO --show lists the cells of one",
            code="not_flagged",
        )
    for one in found:
        write("".join(f"{line}\n" for line in _cell(one, queue)))
        _documents(study, one)


def _scenario(
    study: Path, name: str, cells: "list[OutcomeResult]", queue: "Queue"
) -> Iterator[str]:
    for flag in queue.flagged:
        if flag.id == name:
            yield f"{flag.name}: {'; '.join(flag.told)}"
    yield f"cells of {name}:"
    for one in sorted(cells, key=lambda cell: (cell.arm, cell.repetition)):
        yield f"  {one.cell}  {one.arm}, repetition {one.repetition}: {_told(one)}"
    yield f"look into one: equipoise triage {as_word(study)} {cells[0].cell} --show"


def _cell(one: "OutcomeResult", queue: "Queue") -> Iterator[str]:
    yield f"{one.scenario}, {one.arm}, repetition {one.repetition}: {_told(one)}"
    for flag in queue.flagged:
        if flag.id == one.cell:
            yield f"flagged: {'; '.join(flag.told)}"
    for group in (one.hidden_explicit, one.hidden_implicit, one.own_suite):
        for test in group.per_test if group is not None else ():
            if test.outcome != "passed":
                yield f"--- {test.outcome} {test.id}"
                if test.message:
                    yield visible_lines(test.message)


def _told(one: "OutcomeResult") -> str:
    parts = [one.ending or "not executed"]
    for name, group in (("explicit", one.hidden_explicit), ("implicit", one.hidden_implicit)):
        if group is not None:
            parts.append(f"{name} {_of(group)}")
    if one.own_suite is not None:
        parts.append(f"own suite {_of(one.own_suite)}")
    if one.why:
        parts.append(one.why)
    return ", ".join(parts)


def _of(group: "GroupResult") -> str:
    return f"{group.passed} of {group.total}"


def _documents(study: Path, one: "OutcomeResult") -> None:
    archive = Archive.open(study / "archive" / one.run_id)
    for name, sha256 in one.documents.items():
        content = b"".join(archive.blobs.chunks(sha256)).decode(errors="replace")
        write(f"--- {name} {sha256}\n{visible_lines(content)}\n")
