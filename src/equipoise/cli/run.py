"""``equipoise run``: executes what is missing of a sealed study."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from equipoise.cli.screen import write, write_json

if TYPE_CHECKING:
    from equipoise.stages.run.engine import Progress as RunProgress
    from equipoise.studies.loss.running_asked import ArmRun, LookTold
    from equipoise.studies.loss.sealed import Sealed

_INTERRUPTED = 130
_VOID = 5
_BLOCKED = 3
_MOST_VOIDED = 0.10


@click.command("run")
@click.argument("study", type=click.Path(path_type=Path))
@click.option("--arm", "arms", multiple=True, help="Only this arm; may be given several times.")
@click.option("-j", "concurrency", type=click.IntRange(1, 1024), help="Attempts at a time.")
@click.option("--max-cells", type=click.IntRange(min=0), help="Stop after so many cells.")
@click.option("--max-usd", type=click.FloatRange(min=0), help="Stop once so much was spent.")
@click.option(
    "--skip-looks", is_flag=True, help="Go on to the end without the looks that the plan has."
)
@click.option(
    "--executor",
    type=click.Choice(["local", "ray"]),
    default="local",
    show_default=True,
    help="Where attempts are executed: in this process, or by workers of a Ray cluster.",
)
@click.option("--address", default="", help="The Ray cluster's address; without it, one of ours.")
@click.option(
    "--shell", "cell", help="Open the workspace of CELL (a trial's id, or ARM/UNIT) in a sandbox."
)
@click.option(
    "--command", "said", help="With --shell: what the shell is to run, without a terminal."
)
@click.option("--dry-run", is_flag=True, help="Only say what there is to execute.")
@click.option("--json", "as_json", is_flag=True, help="Print how each arm stands as JSON.")
def command(
    study: Path,
    *,
    arms: tuple[str, ...],
    concurrency: int | None,
    max_cells: int | None,
    max_usd: float | None,
    skip_looks: bool,
    executor: str,
    address: str,
    cell: str | None,
    said: str | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Execute what is missing of the sealed study in the folder STUDY.

    Each arm gets an archive of its own under STUDY/archive. Run again after any end (a limit, a
    signal, a crash, a full disk) and it goes on where it stands: what has a trial is never executed
    again. The state is put back at the end, and first of all where a killed run left it changed.

    A run stops at its limits (max_usd and max_minutes of the plan, or the options) once the
    attempts under way have ended. Ctrl-C ends them at once.

    Where the plan may stop early, the arms are executed by turns up to each planned look; what
    there is gets graded, and the plan's rule says whether the run goes on or ends here. What is not
    executed for that is no missing data.

    With --shell nothing is executed: the workspace of a cell is laid out as its agent left it, and
    a shell opens there in a sandbox, to look around and try things.

    Exit codes: 0 done, or stopped at a limit or a look; 2 wrong use; 3 a precondition is missing
    (not sealed, a preflight failed, a look waits for grades, the disk is full); 5 the state could
    not be put back, or a service died; 130 interrupted.
    """
    from equipoise.cli.clock import exact_now
    from equipoise.studies.loss.running import run_study
    from equipoise.studies.loss.running_asked import Asked
    from equipoise.studies.loss.sealed import read_sealed
    from equipoise.wiring import adapters
    from equipoise.wiring.executing import executor as executor_of

    where = executor_of(executor, address)
    sealed = read_sealed(study, today=exact_now().date())
    if cell is not None:
        _open(sealed, cell, said or "")
        return
    with _progress() as on_progress:
        asked = Asked(
            arms=arms,
            concurrency=concurrency,
            max_cells=max_cells,
            max_usd=max_usd,
            skips_looks=skip_looks,
            is_dry=dry_run,
            hears_signals=True,
            on_progress=on_progress,
        )
        runs = run_study(sealed, adapters(where), asked, exact_now)
    if as_json:
        from equipoise.records.codec import pretty

        write_json(pretty({"study": str(study), "arms": runs}).decode())
    else:
        write("".join(f"{line}\n" for run in runs for line in _told(run, study)))
        if runs and all(run.is_finished for run in runs):
            is_graded = any(look.seen.boundary is not None for run in runs for look in run.looks)
            verb = "compare" if is_graded else "grade"
            write(f"next: equipoise {verb} {study}\n")
    if any(run.is_interrupted for run in runs):
        raise SystemExit(_INTERRUPTED)
    if any(run.is_down for run in runs):
        raise SystemExit(_VOID)
    if any(run.halted for run in runs):
        raise SystemExit(_BLOCKED)


def _open(sealed: "Sealed", cell: str, said: str) -> None:
    """Opens a cell's workspace; nothing is recorded, and the folder stays."""
    from equipoise.adapters.sandboxes.interactive import KEPT, WORKSPACE, shell
    from equipoise.cli.run_shell import opened

    workspace, kept = opened(sealed, cell)
    if not said:
        write(
            f"{WORKSPACE} is {workspace}, as the agent left it; {KEPT} holds what was recorded of "
            "it\nno network, no model, nothing is recorded; the folder stays until you remove it\n"
        )
    code = shell(workspace, kept, said)
    if code:
        raise SystemExit(code)


def _told(run: "ArmRun", study: Path) -> Iterator[str]:
    is_idle = run.is_finished and run.n_settled == run.n_before
    yield f"{run.arm}: {_done(run)}{': nothing to do' if is_idle else ''}"
    if run.is_dry:
        return
    if run.endings:
        yield f"  endings  {', '.join(f'{n:,} {kind}' for kind, n in run.endings.items())}"
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


def _done(run: "ArmRun") -> str:
    done = f"{run.n_settled:,} of {run.n_cells:,} cells done, {run.n_left:,} left"
    if not run.stopped_at:
        return done
    at = " of ".join(map(str, run.stopped_at))
    return f"{done}, {run.n_not_executed:,} not executed: stopped at look {at}"


def _look(look: "LookTold") -> str:
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
def _progress() -> Iterator["Callable[[str, RunProgress], None] | None"]:
    """Shows how far the run is and when it will end, on a terminal only."""
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
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        tasks: dict[str, TaskID] = {}

        def on_progress(arm: str, progress: "RunProgress") -> None:
            if arm not in tasks:
                tasks[arm] = shown.add_task(arm, total=progress.n_cells)
            shown.update(tasks[arm], total=progress.n_cells, completed=progress.n_settled)

        yield on_progress
