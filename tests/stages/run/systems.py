"""A system within the process, for the engine: answers by a function, and counts what it does."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any, Self

import anyio

from equipoise.ports import Answer
from equipoise.records.brief import Brief, Request
from equipoise.records.cell import Cell
from equipoise.records.plan import Limits
from equipoise.records.trial import Ending, EndingKind, Fault
from equipoise.stages.run.attempt import Executed, Terms
from equipoise.stages.run.engine import Progress, Tools, execute
from equipoise.stages.run.schedule import Errand
from equipoise.stages.run.spending import Spending

PASSING = Ending(
    kind=EndingKind.INFRASTRUCTURE_ERROR, fault=Fault.INFRASTRUCTURE, is_retriable=True
)


class Desk:
    """Gives what `answers` gives; knows how many requests were under way at most."""

    is_simulated = True

    def __init__(self, answers: Callable[[Request], Answer], *, takes_s: float = 0.0) -> None:
        self._answers, self._takes_s = answers, takes_s
        self.n_now = self.most_at_once = 0
        self.asked: list[Request] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        """Has nothing to end."""

    async def execute(self, request: Request) -> Answer:
        self.asked.append(request)
        self.n_now += 1
        self.most_at_once = max(self.most_at_once, self.n_now)
        try:
            await anyio.sleep(self._takes_s)
            return self._answers(request)
        finally:
            self.n_now -= 1

    async def canary(self, request: Request) -> Answer:
        return await self.execute(request)


class Book:
    """A recorder that keeps everything in memory."""

    def __init__(self) -> None:
        self.begun_attempts: list[tuple[str, int]] = []
        self.executed: list[Executed] = []
        self.aborted_attempts: list[tuple[str, int]] = []
        self.pauses: list[tuple[float, str]] = []

    def begun(self, cell: Cell, attempt: int) -> None:
        self.begun_attempts.append((cell.unit, attempt))

    def record(self, executed: Executed) -> None:
        self.executed.append(executed)

    async def room(self) -> None:
        """There is always room."""

    def aborted(self, cell: Cell, attempt: int, why: str) -> None:
        assert why
        self.aborted_attempts.append((cell.unit, attempt))

    def paused(self, seconds: float, why: str) -> None:
        self.pauses.append((seconds, why))


def answered(request: Request) -> Answer:
    return Answer(ending=Ending(), output=request.brief.unit.encode(), cost_usd=0.25)


def errands_of(n: int, needs: Callable[[int], Iterable[str]] = lambda _: ()) -> list[Errand]:
    return [
        Errand(
            cell=Cell(unit=f"u{i}", arm="new"),
            brief=Brief(unit=f"u{i}", content={}, labels={"intent": "refund"}),
            needs=frozenset(needs(i)),
        )
        for i in range(n)
    ]


def terms(**limits: Any) -> Terms:
    return Terms(
        seed=7,
        witness="",
        limits=Limits(**{"cell_timeout_s": 5.0, **limits}),
        clock=lambda: datetime(2026, 5, 1, tzinfo=UTC),
    )


def executed(
    desk: Desk,
    book: Book,
    shared: Terms,
    n: int,
    *,
    max_cells: int | None = None,
    needs: Callable[[int], Iterable[str]] = lambda _: (),
) -> Progress:
    """Executes n errands and gives how far it came; `needs` are the resources of each."""
    tools = Tools(
        system=desk,
        recorder=book,
        spending=Spending(shared.limits, max_cells=max_cells, monotonic=lambda: 0.0),
    )

    async def run() -> Progress:
        return await execute(errands_of(n, needs), shared, tools)

    return anyio.run(run)
