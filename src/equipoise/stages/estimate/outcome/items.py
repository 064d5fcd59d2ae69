"""Item analysis: what each hidden test can tell, and which groups of them tell nothing."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np

from equipoise.records.outcome import GroupResult, OutcomeResult
from equipoise.records.outcome_report import GroupAlarm, Item, ItemFlag, OutcomeFile
from equipoise.records.proof import Proof
from equipoise.records.suite_run import TestOutcome

_GROUPS = ("explicit", "implicit")
_LEAST_CELLS = 4
_ALIKE = frozenset({ItemFlag.CEILING, ItemFlag.FLOOR})
_BY_PROOF = frozenset({ItemFlag.FREE, ItemFlag.NOT_RED, ItemFlag.NOT_GREEN})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cell:
    """One cell's hidden tests: test id -> whether it passed; `work` names the diff."""

    arm: str
    passed: dict[str, bool]
    groups: dict[str, str]


def items_of(
    results: Sequence[OutcomeResult], proofs: Mapping[str, Proof], arms: tuple[str, str]
) -> tuple[Item, ...]:
    """Gives the statistics of each hidden test, scenario by scenario.

    Discrimination is the corrected item-total correlation over cells: a test against the share
    that the other hidden tests of its scenario passed (Lord and Novick 1968, section 15.3; the item
    itself is left out of the total, as Henrysson 1963 has it). It does not exist where all cells
    are alike, where a scenario has one test, or with fewer than 4 cells.

    Args:
        results: every cell that is looked at, of all arms.
        proofs: scenario -> its stored proof.
        arms: the new and the base arm, for the difference between them.
    """
    found: list[Item] = []
    for scenario in dict.fromkeys(one.scenario for one in results):
        kept = [one for one in results if one.scenario == scenario]
        found += _of_scenario(scenario, kept, proofs.get(scenario), arms)
    return tuple(found)


def as_proved(
    items: Sequence[Item], stored: OutcomeFile | None, remade: Collection[str]
) -> tuple[Item, ...]:
    """Gives items with what earlier proofs said, as far as a stored file has kept it.

    Args:
        items: as the proofs of today have them.
        stored: the file that was made while other proofs stood there; null = there is none.
        remade: the scenarios whose proofs are others by now.
    """
    kept = {
        (one.scenario, one.group, one.test): one
        for one in (stored.items if stored else ())
        if one.scenario in remade
    }

    def as_then(one: Item) -> Item:
        was = kept.get((one.scenario, one.group, one.test))
        if was is None:
            return one
        own = [flag for flag in one.flags if flag not in _BY_PROOF]
        flags = (*own, *(flag for flag in was.flags if flag in _BY_PROOF))
        order = list(ItemFlag)
        return msgspec.structs.replace(
            one, red=was.red, green=was.green, flags=tuple(sorted(flags, key=order.index))
        )

    return tuple(as_then(one) for one in items)


def _of_scenario(
    scenario: str, results: Sequence[OutcomeResult], proof: Proof | None, arms: tuple[str, str]
) -> Iterator[Item]:
    cells = [cell for one in results if (cell := _cell(one)) is not None]
    groups = {test: group for cell in cells for test, group in cell.groups.items()}
    n_arms = len({cell.arm for cell in cells})
    for test, group in groups.items():
        having = [cell for cell in cells if test in cell.passed]
        passed = _by_arm(having, test)
        discrimination, why = _discrimination(having, test)
        red = _proved(proof, "red", group, test, wanted=False)
        green = _proved(proof, "reference", group, test, wanted=True)
        literal = _proved(proof, "literal", group, test, wanted=True)
        item = Item(
            scenario=scenario,
            group=group,
            test=test,
            red=red,
            green=green,
            passed=passed,
            discrimination=discrimination,
            between=_between(passed, arms),
            n_cells=len(having),
            why=why,
        )
        yield _flagged(item, n_arms, is_free=group == "implicit" and bool(literal))


def _cell(result: OutcomeResult) -> _Cell | None:
    """Gives the hidden tests of a cell; null where none counted."""
    groups: dict[str, GroupResult | None] = {
        "explicit": result.hidden_explicit,
        "implicit": result.hidden_implicit,
    }
    passed: dict[str, bool] = {}
    named: dict[str, str] = {}
    for name, group in groups.items():
        if group is None or f"hidden_{name}" not in result.rates or group.why:
            continue
        for one in group.per_test:
            passed[one.id] = one.outcome is TestOutcome.PASSED
            named[one.id] = name
    return _Cell(arm=result.arm, passed=passed, groups=named) if passed else None


def _by_arm(cells: Sequence[_Cell], test: str) -> dict[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    for cell in cells:
        n_passed, n_cells = found.get(cell.arm, (0, 0))
        found[cell.arm] = (n_passed + cell.passed[test], n_cells + 1)
    return found


def _discrimination(cells: Sequence[_Cell], test: str) -> tuple[float | None, str]:
    item = np.array([cell.passed[test] for cell in cells], dtype=float)
    rest = np.array(
        [
            np.mean([ok for name, ok in cell.passed.items() if name != test])
            if len(cell.passed) > 1
            else np.nan
            for cell in cells
        ]
    )
    if item.size < _LEAST_CELLS:
        return None, f"only {item.size} cells"
    if np.isnan(rest).any():
        return None, "its scenario has no other test"
    if not item.std():
        return None, "every cell is alike"
    if not rest.std():
        return None, "the other tests are alike in every cell"
    return float(np.corrcoef(item, rest)[0, 1]), ""


def _between(passed: Mapping[str, tuple[int, int]], arms: tuple[str, str]) -> float | None:
    new, base = (passed.get(arm) for arm in arms)
    if new is None or base is None:
        return None
    return new[0] / new[1] - base[0] / base[1]


def _proved(proof: Proof | None, what: str, group: str, test: str, *, wanted: bool) -> bool | None:
    """Says whether every proof run of a kind ended as wanted for a test; null without such runs."""
    if proof is None:
        return None
    runs = [run for run in proof.runs if run.what == what and run.group == group]
    seen = [run.tests[test] is TestOutcome.PASSED for run in runs if test in run.tests]
    return all(one is wanted for one in seen) if seen else None


def _flagged(item: Item, n_arms: int, *, is_free: bool) -> Item:
    n_passed = sum(passed for passed, _ in item.passed.values())
    met = {
        ItemFlag.CEILING: n_passed == item.n_cells > 0,
        ItemFlag.FLOOR: n_passed == 0,
        ItemFlag.ALL_ARMS_FAIL: n_passed == 0 and n_arms > 1,
        ItemFlag.FREE: is_free,
        ItemFlag.NOT_RED: item.red is False,
        ItemFlag.NOT_GREEN: item.green is False,
    }
    flags = tuple(flag for flag, is_met in met.items() if is_met)
    return msgspec.structs.replace(item, flags=flags)


def alarms_of(items: Sequence[Item]) -> tuple[GroupAlarm, ...]:
    """Gives what stands against whole groups, and against the pack.

    A test that no arm ever passed is an alarm of the pack; a group of which more than half cannot
    tell cells apart measures little, whatever its pass rate.
    """
    return tuple(_alarms(items))


def _alarms(items: Sequence[Item]) -> Iterator[GroupAlarm]:
    for scenario in dict.fromkeys(item.scenario for item in items):
        for group in _GROUPS:
            kept = [one for one in items if (one.scenario, one.group) == (scenario, group)]
            failed = tuple(one.test for one in kept if ItemFlag.ALL_ARMS_FAIL in one.flags)
            if failed:
                what = (
                    "pack alarm: no arm ever passed these tests; look whether they ask for "
                    "something that nobody was told"
                )
                yield GroupAlarm(scenario=scenario, group=group, what=what, tests=failed)
            alike = tuple(one.test for one in kept if _ALIKE & set(one.flags))
            if len(alike) * 2 > len(kept):
                what = (
                    f"{len(alike)} of {len(kept)} tests ended alike in every cell of every arm: "
                    "this group tells the arms hardly apart"
                )
                yield GroupAlarm(scenario=scenario, group=group, what=what, tests=alike)
            free = tuple(one.test for one in kept if ItemFlag.FREE in one.flags)
            if group == "implicit" and len(free) * 2 > len(kept):
                what = (
                    f"{len(free)} of {len(kept)} implicit tests are passed by the literal-minded "
                    "proof too: they come by themselves"
                )
                yield GroupAlarm(scenario=scenario, group=group, what=what, tests=free)
