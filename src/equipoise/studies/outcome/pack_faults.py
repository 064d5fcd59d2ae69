"""What must hold of a scenario as it is written, before any of its files is looked at or run."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from equipoise.errors import nearest
from equipoise.records.scenario import Pack, Scenario, ScenarioKind
from equipoise.studies.outcome.expectations import is_to_stop

ORIGINS = ("built", "snapshot", "fork")
REPOSITORY = "seed-repo"
TIERS = ("easy", "medium", "hard")
_TESTED = (ScenarioKind.FIX, ScenarioKind.FEATURE, ScenarioKind.EPIC)

Library = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""Seed -> bug -> what its recipe says of it."""


def scenario_faults(scenario: Scenario, name: str, library: Library) -> Iterator[str]:
    """Yields what is wrong with a scenario; `name` is that of its folder."""
    hidden = scenario.hidden_tests
    named = [*hidden.explicit, *hidden.implicit]
    if scenario.id != name:
        yield f"its id is {scenario.id!r}, its folder {name!r}"
    if scenario.answer_type != "e2e-outcome":
        yield f"answerType is {scenario.answer_type!r}; wanted 'e2e-outcome'"
    if not scenario.prompt.strip():
        yield "there is no prompt: a task in the words of a user"
    is_tested = scenario.kind in _TESTED and not is_to_stop(scenario)
    if is_tested and not named:
        yield "there are no hidden tests, and nothing else decides"
    if is_tested and named and not hidden.explicit:
        yield "there are no explicit hidden tests: nothing holds the work to what the prompt says"
    if scenario.kind is ScenarioKind.STOP and scenario.expected_end_state is None:
        yield "kind is stop and there is no expected_end_state"
    if scenario.kind is ScenarioKind.DECOMPOSE and not scenario.items:
        yield "kind is decompose and there are no items"
    if scenario.difficulty is not None and scenario.difficulty not in TIERS:
        yield f"difficulty is {scenario.difficulty!r}; wanted one of {', '.join(TIERS)}"
    if not scenario.time_limit_s > 0:
        yield f"time_limit_s is {scenario.time_limit_s:g}; wanted seconds above 0"
    yield from _seed_faults(scenario, library)
    yield from _rule_faults(scenario)


def pack_faults(
    pack: Pack, seeds: Library, skills: frozenset[str], snapshots: Iterable[str]
) -> Iterator[str]:
    """Yields what is wrong with `pack.yaml`, given the seeds and skills that are there."""
    if pack.origin not in ORIGINS:
        yield f"origin is {pack.origin!r}; wanted one of {', '.join(ORIGINS)}"
    for name in sorted(snapshots) if pack.origin == "built" else ():
        yield (
            f"origin is 'built', and seed {name!r} is a snapshot: results of the two are never "
            "pooled; mend: a pack of its own, with origin: snapshot"
        )
    for what, given, there in (
        ("seed", pack.seeds, frozenset(seeds)),
        ("skill", pack.skills, skills),
    ):
        for name in given:
            if name not in there:
                meant = nearest(name, sorted(there))
                yield f"there is no {what} {name!r}" + (f"; {meant}" if meant else "")
    for what, given in (
        ("seed", pack.seeds),
        ("scenario", pack.scenarios),
        ("skill", pack.skills),
    ):
        for name in sorted({name for name in given if given.count(name) > 1}):
            yield f"{what} {name!r} is named twice"


def _seed_faults(scenario: Scenario, library: Library) -> Iterator[str]:
    if scenario.seed == REPOSITORY:
        if scenario.bug_id:
            yield f"bug_id is {scenario.bug_id!r}, and a {REPOSITORY} has no library of bugs"
        return
    if scenario.seed not in library:
        meant = nearest(scenario.seed, [*library, REPOSITORY])
        yield f"there is no seed {scenario.seed!r} below seeds/" + (f"; {meant}" if meant else "")
        return
    bugs = library[scenario.seed]
    if scenario.kind is ScenarioKind.FIX and not scenario.bug_id and bugs:
        yield "kind is fix and there is no bug_id: which bug of the seed's library"
    if not scenario.bug_id:
        return
    if scenario.bug_id not in bugs:
        meant = nearest(scenario.bug_id, list(bugs))
        yield f"seed {scenario.seed} has no bug {scenario.bug_id!r}" + (
            f"; {meant}"
            if meant
            else f"; it has {', '.join(bugs)}"
            if bugs
            else "; it has none: where the bug is in the seed as it stands, leave bug_id out"
        )
        return
    pattern = str(bugs[scenario.bug_id].get("pattern", ""))
    if pattern != scenario.pattern:
        yield (
            f"pattern is {scenario.pattern!r}; bug {scenario.bug_id} of seed {scenario.seed} has "
            f"{pattern!r}"
        )


def _rule_faults(scenario: Scenario) -> Iterator[str]:
    for need in scenario.dependencies:
        if not need.provided and not need.exemption:
            yield f"dependency {need.name!r} is neither provided nor exempted"
    if not scenario.regression.command:
        yield "regression has no command: how the seed's own suite is run"
    names = [gate.id for gate in scenario.dod_gate]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"dod_gate names {name!r} twice"
    for gate in scenario.dod_gate:
        if not gate.command:
            yield f"dod_gate {gate.id!r} has no command"
