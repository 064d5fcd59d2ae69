"""A rate limit is one for all cells: who asks to wait holds every attempt back."""

import time
from dataclasses import replace

import anyio
import pytest
from msgspec import structs

from equipoise.ports import Answer
from equipoise.records.brief import Request
from equipoise.records.plan import Limits
from equipoise.stages.run.engine import Progress, Tools, execute
from equipoise.stages.run.spending import Spending
from stages.run.systems import PASSING, Book, Desk, answered, errands_of, executed, terms


def limited(request: Request, wait_s: float) -> Answer:
    """Asks the first request of u0 to wait; answers everything else."""
    if request.brief.unit == "u0" and request.attempt == 1:
        return Answer(ending=PASSING, retry_after_s=wait_s)
    return answered(request)


def test_one_that_has_to_wait_holds_all_others_back() -> None:
    begun: list[tuple[float, str, int]] = []

    def answers(request: Request) -> Answer:
        begun.append((time.monotonic(), request.brief.unit, request.attempt))
        return limited(request, 0.4)

    book = Book()
    progress = executed(Desk(answers), book, terms(concurrency=2, max_attempts=2), 6)
    assert progress.endings == {"completed": 6}
    start = begun[0][0]
    early = [unit for at, unit, _ in begun if at - start < 0.35]
    late = [(unit, number) for at, unit, number in begun if at - start >= 0.35]
    assert early == ["u0", "u1"], "what was under way went on, and nothing else began"
    assert ("u0", 2) in late
    assert len(late) == 5


def test_a_pause_worth_telling_is_recorded() -> None:
    book, told = Book(), list[str]()
    shared = terms(concurrency=1)
    told_off = Answer(ending=structs.replace(PASSING, detail="429"), retry_after_s=1.1)
    desk = Desk(lambda request: told_off if request.attempt == 1 else answered(request))
    tools = Tools(
        system=desk,
        recorder=book,
        spending=Spending(shared.limits, max_cells=None, monotonic=time.monotonic),
        on_settled=lambda progress: told.append(progress.waits),
    )

    async def run() -> Progress:
        return await execute(errands_of(1), shared, tools)

    anyio.run(run)
    assert book.pauses == [(1.1, "429")]
    assert told == ["1 s: 429", ""]


@pytest.mark.parametrize(("wait_s", "minutes"), [(7200.0, None), (120.0, 1.0)])
def test_a_run_that_would_wait_for_too_long_stops_and_can_be_taken_up(
    wait_s: float, minutes: float | None
) -> None:
    shared = replace(terms(), limits=Limits(cell_timeout_s=5.0, max_minutes=minutes, concurrency=1))
    began = time.monotonic()
    desk = Desk(lambda request: limited(request, wait_s))
    progress = executed(desk, Book(), shared, 3)
    assert time.monotonic() - began < 5
    assert progress.stopped.startswith(f"asked to wait {wait_s:,.0f} s")
    assert (progress.n_settled, len(desk.asked)) == (0, 1)
