"""``equipoise triage``: lists the odd scores that a verdict waits for, and labels them."""

import getpass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from equipoise.cli.screen import write, write_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from equipoise.studies.outcome.triage import Queue

_LABELS = {
    "oracle": "oracle problem",
    "fixture": "fixture defect",
    "skill": "true skill defect",
    "model": "model behaviour difference",
}


@click.command("triage")
@click.argument("study", type=click.Path(path_type=Path))
@click.argument("cell", required=False)
@click.option("--label", type=click.Choice(list(_LABELS)), help="What it was found to be.")
@click.option("--note", default="", help="What was seen, in a sentence; kept with the label.")
@click.option("--by", help="Who looked; default the login name.")
@click.option(
    "--show", is_flag=True, help="Print what came of CELL: tests, what it did, what it left."
)
@click.option("--json", "as_json", is_flag=True, help="Print the queue as JSON.")
def command(
    study: Path,
    cell: str | None,
    *,
    label: str | None,
    note: str,
    by: str | None,
    show: bool,
    as_json: bool,
) -> None:
    """List what is odd in the outcome study in the folder STUDY, or label CELL.

    Cells are flagged by rule: all arms fail, the seed's own suite broken while hidden tests pass,
    tampering, edited tests, history read, searches for what is hidden, escapes, success claimed
    without work, infrastructure, implausible times, flaky tests. A verdict about their scenarios
    waits until each has one of four labels.

    oracle: the hidden tests are wrong, and the scenario's scores are stale for all arms. fixture:
    the seed or its surroundings are broken; stale as well. skill: a true defect of the skill; the
    score counts as it is. model: the models behave differently; the score counts as it is.

    CELL is an id of the list, or a scenario: then everything of it that waits. Labels are lines of
    triage.jsonl, chained to the plan: none is ever edited, a later one takes its place.

    --show looks into any cell, flagged or not: which hidden tests failed and how, then what the
    agent did and left. Of a scenario it lists the cells.

    Exit codes: 0 nothing waits, or it was labelled; 1 something was altered; 2 wrong use; 3 there
    is no graded run; 4 something waits.
    """
    from equipoise.cli.clock import now
    from equipoise.cli.kinds import OUTCOME, kind_of
    from equipoise.errors import InputError
    from equipoise.records.codec import pretty
    from equipoise.records.triage import Label
    from equipoise.studies.outcome.triage import label_it, queue_of

    if kind_of(study) != OUTCOME:
        raise InputError(
            f"{study} is no outcome study: nothing of it is labelled",
            wanted="the folder of a study of kind outcome",
            code="kind",
        )
    if cell is not None and label is not None:
        given = label_it(
            study, cell, Label(_LABELS[label]), note=note, by=by or _login(), now=now()
        )
        for one in given:
            write(f"labelled {one.id}: {one.label.value} ({', '.join(one.flags)})\n")
        return
    if label is not None or (cell is not None and not show):
        raise InputError(
            "--label without CELL" if cell is None else f"{cell} without --label",
            wanted="CELL and --label together",
            mend="equipoise triage STUDY lists the cells; --show prints one",
        )
    queue = queue_of(study)
    if cell is not None:
        from equipoise.cli.outcome_cells import show_cells

        show_cells(study, cell, queue)
        return
    if as_json:
        write_json(pretty({"waiting": queue.waiting, "labels": queue.labels}).decode())
    else:
        write("".join(f"{line}\n" for line in _told(queue, study)))
    if queue.waiting:
        raise SystemExit(4)


def _told(queue: "Queue", study: Path) -> "Iterator[str]":
    from equipoise.errors import as_word
    from equipoise.records.counted import counted
    from equipoise.stages.decide.triage import label_of

    waiting = {one.id for one in queue.waiting}
    for one in queue.flagged:
        last = label_of(one, queue.labels)
        said = "WAITS" if one.id in waiting else f"{last.label.value}" if last else ""
        yield f"{one.id}  {one.name}: {said}"
        yield from (
            f"    {flag.value}: {why}" for flag, why in zip(one.flags, one.told, strict=True)
        )
        if last is not None:
            yield f"    labelled {last.at[:10]} by {last.by}: {last.note}"
        if one.evidence:
            names = ", ".join(f"{name} {sha256[:12]}" for name, sha256 in one.evidence.items())
            yield f"    look at {names} (archive/{one.run_id})"
    if not queue.flagged:
        yield "nothing is flagged"
        yield f"to look into a scenario: equipoise triage {as_word(study)} SCENARIO --show"
    elif waiting:
        word = as_word(study)
        yield f"{counted(len(waiting), 'flag')} of {len(queue.flagged)} waiting for a label"
        yield f"look: equipoise triage {word} ID --show"
        yield f"then: equipoise triage {word} ID --label oracle|fixture|skill|model --note '...'"
    else:
        n_flags = counted(len(queue.flagged), "flag")
        yield f"all {n_flags} labelled; next: equipoise compare {as_word(study)}"


def _login() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "unknown"
