"""Judges on the screen: how far asking is and what it has cost, and what came of it."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from equipoise.pipeline.judging_terms import Means, Progress
    from equipoise.studies.loss.grading_told import Told


@contextmanager
def judging(study: Path, clock: Callable[[], datetime], max_usd: float | None) -> "Iterator[Means]":
    """Gives what judges are asked with; shows how far it is, on a terminal only."""
    from equipoise.pipeline.judging_terms import Means
    from equipoise.wiring.judges import judges

    opened = judges(study, clock)
    if not sys.stderr.isatty():
        yield Means(opened=opened, clock=clock, max_usd=max_usd)
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as shown:
        task: list[Any] = []

        def on_progress(told: "Progress") -> None:
            cost = "" if told.usd is None else f", ${told.usd:.4f}"
            words = f"judges: {told.n_done:,} of {told.n_total:,}{cost}"
            if not task:
                task.append(shown.add_task(words, total=told.n_total))
            shown.update(task[0], description=words, completed=told.n_done, total=told.n_total)

        yield Means(opened=opened, clock=clock, max_usd=max_usd, on_progress=on_progress)


def money(usd: float | None, n_unpriced: int, *, is_simulated: bool) -> str:
    """Gives what judges have cost so far, in words."""
    if is_simulated:
        return "simulated"
    if usd is None:
        return "price unknown"
    more = f" and {n_unpriced:,} answers of unknown price" if n_unpriced else ""
    return f"${usd:.4f} so far{more}"


def judge_lines(graded: "Sequence[Told]") -> Iterator[str]:
    """Yields what judges said, once for all runs; nothing where nobody was asked."""
    if not graded or not graded[0].judged.readable:
        return
    judged = graded[0].judged
    n_new = sum(told.n_new for told in judged.told.values())
    costs = [told.usd for told in judged.told.values() if told.usd is not None]
    n_unpriced = sum(told.n_unpriced for told in judged.told.values())
    usd = sum(costs) if costs else None
    cost = money(usd, n_unpriced, is_simulated=judged.is_simulated)
    for one in judged.readable:
        states: dict[str, int] = {}
        for counts in one.by_arm.values():
            for state, n in counts.items():
                states[state] = states.get(state, 0) + n
        told = ", ".join(f"{n:,} {state}" for state, n in sorted(states.items())) or "nothing"
        yield f"judge {one.judge}: {told}; {n_new:,} answers now, {cost}"


def judges_json(graded: "Sequence[Told]") -> Any:
    """Gives what judges said, for programs; null where nobody was asked."""
    if not graded or not graded[0].judged.readable:
        return None
    judged = graded[0].judged
    return {
        "is_simulated": judged.is_simulated,
        "stopped": judged.stopped,
        "asked": {
            run: {"n": t.n_asked, "n_new": t.n_new, "usd": t.usd, "n_unpriced": t.n_unpriced}
            for run, t in judged.told.items()
        },
        "judges": [
            {
                "judge": one.judge,
                "by_arm": one.by_arm,
                "n_answers": one.n_answers,
                "n_unreadable": one.n_unreadable,
                "is_usable": one.is_usable,
                "p_arms": one.p_arms,
                "is_validated": False,
            }
            for one in judged.readable
        ],
    }
