"""``equipoise grade``: what the runs of a study lost, under a catalog, with quotes."""

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from equipoise.cli.finite import FiniteRange
from equipoise.cli.screen import write, write_json
from equipoise.errors import as_word

if TYPE_CHECKING:
    from equipoise.studies.loss.grading_told import Tally, Told

_BLOCKED = 3
_MOST_REASONS = 3
_MOST_NOTICES = 8
_ELSEWHERE = "not applicable: the unit has no "


@click.command("grade")
@click.argument("study", type=click.Path(path_type=Path))
@click.option(
    "--catalog",
    type=click.Path(path_type=Path),
    help="Grade under this loss-catalog.vN.json in place of the planned one.",
)
@click.option("--arm", help="Grade the runs of this arm only.")
@click.option("--max-usd", type=FiniteRange(min=0), help="What judges may cost in all.")
@click.option("--no-judges", is_flag=True, help="Ask no judge; what they said before counts.")
@click.option("--json", "as_json", is_flag=True, help="Print what came of it as JSON.")
def command(
    study: Path,
    *,
    catalog: Path | None,
    arm: str | None,
    max_usd: float | None,
    no_judges: bool,
    as_json: bool,
) -> None:
    """Grade the runs of the sealed study in the folder STUDY, without executing its systems.

    Every trial that ended with an outcome gets a grade in every category of the catalog, with a
    verbatim quote or the reason why there is none, and a loss. Findings of reviewers are taken from
    STUDY/findings/*.jsonl. Where the plan names judges, they are asked about blind packets first;
    each answer is kept as it comes, so that nothing is asked twice after any end. Grades under
    another version of the catalog stay as they are; what was graded before is not graded again.

    Exit codes: 0 graded; 1 something archived was altered; 2 the catalog or a finding is refused
    (nothing is graded); 3 a precondition is missing (not sealed, no runs, the reference set has
    drifted, a judge's key, the disk is full), or judges were stopped by a limit or gave no answer;
    130 interrupted: grade again and it goes on.
    """
    from equipoise.cli.clock import exact_now, now
    from equipoise.cli.kinds import is_rating

    if is_rating(study):
        from equipoise.cli.rating_grading import grade_rating

        code = grade_rating(study, max_usd=max_usd, no_judges=no_judges, as_json=as_json)
        raise SystemExit(code)
    from equipoise.cli.grade_judges import judge_lines, judging
    from equipoise.studies.loss.grading import Asked, grade_study
    from equipoise.wiring.suites import suites

    with _progress() as on_progress, judging(study, exact_now, max_usd) as means:
        asked = Asked(
            study=study,
            today=now().date(),
            catalog=catalog,
            arm=arm,
            suites=suites(now),
            judges=None if no_judges else means,
        )
        graded = grade_study(asked, on_progress=on_progress)
    stopped = next((told.judged.stopped for told in graded if told.judged.stopped), "")
    if as_json:
        write_json(_as_json(study, graded))
    else:
        write("".join(f"{line}\n" for line in judge_lines(graded)))
        write("".join(f"{line}\n" for told in graded for line in _lines(told)))
        versions = sorted({told.version for told in graded})
        other = f" --catalog {versions[0]}" if catalog is not None and len(versions) == 1 else ""
        without = sorted({told.arm for told in graded if not told.n_trials})
        for name in without:
            write(
                f"next: equipoise run {as_word(study)} --arm "
                f"{name}, which has no trial yet; then grade\n"
            )
        if stopped:
            write(f"judges were stopped: {stopped}\nnext: equipoise grade {as_word(study)}\n")
        elif not without:
            write(f"next: equipoise compare {as_word(study)}{other}\n")
    if stopped:
        raise SystemExit(_BLOCKED)


def _lines(told: "Told") -> Iterator[str]:
    new = f"{told.n_new:,} graded now" if told.n_new else "nothing new"
    yield f"{told.arm}: {told.n_trials:,} trials under {told.version}, {new}  [{told.run_id}]"
    yield "  losses: 0 = nothing lost, 1 = all"
    if told.endings:
        ended = ", ".join(f"{n:,} {kind}" for kind, n in told.endings.items())
        yield f"  no outcome  {ended}: not graded, and no loss"
    width = max(len(name) for name in told.categories)
    for name, tally in told.categories.items():
        yield f"  {name:{width}}  {_told(tally)}"
    if told.rubric:
        yield "  rubric: " + ", ".join(f"{n:,} {word}" for word, n in told.rubric.items())
    if told.changes:
        yield f"  against {told.old}, under which these trials were graded before:"
        yield from (f"    {line}" for line in told.changes)
    for notice in told.notices[:_MOST_NOTICES]:
        where = f" [{notice.where}]" if notice.where else ""
        yield f"  {notice.severity.value}: {notice.message}{where}"
    if len(told.notices) > _MOST_NOTICES:
        yield f"  … and {len(told.notices) - _MOST_NOTICES} more: equipoise grade … --json"


def _told(tally: "Tally") -> str:
    parts = []
    if tally.mean is not None:
        parts.append(f"mean {tally.mean:.4f}, lost in {tally.n_lost:,} of {tally.n_values:,}")
    why = Counter({said: n for said, n in tally.why.items() if not _is_elsewhere(said)})
    if elsewhere := tally.why.total() - why.total():
        parts.append(f"not asked for in {elsewhere:,}")
    for said, n in why.most_common(_MOST_REASONS):
        parts.append(f"{n:,} unbewertbar ({said.removeprefix('unbewertbar: ')})")
    more = len(why) - _MOST_REASONS
    return "; ".join(parts) + (f"; and {more} further reasons" if more > 0 else "")


def _is_elsewhere(why: str) -> bool:
    """Says whether a category means nothing in a unit, as hidden tests where there are none."""
    return why.removeprefix("unbewertbar: ").startswith(_ELSEWHERE)


def _as_json(study: Path, graded: "list[Told]") -> str:
    from equipoise.cli.grade_judges import judges_json
    from equipoise.records.codec import pretty

    runs = [
        {
            "run_id": told.run_id,
            "arm": told.arm,
            "mode": told.mode,
            "version": told.version,
            "n_trials": told.n_trials,
            "n_new": told.n_new,
            "endings": told.endings,
            "categories": {
                name: {
                    "mean": tally.mean,
                    "n_values": tally.n_values,
                    "n_lost": tally.n_lost,
                    "n_cited": tally.n_cited,
                    "n_clipped": tally.n_clipped,
                    "n_withheld": tally.n_withheld,
                    "unbewertbar": dict(tally.why.most_common()),
                }
                for name, tally in told.categories.items()
            },
            "double_rating": told.shares,
            **({"rubric": told.rubric} if told.rubric else {}),
            "against": told.old,
            "changes": told.changes,
            "notices": told.notices,
        }
        for told in graded
    ]
    whole = {"study": str(study), "runs": runs, "judges": judges_json(graded)}
    return pretty({key: value for key, value in whole.items() if value is not None}).decode()


@contextmanager
def _progress() -> Iterator[Callable[[str, int, int], None] | None]:
    """Shows how far the grading is, on a terminal only."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress, TaskID

    with Progress(console=Console(stderr=True), transient=True) as shown:
        tasks: dict[str, TaskID] = {}

        def on_progress(run: str, done: int, total: int) -> None:
            if run not in tasks:
                tasks[run] = shown.add_task(run, total=total)
            shown.update(tasks[run], completed=done)

        yield on_progress
