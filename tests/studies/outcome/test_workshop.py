"""The built-in pack: what is in it, and that its scripted agents and its documents fit it."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

import equipoise
from equipoise.adapters.workspaces.recipe import File
from equipoise.adapters.workspaces.woven import read_recipe
from equipoise.records.codec import digest
from equipoise.records.scenario import Confirmation, Scenario, ScenarioKind
from equipoise.records.yaml_text import parse
from equipoise.stages.grade.contracts import contract_faults
from equipoise.stages.grade.keywords import has_keyword
from equipoise.stages.grade.material import Page
from equipoise.stages.grade.written import words
from equipoise.studies.outcome.contract_files import contracted
from equipoise.studies.outcome.metrics import main_metric
from equipoise.studies.outcome.packs import read_pack
from studies.loss.compared_loss_runs import called
from studies.loss.made_agents import NEEDS_BWRAP
from studies.outcome.outcome_studies import graded, made, of_the_pack

WORKSHOP = Path(equipoise.__file__).parent / "examples" / "workshop"
AGENTS = tuple(sorted(path.stem for path in WORKSHOP.glob("agents/*.yaml")))
CHEATS = ("edits-tests", "looks-for-hidden", "prints-success", "reads-history")
SCENARIOS = {one.id: one for one in read_pack(WORKSHOP).scenarios}


@cache
def cases(agent: str) -> Any:
    path = WORKSHOP / "agents" / f"{agent}.yaml"
    return parse(path.read_bytes(), name=path.name).value["cases"]


def done_by(agent: str, scenario: str) -> list[Mapping[str, Any]]:
    """The actions of an agent in a scenario: the first case that fits is taken."""
    for case in cases(agent):
        if fnmatchcase(scenario, case.get("when", {}).get("unit", "*")):
            actions: list[Mapping[str, Any]] = case["do"]
            return actions
    return []


@cache
def seed_of(seed: str, bug: str | None) -> Mapping[str, str]:
    files: dict[str, str] = {}
    for commit in read_recipe(WORKSHOP / "seeds" / seed).commits(bug):
        for path, held in commit.files.items():
            content = held.content if isinstance(held, File) else held or b""
            files[path] = content.decode("utf-8")
    return files


def written(agent: str, scenario: str) -> dict[str, str]:
    found = (action.get("write") for action in done_by(agent, scenario))
    return {one["path"]: one["text"] for one in found if one}


def broken(agent: str, scenario: Scenario) -> Iterator[str]:
    """What is wrong with the documents that an agent leaves, by the contracts of the pack."""
    left = written(agent, scenario.id)
    for rule in contracted(WORKSHOP, scenario):
        paths = [path for path in left if fnmatchcase(path, rule.glob)]
        if not paths:
            yield f"{scenario.id}: no {rule.glob}"
        for path in paths:
            content = left[path].encode()
            seen = Page(name=path, sha256=digest(content), content=content, text=left[path])
            yield from (f"{path}: {why}" for why, _ in contract_faults(rule.contract, seen))


def names_the_cause(agent: str, scenario: Scenario) -> bool:
    cause = scenario.root_cause
    assert cause is not None
    left = written(agent, scenario.id)
    (text,) = [text for path, text in left.items() if fnmatchcase(path, cause.document)]
    return all(any(has_keyword(words(text), one) for one in group) for group in cause.keywords)


@pytest.mark.requirement("OUT-17")
@pytest.mark.requirement("OUT-30")
@pytest.mark.requirement("OUT-55")
def test_the_pack_has_every_kind_in_several_tiers_on_two_seeds() -> None:
    kinds = Counter(one.kind for one in SCENARIOS.values())
    assert kinds[ScenarioKind.FIX] >= 8
    assert kinds[ScenarioKind.STOP] >= 2
    assert kinds[ScenarioKind.DECOMPOSE] == 2
    assert kinds[ScenarioKind.EPIC] == 1
    fixes = [one for one in SCENARIOS.values() if one.kind is ScenarioKind.FIX]
    assert {one.difficulty for one in fixes} == {"easy", "medium", "hard"}
    assert len({one.pattern for one in fixes}) >= 8
    features = [one for one in SCENARIOS.values() if one.kind is ScenarioKind.FEATURE]
    tested = [one for one in features if one.hidden_tests.explicit and one.hidden_tests.implicit]
    assert len(tested) >= 6
    not_for_all = {Confirmation.SECOND_TURN}  # which not every harness can take
    assert {one.confirmation for one in features} == set(Confirmation) - not_for_all
    assert {one.seed for one in SCENARIOS.values()} == {"tally", "depot"}
    held = {one.kind for one in SCENARIOS.values() if one.held_out}
    assert held == {ScenarioKind.FIX, ScenarioKind.FEATURE, ScenarioKind.STOP}


@pytest.mark.requirement("X-O3")
def test_what_decides_about_a_scenario_is_what_its_kind_asks() -> None:
    decides = {one.id: main_metric(one) for one in SCENARIOS.values()}
    assert {decides[name] for name in decides if name.startswith("i0")} == {"hidden"}
    stops = ("i10-euros-and-dollars", "s02-names-in-events")
    assert [decides[name] for name in stops] == ["end_state"] * 2
    assert {decides[name] for name in decides if name.startswith("d")} == {"decomposition"}


@pytest.mark.requirement("OUT-38")
def test_each_skill_says_what_it_relies_on_and_each_scenario_provides_or_exempts_it() -> None:
    for one in SCENARIOS.values():
        text = WORKSHOP.joinpath(f"skills/{one.skill_under_test}/SKILL.md").read_text("utf-8")
        front = yaml.safe_load(text.split("---\n")[1])
        assert front["name"] == one.skill_under_test
        assert len(front["description"]) > 40
        assert {held.name for held in one.dependencies} == set(front["dependencies"]), one.id


@pytest.mark.parametrize("agent", AGENTS)
def test_an_agent_has_work_for_every_scenario_and_its_edits_fit_the_seed(agent: str) -> None:
    for one in SCENARIOS.values():
        actions = done_by(agent, one.id)
        assert actions, f"{agent} has no case for {one.id}"
        files = dict(seed_of(one.seed, one.bug_id))
        touched = set()
        for action in actions:
            edit, write = action.get("edit"), action.get("write")
            touched |= {held["path"] for held in (edit, write) if held}
            if edit:
                assert files[edit["path"]].count(edit["old"]) == 1, (agent, one.id, edit["old"])
                files[edit["path"]] = files[edit["path"]].replace(edit["old"], edit["new"])
            if write:
                files[write["path"]] = write["text"]
        for path in touched:
            if path.endswith(".py"):
                compile(files[path], path, "exec")


@pytest.mark.requirement("OUT-15")
@pytest.mark.requirement("OUT-18")
def test_the_documents_of_the_senior_keep_their_contracts_and_name_the_cause() -> None:
    assert [why for one in SCENARIOS.values() for why in broken("senior", one)] == []
    fixes = [one for one in SCENARIOS.values() if one.root_cause]
    assert [one.id for one in fixes if not names_the_cause("senior", one)] == []
    assert [why for one in fixes for why in broken("literal", one)] == []
    assert [one.id for one in fixes if names_the_cause("literal", one)] == []


@NEEDS_BWRAP
@pytest.mark.slow
def test_agents_of_known_strength_are_ranked_and_every_cheat_is_seen(tmp_path: Path) -> None:
    study = made(
        tmp_path / "study",
        [of_the_pack(name) for name in ("idle", "rush", "literal", "senior", *CHEATS)],
        scenarios=["i01-last-day-missing", "f04-move", "i10-euros-and-dollars"],
        without_stops=None,
    )
    graded(study)
    done = called("grade", study, "--json")
    runs = {run["arm"]: run["categories"] for run in json.loads(done.output)["runs"]}
    lost = {arm: found["loss"]["mean"] for arm, found in runs.items()}
    assert lost["senior"] == 0.0
    assert lost["senior"] < lost["literal"] < lost["idle"]
    assert lost["literal"] <= lost["rush"] < lost["idle"]
    assert {lost[one] for one in CHEATS} - {lost["reads-history"]} == {lost["idle"]}
    assert runs["senior"]["end_state"]["mean"] == 0.0
    assert {found["end_state"]["mean"] for arm, found in runs.items() if arm != "senior"} == {1.0}
    assert called("compare", study, "--new", "senior").exit_code == 0
    seen = Counter(
        (one["arm"], found["kind"])
        for path in study.glob("comparisons/*/outcome-results.jsonl")
        for one in map(json.loads, path.read_text("utf-8").splitlines())
        for found in one.get("found", ())
        if found.get("is_grave")
    )
    arms = {arm for arm, _ in seen}
    assert set(CHEATS) <= arms
    assert "senior" not in arms
