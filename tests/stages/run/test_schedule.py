"""Which cells there are, in which order, and what of them is still to be executed."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from equipoise.records.brief import Brief
from equipoise.records.cell import Cell
from equipoise.records.plan import UnitPlan
from equipoise.records.trial import Ending, EndingKind, Fault, Trial, trial_id
from equipoise.stages.run.schedule import Standing, cells_of, errands, ordered

FAULTY = Ending(kind=EndingKind.INFRASTRUCTURE_ERROR, fault=Fault.INFRASTRUCTURE, is_retriable=True)


def unit(number: int, repetitions: int = 1, partition: str = "all") -> UnitPlan:
    return UnitPlan(id=f"u{number}", partition=partition, sha256="", repetitions=repetitions)


def trial(attempt: int, ending: Ending) -> Trial:
    name = trial_id("u0", "new", None, 1, attempt)
    return Trial(id=name, unit="u0", arm="new", attempt=attempt, ending=ending)


def test_every_unit_is_there_as_often_as_planned() -> None:
    cells = cells_of([unit(0), unit(1, 3)], "new")
    assert [(c.unit, c.repetition) for c in cells] == [("u0", 1), ("u1", 1), ("u1", 2), ("u1", 3)]
    assert len({cell.id for cell in cells}) == 4


@given(st.permutations(range(12)), st.integers(0, 2**32), st.sets(st.integers(0, 11)))
def test_the_order_follows_from_the_plan_and_its_seed(
    numbers: list[int], seed: int, gone: set[int]
) -> None:
    units = [unit(n) for n in range(12)]
    cells = [Cell(unit=f"u{n}", arm="new") for n in range(12)]
    whole = ordered(cells, units, seed)
    assert ordered([cells[n] for n in numbers], [units[n] for n in numbers], seed) == whole
    left = [cell for cell in cells if int(cell.unit[1:]) not in gone]
    assert ordered(left, units, seed) == [cell for cell in whole if cell in left]
    other = ordered([Cell(unit=c.unit, arm="old") for c in cells], units, seed)
    assert [c.unit for c in other] == [c.unit for c in whole]


def test_another_seed_gives_another_order() -> None:
    units = [unit(n) for n in range(30)]
    cells = cells_of(units, "new")
    orders = {tuple(c.unit for c in ordered(cells, units, seed)) for seed in range(20)}
    assert len(orders) == 20
    assert tuple(c.unit for c in cells) not in orders


@given(st.integers(0, 2**32), st.integers(1, 8), st.integers(1, 8), st.integers(0, 5))
def test_a_run_that_is_broken_off_has_what_is_most_useful(
    seed: int, n_thin: int, n_thick: int, n_anchors: int
) -> None:
    units = [
        *(unit(n, 3, "thin") for n in range(n_thin)),
        *(unit(100 + n, 3, "thick") for n in range(n_thick)),
        *(unit(200 + n, 1, "thick") for n in range(n_anchors)),
    ]
    kind_of = {one.id: one.partition for one in units}
    cells = ordered(cells_of(units, "new"), units, seed)
    assert {cell.unit for cell in cells[:n_anchors]} == {f"u{200 + n}" for n in range(n_anchors)}
    rest = cells[n_anchors:]
    assert [cell.repetition for cell in rest] == sorted(cell.repetition for cell in rest)
    for at in range(n_thin + n_thick):
        seen = Counter(kind_of[cell.unit] for cell in rest[:at])
        is_one_whole = seen["thin"] == n_thin or seen["thick"] == n_thick
        assert is_one_whole or abs(seen["thin"] - seen["thick"]) <= 1


def left_of(*trials: Trial, max_attempts: int = 2, begun: int = 0) -> list[tuple[int, int]]:
    cell = Cell(unit="u0", arm="new")
    stands = Standing(n_begun=begun)
    for one in trials:
        stands.take(one)
    briefs = {"u0": Brief(unit="u0", content={}, labels={})}
    left = errands([cell], briefs, {cell.id: stands}, max_attempts)
    return [(errand.attempt, errand.n_faults) for errand in left]


def test_what_has_an_outcome_is_not_executed_again() -> None:
    assert left_of(trial(1, Ending())) == []
    assert left_of(trial(1, Ending(fault=Fault.SYSTEM))) == []
    assert left_of(trial(1, FAULTY), trial(2, Ending())) == []


def test_what_failed_for_want_of_infrastructure_is_tried_as_often_as_allowed() -> None:
    assert left_of(trial(1, FAULTY)) == [(2, 1)]
    assert left_of(trial(1, FAULTY), trial(2, FAULTY)) == []
    assert left_of(trial(1, FAULTY), trial(2, FAULTY), max_attempts=3) == [(3, 2)]


def test_attempts_that_were_begun_and_gave_nothing_use_up_no_chance() -> None:
    assert left_of(begun=4) == [(5, 0)]
    assert left_of(trial(2, FAULTY), begun=5) == [(6, 1)]
