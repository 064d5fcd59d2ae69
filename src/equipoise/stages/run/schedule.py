"""What an arm still has to execute: its cells, the most useful first, minus what stands."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from equipoise.records.brief import Brief
from equipoise.records.cell import Cell
from equipoise.records.codec import identity_of
from equipoise.records.plan import UnitPlan
from equipoise.records.trial import Ending, EndingKind, Fault, Trial

_MISSING = frozenset(
    {
        EndingKind.INFRASTRUCTURE_ERROR,
        EndingKind.HARNESS_ERROR,
        EndingKind.TIMED_OUT,
        EndingKind.CANCELLED,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """A cell that is to be executed, with what the system may see of its unit.

    `attempt` is the number of the next attempt: one more than was ever begun. `n_faults` counts the
    attempts so far that ended in a fault worth another try. `needs` names the resources of which it
    holds one each for as long as it is under way.
    """

    cell: Cell
    brief: Brief
    attempt: int = 1
    n_faults: int = 0
    needs: frozenset[str] = frozenset()


@dataclass(slots=True)
class Standing:
    """What stands of one cell: how it ended last, and how many attempts were begun."""

    last: Ending | None = None
    last_attempt: int = 0
    n_faults: int = 0
    n_begun: int = 0

    def take(self, trial: Trial) -> None:
        """Takes a recorded trial of the cell."""
        self.n_begun = max(self.n_begun, trial.attempt)
        self.n_faults += is_worth_another(trial.ending)
        if trial.attempt > self.last_attempt:
            self.last, self.last_attempt = trial.ending, trial.attempt

    def is_settled(self, max_attempts: int) -> bool:
        """Says whether the cell needs no further attempt."""
        if self.last is None:
            return False
        return not is_worth_another(self.last) or self.n_faults >= max_attempts


def is_worth_another(ending: Ending) -> bool:
    """Says whether a trial ended in a fault that is not the system's, and may pass."""
    return ending.is_retriable and ending.fault is not Fault.SYSTEM and ending.kind in _MISSING


def cells_of(units: Iterable[UnitPlan], arm: str) -> list[Cell]:
    """Gives every cell of an arm: each unit as often as the plan says."""
    return [
        Cell(unit=unit.id, arm=arm, repetition=repetition)
        for unit in units
        for repetition in range(1, unit.repetitions + 1)
    ]


def ordered(cells: Iterable[Cell], units: Iterable[UnitPlan], seed: int) -> list[Cell]:
    """Gives the cells in the order in which they are begun: what is most useful comes first.

    Anchors first; then every unit once before any a second time; each time by turns one unit of
    every partition, so that a thin one is whole long before one with more units than it needs. A
    run that is broken off has seen all partitions equally deep, and has its anchors. What is
    equally useful comes in an order of the seed. Where a cell stands follows from the plan's units
    alone, and not from the arm: the arms of a study meet their units in the same order.
    """
    by_id = {unit.id: unit for unit in units}
    depth: dict[str, int] = {}
    n_seen: Counter[tuple[str, bool]] = Counter()
    for unit in sorted(by_id, key=lambda unit: (identity_of("order", seed, unit), unit)):
        stratum = (by_id[unit].partition, by_id[unit].repetitions == 1)
        depth[unit] = n_seen[stratum]
        n_seen[stratum] += 1

    def place(cell: Cell) -> tuple[bool, int, int, str, str]:
        is_repeated = by_id[cell.unit].repetitions > 1
        chance = identity_of("order", seed, cell.unit, cell.repetition)
        return is_repeated, cell.repetition, depth[cell.unit], chance, cell.unit

    return sorted(cells, key=place)


def in_unit_order(units: Iterable[str], seed: int) -> list[str]:
    """Gives the units in a random order of the seed, in which they are executed up to each look.

    A unit's repetitions are done together, so that at a look every unit is whole or not begun.
    """
    return sorted(units, key=lambda unit: (identity_of("look", seed, unit), unit))


def errands(
    cells: Iterable[Cell],
    briefs: Mapping[str, Brief],
    standing: Mapping[str, Standing],
    max_attempts: int,
    needs: frozenset[str] = frozenset(),
) -> list[Errand]:
    """Gives what is still to be executed, in the order of the cells."""
    left = []
    for cell in cells:
        stands = standing.get(cell.id, Standing())
        if not stands.is_settled(max_attempts):
            left.append(
                Errand(
                    cell=cell,
                    brief=briefs[cell.unit],
                    attempt=stands.n_begun + 1,
                    n_faults=stands.n_faults,
                    needs=needs,
                )
            )
    return left
