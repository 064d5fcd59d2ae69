"""Which cells there are, in which order, and what of them is still to be executed."""

from hypothesis import given
from hypothesis import strategies as st

from equipoise.records.brief import Brief
from equipoise.records.cell import Cell
from equipoise.records.plan import UnitPlan
from equipoise.records.trial import Ending, EndingKind, Fault, Trial, trial_id
from equipoise.stages.run.schedule import Standing, cells_of, errands, shuffled

FAULTY = Ending(kind=EndingKind.INFRASTRUCTURE_ERROR, fault=Fault.INFRASTRUCTURE, is_retriable=True)


def unit(number: int, repetitions: int = 1) -> UnitPlan:
    return UnitPlan(id=f"u{number}", partition="all", sha256="", repetitions=repetitions)


def trial(attempt: int, ending: Ending) -> Trial:
    name = trial_id("u0", "new", None, 1, attempt)
    return Trial(id=name, unit="u0", arm="new", attempt=attempt, ending=ending)


def test_every_unit_is_there_as_often_as_planned() -> None:
    cells = cells_of([unit(0), unit(1, 3)], "new")
    assert [(c.unit, c.repetition) for c in cells] == [("u0", 1), ("u1", 1), ("u1", 2), ("u1", 3)]
    assert len({cell.id for cell in cells}) == 4


@given(st.permutations(range(12)), st.integers(0, 2**32), st.sets(st.integers(0, 11)))
def test_the_order_follows_from_the_seed_alone(
    numbers: list[int], seed: int, gone: set[int]
) -> None:
    cells = [Cell(unit=f"u{n}", arm="new") for n in range(12)]
    ordered = shuffled(cells, seed)
    assert shuffled([cells[n] for n in numbers], seed) == ordered
    left = [cell for cell in cells if int(cell.unit[1:]) not in gone]
    assert shuffled(left, seed) == [cell for cell in ordered if cell in left]
    other = shuffled([Cell(unit=c.unit, arm="old") for c in cells], seed)
    assert [c.unit for c in other] == [c.unit for c in ordered]


def test_another_seed_gives_another_order() -> None:
    cells = [Cell(unit=f"u{n}", arm="new") for n in range(30)]
    orders = {tuple(c.unit for c in shuffled(cells, seed)) for seed in range(20)}
    assert len(orders) == 20
    assert tuple(c.unit for c in cells) not in orders


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
