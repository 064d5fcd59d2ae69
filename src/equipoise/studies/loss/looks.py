"""The looks that a plan promises: the units that each one has, and those an archive tells of."""

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from equipoise import __version__
from equipoise.archive.store import Archive
from equipoise.errors import InputError
from equipoise.records.catalog import Catalog
from equipoise.records.event import Event, EventKind
from equipoise.records.plan import Mode, Plan, Stopping
from equipoise.records.suite import SuiteLook
from equipoise.stages.run.schedule import in_unit_order

GO_ON, STOP, NOT_LOOKED = "go on", "stop", "not looked"
"""What a look ends with, as the event of it says."""

_MOST_LOOKS = 200
"""Looks that boundaries are computed for."""

_NUMBERS = ("number", "looks", "n_executed", "n_planned")
_FIGURES = ("fraction", "statistic", "boundary", "delta", "lo", "hi")


@dataclass(frozen=True, slots=True, kw_only=True)
class Looks:
    """The planned looks of one arm: its units in the order of execution, so many at each look."""

    plan: Plan
    order: tuple[str, ...]
    sizes: tuple[int, ...]

    @property
    def fractions(self) -> tuple[float, ...]:
        """Gives the share of the units at each look; the last is 1."""
        return tuple(size / len(self.order) for size in self.sizes)

    def units(self, number: int) -> tuple[str, ...]:
        """Gives the units that are executed by a look, in order."""
        return self.order[: self.sizes[number - 1]]

    def n_executions(self, number: int) -> int:
        """Gives how many executions an arm has by a look."""
        return sum(unit.repetitions for unit in self.cut(number).units)

    def cut(self, number: int) -> Plan:
        """Gives the plan with the units up to a look alone."""
        kept = frozenset(self.units(number))
        units = tuple(unit for unit in self.plan.units if unit.id in kept)
        return msgspec.structs.replace(self.plan, units=units)


def looks_of(plan: Plan) -> Looks | None:
    """Gives the planned looks; null where the plan has no rule for stopping early.

    Raises:
        InputError: more looks than can be planned, or than there are units.
    """
    if plan.stopping is Stopping.NONE:
        return None
    n, looks = len(plan.units), plan.looks
    most = min(n, _MOST_LOOKS)
    if looks > most:
        raise InputError(
            f"stopping.looks is {looks}, with {n} units",
            wanted=f"1 to {most} looks",
            mend="plan fewer looks; 2 to 5 give nearly all that can be saved",
            code="too_many_looks",
        )
    return Looks(
        plan=plan,
        order=tuple(in_unit_order((unit.id for unit in plan.units), plan.seed)),
        sizes=tuple(-(-n * number // looks) for number in range(1, looks + 1)),
    )


def looked_arms(plan: Plan) -> frozenset[str]:
    """Gives the arms that are looked at while they run: all that are executed, under a rule.

    None where the baseline is read from logs: it stands in no mode with what is executed.
    """
    executed = frozenset(arm.name for arm in plan.arms if arm.mode is Mode.A)
    is_read = any(arm.name == plan.baseline and arm.mode is Mode.B for arm in plan.arms)
    return frozenset() if plan.stopping is Stopping.NONE or is_read else executed


def waits_of(plan: Plan, catalog: Catalog) -> list[str]:
    """Says what the looks of a plan will wait for, because no check of the catalog gives it.

    Raises:
        InputError: as `looks_of`.
    """
    looks = looks_of(plan)
    people = [category.id for category in catalog.categories if not category.check]
    if looks is None or plan.looks == 1 or not people:
        return []
    told = (
        f"look 1 of {plan.looks} waits for {', '.join(people)}, which no check finds: `run` halts "
        "at each look with exit code 3 until findings/*.jsonl has it for every trial so far; "
        "`run --skip-looks` goes on to the end, and saves nothing"
    )
    return [told]


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """One look as an archive tells of it: between which runs, under which catalog and margin.

    `results_sha256` are those of the new and the base suite that it saw, `made_by` the version of
    the tool that looked.
    """

    new: str
    base: str
    catalog: str
    mde: float
    outcome: str
    seen: SuiteLook
    results_sha256: tuple[str, str]
    why: str = ""
    made_by: str = __version__

    @property
    def stops(self) -> bool:
        """Says whether the run ends here."""
        return self.outcome == STOP

    def facts(self) -> dict[str, str]:
        """Gives what the event of the look says."""
        seen = {
            name: value if isinstance(value, str) else repr(value)
            for name, value in msgspec.to_builtins(self.seen).items()
            if value is not None
        }
        return seen | {
            "new": self.new,
            "base": self.base,
            "catalog": self.catalog,
            "mde": repr(self.mde),
            "results_sha256": self.results_sha256[0],
            "base_results_sha256": self.results_sha256[1],
            "tool_version": self.made_by,
        }


def taken_in(archive: Archive) -> Iterator[Taken]:
    """Yields the looks that an archive tells of, in order."""
    for event in archive.read(Event):
        if event.kind is EventKind.LOOK:
            yield _taken(event)


def _taken(event: Event) -> Taken:
    facts = event.facts
    read: dict[str, object] = {name: int(facts[name]) for name in _NUMBERS}
    read |= {name: float(facts[name]) for name in _FIGURES if name in facts}
    return Taken(
        new=facts["new"],
        base=facts["base"],
        catalog=facts["catalog"],
        mde=float(facts["mde"]),
        outcome=event.outcome,
        seen=msgspec.convert(
            read | {"rule": facts["rule"], "word": facts.get("word", "")}, SuiteLook
        ),
        results_sha256=(facts["results_sha256"], facts["base_results_sha256"]),
        why=event.detail,
        made_by=facts.get("tool_version", ""),
    )


def last_look(archive: Archive) -> int:
    """Gives the number of the last look that a run went through; 0 before the first."""
    return max((one.seen.number for one in taken_in(archive)), default=0)


def not_executed(archive: Archive) -> tuple[int, int]:
    """Gives the look at which a run stopped, and its executions left out for that; 0 and 0."""
    for event in archive.read(Event):
        if event.kind is EventKind.STOPPED and "look" in event.facts:
            return int(event.facts["look"]), int(event.facts["n_not_executed"])
    return 0, 0
