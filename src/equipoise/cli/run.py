"""``equipoise run``: executes what is missing of a sealed study."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from equipoise.cli.finite import FiniteRange
from equipoise.cli.screen import write, write_json

if TYPE_CHECKING:
    from equipoise.studies.loss.running_asked import Adapters, ArmRun, Asked
    from equipoise.studies.loss.sealed import Sealed

_INTERRUPTED = 130
_VOID = 5
_BLOCKED = 3


@click.command("run")
@click.argument("study", type=click.Path(path_type=Path))
@click.option("--arm", "arms", multiple=True, help="Only this arm; may be given several times.")
@click.option("-j", "concurrency", type=click.IntRange(1, 1024), help="Attempts at a time.")
@click.option("--max-cells", type=click.IntRange(min=0), help="Stop after so many cells.")
@click.option("--max-usd", type=FiniteRange(min=0), help="Stop once so much was spent.")
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
@click.option(
    "--dry-run", is_flag=True, help="Only say what there is to execute, and what it will take."
)
@click.option(
    "--confirm-budget",
    "confirmed",
    type=FiniteRange(min=0),
    metavar="USD",
    help="outcome, phase P3: confirm the sum that the sealed plan may spend.",
)
@click.option("--yes", is_flag=True, help="Begin, even where it will probably exceed the limit.")
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
    confirmed: float | None,
    yes: bool,
    as_json: bool,
) -> None:
    """Execute what is missing of the sealed study in the folder STUDY.

    Each arm gets an archive of its own under STUDY/archive. Run again after any end (a limit, a
    signal, a crash, a full disk) and it goes on where it stands: what has a trial is never executed
    again. The state is put back at the end, and first of all where a killed run left it changed.

    A run stops at its limits (max_usd and max_minutes of the plan, or the options) once the
    attempts under way have ended. Ctrl-C ends them at once.

    With --dry-run nothing is executed: it says how many cells are left, and how many tokens and how
    much money they will take, by what earlier cells of the same arm took; what those do not say is
    unknown. A run that would probably exceed its limit of money asks first, or wants --yes.

    Where the plan may stop early, the arms are executed by turns up to each planned look; what
    there is gets graded, and the plan's rule says whether the run goes on or ends here. What is not
    executed for that is no missing data.

    An outcome study of phase P3 does not begin before its budget was confirmed apart, once, with
    --confirm-budget and the very sum that the sealed plan may spend.

    With --shell nothing is executed: the workspace of a cell is laid out as its agent left it, and
    a shell opens there in a sandbox, to look around and try things.

    Exit codes: 0 done, or stopped at a limit or a look; 2 wrong use; 3 a precondition is missing
    (not sealed, a preflight failed, a look waits for grades, the budget of a P3 was not confirmed,
    the disk is full); 5 the state could
    not be put back, or a service or the server of its database died; 130 interrupted.
    """
    from equipoise.cli.clock import exact_now
    from equipoise.cli.kinds import refuse_rating
    from equipoise.cli.run_told import told
    from equipoise.studies.loss.running_asked import Asked
    from equipoise.studies.loss.sealed import read_sealed
    from equipoise.wiring import adapters
    from equipoise.wiring.executing import executor as executor_of

    refuse_rating(study)
    where = executor_of(executor, address)
    sealed = read_sealed(study, today=exact_now().date())
    if cell is not None:
        _open(sealed, cell, said or "")
        return
    if not dry_run:
        from equipoise.studies.outcome.confirming import confirm_budget

        confirm_budget(sealed, confirmed, exact_now())
    asked = Asked(
        arms=arms,
        concurrency=concurrency,
        max_cells=max_cells,
        max_usd=max_usd,
        skips_looks=skip_looks,
        hears_signals=True,
    )
    runs = _runs(sealed, adapters(where), asked, is_dry=dry_run, is_sure=yes)
    if as_json:
        from equipoise.cli.outcome_costs import costs_of
        from equipoise.records.codec import pretty

        takes = {"takes": costs_of(sealed.plan, runs)} if dry_run else {}
        write_json(pretty({"study": str(study), "arms": runs, **takes}).decode())
    else:
        write("".join(f"{line}\n" for run in runs for line in told(run, study)))
        if dry_run:
            from equipoise.cli.outcome_costs import told_costs

            write("".join(f"{line}\n" for line in told_costs(sealed.plan, runs)))
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


def _runs(
    sealed: "Sealed", reaching: "Adapters", asked: "Asked", *, is_dry: bool, is_sure: bool
) -> "list[ArmRun]":
    """Executes what is missing, or says what there is; asks first where it would be too dear."""
    from dataclasses import replace

    from equipoise.cli.clock import exact_now
    from equipoise.cli.run_told import confirm, progress
    from equipoise.studies.loss.estimating import estimated, over_budget
    from equipoise.studies.loss.running import run_study
    from equipoise.studies.outcome.costing import assumed_over

    has_limit = asked.max_usd is not None or sealed.plan.limits.max_usd is not None
    if is_dry or (has_limit and not is_sure):
        planned = run_study(sealed, reaching, replace(asked, is_dry=True), exact_now)
        runs = estimated(sealed, planned, asked.max_cells)
        over = over_budget(sealed, runs, asked.max_usd)
        over = over or assumed_over(sealed.plan, runs, asked.max_usd)
        if is_dry:
            return [replace(run, over_budget=over) for run in runs]
        confirm(over)
    with progress() as on_progress:
        return run_study(sealed, reaching, replace(asked, on_progress=on_progress), exact_now)


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
