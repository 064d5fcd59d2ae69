"""Which cells have odd scores: the rules by which they are put into the triage queue."""

from collections.abc import Iterator, Sequence

import numpy as np

from equipoise.records.conduct import Conducted
from equipoise.records.outcome import GroupResult, Kept, OutcomeResult
from equipoise.records.outcome_report import Item, ItemFlag
from equipoise.records.triage import Flagged, FlagKind
from equipoise.records.trial import EndingKind
from equipoise.stages.estimate.outcome.scenarios import HIDDEN, MAIN, value_of

_CONDUCT = {
    Conducted.TEST_EDIT: FlagKind.TEST_EDITS,
    Conducted.TEST_MACHINERY: FlagKind.TEST_EDITS,
    Conducted.HISTORY: FlagKind.HISTORY,
    Conducted.SEARCH: FlagKind.SEARCH,
    Conducted.ESCAPE: FlagKind.ESCAPE,
    Conducted.NETWORK: FlagKind.ESCAPE,
    Conducted.TAMPERING: FlagKind.TAMPERING,
    Conducted.EMPTY_CLAIM: FlagKind.EMPTY_CLAIM,
    Conducted.TRANSCRIPT: FlagKind.TRANSCRIPT,
}
_ALWAYS = frozenset({Conducted.TEST_EDIT})
_INFRASTRUCTURE = frozenset(
    {EndingKind.INFRASTRUCTURE_ERROR.value, EndingKind.HARNESS_ERROR.value, "timed_out"}
)
_LEAST_CELLS = 5
_TIMES = 10.0
_LEAST_MS = 5_000.0
_ORDER = list(FlagKind)


def flagged_of(
    results: Sequence[OutcomeResult], items: Sequence[Item], limit_ms: float
) -> tuple[Flagged, ...]:
    """Gives what waits for a label: whole scenarios first, then cells, in their order.

    Of what an agent did beside its task only what is grave is flagged, and edits of tests always.
    A time is implausible where it contradicts the limit that it had, above the plan's, or where it
    is ten times longer or shorter than the median of its scenario's cells and more than 5 s away.

    Args:
        results: every cell that is looked at, of all arms.
        items: their hidden tests.
        limit_ms: the plan's limit for a cell.
    """
    medians = _medians(results)
    whole = (_scenario(name, results, items) for name in _scenarios(results))
    found = [one for one in whole if one is not None]
    for cell in results:
        told = dict(_cell(cell, medians.get(cell.scenario), limit_ms))
        if told:
            kinds = sorted(told, key=_ORDER.index)
            found.append(_of_cell(cell, kinds, told))
    return tuple(found)


def oracle_of(results: Sequence[OutcomeResult]) -> dict[str, str]:
    """Gives what a scenario is decided by: group -> sha256 of its tests, and of its ``seed``."""
    found: dict[str, str] = {}
    for one in results:
        for name, group in _groups(one).items():
            found[name] = group.suite_sha256
            found["seed"] = group.seed_sha256
    return found


def _medians(results: Sequence[OutcomeResult]) -> dict[str, float]:
    """Gives the median time of the cells of each scenario that has enough of them."""
    times: dict[str, list[float]] = {}
    for one in results:
        if one.wall_ms is not None:
            times.setdefault(one.scenario, []).append(one.wall_ms)
    return {
        name: float(np.median(known)) for name, known in times.items() if len(known) >= _LEAST_CELLS
    }


def _scenarios(results: Sequence[OutcomeResult]) -> list[str]:
    return list(dict.fromkeys(one.scenario for one in results))


def _groups(result: OutcomeResult) -> dict[str, GroupResult]:
    groups = {"explicit": result.hidden_explicit, "implicit": result.hidden_implicit}
    return {name: group for name, group in groups.items() if group is not None}


def _scenario(name: str, results: Sequence[OutcomeResult], items: Sequence[Item]) -> Flagged | None:
    kept = [one for one in results if one.scenario == name]
    told = dict(_whole(name, kept, items))
    if not told:
        return None
    return Flagged(
        id=name,
        scenario=name,
        flags=tuple(sorted(told, key=_ORDER.index)),
        told=tuple(told.values()),
        oracle=oracle_of(kept),
    )


def _whole(
    name: str, results: Sequence[OutcomeResult], items: Sequence[Item]
) -> Iterator[tuple[FlagKind, str]]:
    failed = [
        one.test for one in items if one.scenario == name and ItemFlag.ALL_ARMS_FAIL in one.flags
    ]
    if failed:
        said = f"no arm ever passed {len(failed)} of its hidden tests: {', '.join(failed[:3])}"
        yield FlagKind.ALL_ARMS_FAIL, said
    mains = [value for one in results if (value := value_of(one, MAIN)) is not None]
    n_arms = len({one.arm for one in results if value_of(one, MAIN) is not None})
    if not failed and n_arms > 1 and not any(mains):
        yield FlagKind.ALL_ARMS_FAIL, "no arm reached anything of its main metric in any cell"
    if flaky := sorted(_flaky(results)):
        said = f"the same work passed and failed {', '.join(flaky[:3])}"
        yield FlagKind.FLAKY, said


def _flaky(results: Sequence[OutcomeResult]) -> set[str]:
    """Gives the tests whose outcome differs between cells that left the very same work."""
    seen: dict[tuple[str, str, str], str] = {}
    found = set()
    for one in results:
        for group in _groups(one).values():
            for test in group.per_test:
                key = (group.suite_sha256, group.diff_sha256, test.id)
                if seen.setdefault(key, test.outcome) != test.outcome:
                    found.add(test.id)
    return found


def _of_cell(one: OutcomeResult, kinds: Sequence[FlagKind], told: dict[FlagKind, str]) -> Flagged:
    return Flagged(
        id=one.cell,
        scenario=one.scenario,
        flags=tuple(kinds),
        told=tuple(told[kind] for kind in kinds),
        arm=one.arm,
        repetition=one.repetition,
        run_id=one.run_id,
        trial=one.trial,
        evidence=one.documents,
        oracle=oracle_of([one]),
    )


def _cell(
    one: OutcomeResult, median: float | None, limit_ms: float
) -> Iterator[tuple[FlagKind, str]]:
    for finding in one.found:
        if finding.is_grave or finding.kind in _ALWAYS:
            yield _CONDUCT[finding.kind], finding.told
    if one.regression is Kept.FAIL and value_of(one, HIDDEN) == 1.0:
        yield FlagKind.BROKEN, "every hidden test passes, and the seed's own suite is broken"
    if one.is_executed and one.ending in _INFRASTRUCTURE:
        yield FlagKind.INFRASTRUCTURE, f"{one.ending}: {one.why or 'no detail'}"
    odd = "" if one.wall_ms is None else _odd_time(one.wall_ms, median, limit_ms)
    if said := "; ".join(filter(None, (*one.times, odd))):
        yield FlagKind.TIME, said


def _odd_time(wall_ms: float, median: float | None, limit_ms: float) -> str:
    if wall_ms > limit_ms * 1.1:
        return f"took {wall_ms / 1000:.1f} s, and the limit is {limit_ms / 1000:.0f} s"
    if median is None or abs(wall_ms - median) < _LEAST_MS:
        return ""
    if wall_ms > _TIMES * median or wall_ms * _TIMES < median:
        half = f"half of its scenario's cells {median / 1000:.1f} s or less"
        return f"took {wall_ms / 1000:.1f} s, and {half}"
    return ""
