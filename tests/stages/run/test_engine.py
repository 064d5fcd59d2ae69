"""The engine: bounded, retries only what is not the system's, stops at limits, loses nothing."""

from collections import Counter
from collections.abc import Callable, Iterable

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.ports import Answer
from equipoise.records.brief import Request
from equipoise.records.trial import Ending, EndingKind, Fault, trial_id
from equipoise.stages.run.engine import Tools, execute
from equipoise.stages.run.spending import Spending
from every import for_every
from stages.run.systems import PASSING, Book, Desk, answered, errands_of, executed, terms


@pytest.mark.parametrize("concurrency", [1, 3, 50])
def test_never_more_at_once_than_allowed(concurrency: int) -> None:
    desk, book = Desk(answered, takes_s=0.01), Book()
    progress = executed(desk, book, terms(concurrency=concurrency), 12)
    assert desk.most_at_once == min(concurrency, 12)
    assert progress.n_settled == 12
    assert Counter(e.trial.unit for e in book.executed) == {f"u{i}": 1 for i in range(12)}


class _Overlap(Desk):
    """Knows of each kind of cell how many were under way at most, and what was begun when."""

    def __init__(self, kind_of: Callable[[int], Iterable[str]]) -> None:
        super().__init__(answered)
        self._kind_of = kind_of
        self.now, self.most = Counter[str](), Counter[str]()

    async def execute(self, request: Request) -> Answer:
        number = int(request.brief.unit[1:])
        held = [*self._kind_of(number), "cell"]
        self.asked.append(request)
        self.now.update(held)
        self.most |= self.now
        await anyio.sleep(0.002 + number % 5 * 0.001)
        self.now.subtract(held)
        return answered(request)


@settings(max_examples=12, deadline=None)
@given(
    st.lists(st.sets(st.sampled_from(["model", "sandbox", "database"])), min_size=1, max_size=24),
    st.dictionaries(st.sampled_from(["model", "sandbox", "database"]), st.integers(1, 3)),
    st.integers(1, 8),
)
def test_each_resource_bounds_those_that_need_it_and_nothing_waits_for_ever(
    needs: list[set[str]], resources: dict[str, int], concurrency: int
) -> None:
    desk, book = _Overlap(lambda n: needs[n]), Book()
    shared = terms(concurrency=concurrency, resources=resources)
    progress = executed(desk, book, shared, len(needs), needs=lambda n: needs[n])
    assert progress.n_settled == len(needs)
    assert len({e.trial.unit for e in book.executed}) == len(book.executed) == len(needs)
    assert all(desk.most[name] <= most for name, most in resources.items())
    assert desk.most["cell"] <= concurrency
    free = [number for number, held in enumerate(needs) if not held & resources.keys()]
    begun = [int(request.brief.unit[1:]) for request in desk.asked]
    assert [number for number in begun if number in free] == free, "those that wait for nothing"


def test_a_scarce_resource_keeps_nobody_else_from_working() -> None:
    def needs(number: int) -> tuple[str, ...]:
        return ("sandbox",) if number < 10 else ("model",)

    desk, book = _Overlap(needs), Book()
    limits = terms(concurrency=6, resources={"sandbox": 1, "model": 4})
    executed(desk, book, limits, 30, needs=needs)
    assert dict(desk.most) == {"sandbox": 1, "model": 4, "cell": 5}


def test_a_trial_says_what_was_executed() -> None:
    desk, book = Desk(answered), Book()
    executed(desk, book, terms(), 1)
    (one,) = book.executed
    assert one.trial.id == trial_id("u0", "new", None, 1, 1) == desk.asked[0].trial
    assert one.output == b"u0"
    assert (one.trial.labels, one.trial.is_simulated) == ({"intent": "refund"}, True)
    assert one.trial.started_at == "2026-05-01T00:00:00.000+00:00"


def test_a_passing_fault_is_tried_again_and_is_no_repetition() -> None:
    def second_time(request: Request) -> Answer:
        return answered(request) if request.attempt == 2 else Answer(ending=PASSING)

    desk, book = Desk(second_time), Book()
    progress = executed(desk, book, terms(max_attempts=3), 2)
    tried = sorted((e.trial.unit, e.trial.repetition, e.trial.attempt) for e in book.executed)
    assert tried == [("u0", 1, 1), ("u0", 1, 2), ("u1", 1, 1), ("u1", 1, 2)]
    assert progress.endings == {"completed": 2}
    assert len({request.seed for request in desk.asked if request.brief.unit == "u0"}) == 1


def test_a_fault_that_stays_is_recorded_as_missing_after_the_allowed_attempts() -> None:
    desk, book = Desk(lambda _: Answer(ending=PASSING, retry_after_s=0.0)), Book()
    progress = executed(desk, book, terms(max_attempts=3), 1)
    assert [e.trial.attempt for e in book.executed] == [1, 2, 3]
    assert progress.endings == {"infrastructure_error": 1}


@for_every(
    "ending",
    [
        Ending(kind=EndingKind.COMPLETED, fault=Fault.SYSTEM),
        Ending(kind=EndingKind.TRUNCATED, fault=Fault.SYSTEM),
        Ending(kind=EndingKind.BUDGET, fault=Fault.SYSTEM),
        Ending(kind=EndingKind.REFUSED, fault=Fault.SYSTEM, is_retriable=True),
        Ending(kind=EndingKind.TIMED_OUT, fault=Fault.UNKNOWN),
        Ending(kind=EndingKind.INFRASTRUCTURE_ERROR, fault=Fault.INFRASTRUCTURE),
    ],
)
def test_what_is_the_systems_own_or_does_not_pass_is_never_tried_again(ending: Ending) -> None:
    desk, book = Desk(lambda _: Answer(ending=ending)), Book()
    executed(desk, book, terms(max_attempts=5), 1)
    assert len(desk.asked) == 1


@pytest.mark.requirement("E2E-51")
def test_an_adapter_that_raises_is_the_harnesss_fault() -> None:
    def broken(request: Request) -> Answer:
        raise ZeroDivisionError(request.brief.unit)

    desk, book = Desk(broken), Book()
    progress = executed(desk, book, terms(max_attempts=1), 2)
    assert progress.endings == {"harness_error": 2}
    for one in book.executed:
        assert one.trial.ending.fault is Fault.HARNESS
        assert one.trial.ending.detail == f"ZeroDivisionError: {one.trial.unit}"


def test_money_stops_the_run_once_it_is_spent() -> None:
    desk, book = Desk(answered), Book()
    progress = executed(desk, book, terms(max_usd=1.0, concurrency=1), 10)
    assert progress.n_settled == 4
    assert "max_usd is 1" in progress.stopped


def test_a_number_of_cells_stops_the_run() -> None:
    desk, book = Desk(answered, takes_s=0.01), Book()
    progress = executed(desk, book, terms(concurrency=4), 10, max_cells=3)
    assert progress.n_settled == len(book.executed) == 3
    assert "--max-cells" in progress.stopped


def test_time_stops_the_run_and_what_is_under_way_is_let_go_on() -> None:
    minutes = iter([0.0, 0.0, 30.0, 60.0, *[600.0] * 100])
    desk, book = Desk(answered), Book()
    shared = terms(max_minutes=1.0, concurrency=1)
    spending = Spending(shared.limits, max_cells=None, monotonic=lambda: next(minutes))
    tools = Tools(system=desk, recorder=book, spending=spending)

    async def run() -> int:
        return (await execute(errands_of(9), shared, tools)).n_settled

    assert anyio.run(run) == len(book.executed) == 2


def test_cancelling_aborts_what_is_under_way_and_loses_nothing_that_ended() -> None:
    desk, book = Desk(answered, takes_s=0.05), Book()
    shared = terms(concurrency=2)
    tools = Tools(
        system=desk,
        recorder=book,
        spending=Spending(shared.limits, max_cells=None, monotonic=lambda: 0.0),
    )

    async def run() -> None:
        with anyio.move_on_after(0.18):
            await execute(errands_of(100), shared, tools)

    anyio.run(run)
    done = {(e.trial.unit, e.trial.attempt) for e in book.executed}
    assert book.aborted_attempts
    assert done.isdisjoint(book.aborted_attempts)
    assert done | set(book.aborted_attempts) == set(book.begun_attempts)
