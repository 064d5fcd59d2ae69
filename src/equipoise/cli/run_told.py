"""What ``equipoise run`` says: how each arm stands, what is left of it, how far it is."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from equipoise.errors import Blocked
from equipoise.stages.run.engine import Progress as RunProgress
from equipoise.studies.loss.running_asked import ArmRun, LookTold

_MOST_VOIDED = 0.10
_KINDS = {
    "input_tokens": "in",
    "cache_read_tokens": "read from a cache",
    "cache_write_tokens": "written to a cache",
    "output_tokens": "out",
}


_MOST_REASONS = 3
_LONGEST = 300


def told(run: ArmRun, study: Path) -> Iterator[str]:
    """Says how the run of an arm stands, line by line."""
    is_idle = run.is_finished and run.n_settled == run.n_before
    yield f"{run.arm}: {_done(run)}{': nothing to do' if is_idle else ''}"
    if run.is_dry:
        yield from _expected(run)
        return
    if run.endings:
        yield f"  endings  {', '.join(f'{n:,} {kind}' for kind, n in run.endings.items())}"
    for reason, n in run.voided_by[:_MOST_REASONS]:
        text = reason if len(reason) <= _LONGEST else f"{reason[:_LONGEST]}…"
        yield f"  because  {text}{f' ({n:,} times)' if n > 1 else ''}"
    if run.n_aborted:
        yield f"  aborted  {run.n_aborted:,} attempts gave no trial and were begun anew"
    if run.n_settled and run.n_voided / run.n_settled > _MOST_VOIDED:
        share = run.n_voided / run.n_settled
        yield f"  warning  {share:.0%} of the cells ended without an outcome; over 10 % no score"
    if run.cost_usd is not None:
        unknown = f", {run.n_cost_unknown:,} attempts of unknown cost" if run.n_cost_unknown else ""
        yield f"  cost     {run.cost_usd:.4f} USD{unknown}"
    yield from (f"  look     {_look(look)}" for look in run.looks)
    if run.stopped:
        yield f"  stopped  {run.stopped}; run again to go on"
    if run.halted:
        yield f"  halted   {run.halted}"
    yield f"  archive  {study / run.path}"


def _done(run: ArmRun) -> str:
    done = f"{run.n_settled:,} of {run.n_cells:,} cells done, {run.n_left:,} left"
    if not run.stopped_at:
        return done
    at = " of ".join(map(str, run.stopped_at))
    return f"{done}, {run.n_not_executed:,} not executed: stopped at look {at}"


def _look(look: LookTold) -> str:
    """Gives one planned look: what it saw, and what it decided."""
    seen = look.seen
    at = (
        f"{seen.number} of {seen.looks} against {look.base}, {seen.n_executed:,} of "
        f"{seen.n_planned:,} executions"
    )
    if look.why or seen.boundary is None:
        return f"{at}: {look.why or 'nothing to decide by yet'}; go on"
    statistic = "no spread seen" if seen.statistic is None else f"{seen.statistic:.3f}"
    found = f"{at}: {seen.rule.value} {statistic} against {seen.boundary:.3f}"
    if seen.word:
        saved = seen.n_planned - seen.n_executed
        return f"{found}, crossed: {seen.word} as a whole, {saved:,} executions saved"
    guarded = " by the guarded limit" if (seen.statistic or 0.0) > seen.boundary else ""
    return f"{found}, not crossed{guarded}: {'go on' if seen.number < seen.looks else 'the end'}"


@contextmanager
def progress() -> Iterator[Callable[[str, RunProgress], None] | None]:
    """Shows how far the run is and when it will end and what it costs, on a terminal only."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TaskID,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        tasks: dict[str, TaskID] = {}

        def on_progress(arm: str, done: RunProgress) -> None:
            if arm not in tasks:
                tasks[arm] = shown.add_task(arm, total=done.n_cells, note="")
            note = cost_of(done)
            shown.update(tasks[arm], total=done.n_cells, completed=done.n_settled, note=note)

        yield on_progress


def confirm(over: str) -> None:
    """Asks whether to begin a run that will probably exceed its limit of money.

    Raises:
        Blocked: there is nobody to ask, or the answer is no.
    """
    if not over:
        return
    if sys.stdin.isatty() and click.confirm(f"this will take {over}; begin?", err=True):
        return
    raise Blocked(
        f"this will take {over}; mend: --yes to go on until the limit, --max-cells for less, or "
        "another limit"
    )


def cost_of(done: RunProgress) -> str:
    """Gives what a run has cost so far and will at this rate, and why it waits."""
    texts = []
    if done.usd:
        texts.append(f"{done.usd:.2f} USD")
        if not done.n_cost_unknown and done.n_settled:
            texts.append(f"about {done.usd_at_end:.2f} USD at the end")
    if done.waits:
        texts.append(f"waits {done.waits}")
    return ", ".join(texts)


def _expected(run: ArmRun) -> Iterator[str]:
    """Says what the rest of a run will take; what nobody knows is unknown."""
    left = run.expected
    if left is None or not left.n_cells:
        return
    tokens = "tokens unknown"
    if left.tokens:
        parts = ", ".join(f"{n:,} {_KINDS[kind]}" for kind, n in left.tokens.items())
        tokens = f"about {sum(left.tokens.values()):,} tokens ({parts})"
    money = "money unknown" if left.usd is None else f"about {left.usd:.2f} USD"
    yield f"  expected {left.n_cells:,} cells: {tokens}, {money}"
    if left.busy_s is not None:
        yield f"  time     about {left.busy_s / 60:,.1f} minutes of attempts, one after another"
    if left.n_seen:
        yield f"  known    from {left.n_seen:,} cells of this arm"
    else:
        yield "  known    nothing: no cell of this arm was executed in this study"
    if run.over_budget:
        yield f"  dear     {run.over_budget}; it will ask first, or take --yes"
