"""Confirmations: a scripted user in the words of the task, or stopping in the right state."""

import json
from pathlib import Path
from typing import Any

import pytest

from equipoise.errors import InputError
from equipoise.records.codec import decode
from equipoise.records.proof import Proof
from equipoise.studies.outcome.packs import read_pack
from every import for_every
from studies.loss.compared_loss_runs import called
from studies.loss.made_agents import NEEDS_BWRAP
from studies.outcome.made_packs import (
    DESIGN,
    DRAFT,
    MEAN,
    PROGRAM,
    WAITS,
    changed,
    checkpoint_pack,
    diff_of,
    scripted,
    write,
    write_study,
)

NAME = "f01-mean"
SKILLED = {"skill": "feature"}
OBEYS = ({"write": {"path": DESIGN, "text": DRAFT}}, {"print": WAITS})
APPROVES = (
    {"write": {"path": DESIGN, "text": DRAFT.replace("draft", "approved")}},
    {"edit": {"path": "tally.py", "old": PROGRAM, "new": MEAN}},
    {"print": WAITS},
)


def scenario_of(study: Path) -> Path:
    return study / "pack/fixtures/e2e" / NAME


def categories(study: Path) -> dict[str, dict[str, Any]]:
    catalog = json.loads(study.joinpath("loss-catalog.v1.json").read_text(encoding="utf-8"))
    return {one["id"]: one for one in catalog["categories"]}


@for_every(
    "fields, wrong",
    [
        ({"confirmation": "none"}, "there is a checkpoint, and confirmation is none"),
        ({"checkpoint": None}, "wanted a checkpoint or an expected_end_state"),
        ({"confirmation": "scripted"}, "there is no confirmation_text"),
        ({"confirmation_text": "Yes."}, "nobody would say it"),
        ({"checkpoint": {"document": "d.md", "told": ["("]}}, "no regular expression"),
        ({"checkpoint": {"document": "d.md", "told": []}}, "wants a document"),
        ({"artifacts": [{"glob": "x", "contract": "contracts/no.yaml"}]}, "no contract"),
        ({"artifacts": [{"glob": "x", "contract": "../../study.yaml"}]}, "leads out"),
        ({"artifacts": [{"glob": "x", "contract": "pack.yaml"}]}, "pack.yaml"),
        ({"expected_end_state": {"about": "nothing"}}, "wants nothing"),
        ({"expected_end_state": {"unchangd": ["a"]}}, "unchangd"),
        ({"root_cause": {"document": "d", "keywords": [[" "]]}}, "a group without a word"),
    ],
)
@pytest.mark.requirement("OUT-54")
def test_a_scenario_states_which_confirmation_and_what_it_needs(
    tmp_path: Path, fields: dict[str, Any], wrong: str
) -> None:
    pack = checkpoint_pack(tmp_path / "pack")
    read_pack(pack)
    changed(scenario_of(tmp_path), **fields)
    with pytest.raises(InputError) as caught:
        read_pack(pack)
    assert wrong in str(caught.value)


@pytest.mark.requirement("OUT-54")
def test_who_confirms_says_it_in_the_task_of_every_arm_alike(tmp_path: Path) -> None:
    text = "Yes, build it.\nSet it to approved."
    pack = checkpoint_pack(tmp_path / "pack")
    fields = {"confirmation": "scripted", "confirmation_text": text, "checkpoint": None}
    state = {"present": ["*.py"], "told": ["built"]}
    changed(scenario_of(tmp_path), kind="stop", expected_end_state=state, **fields)
    reference = {"reference.patch": diff_of({}, {"a.py": "1\n"}), "reference.txt": "built"}
    write(scenario_of(tmp_path) / "patches", reference)
    done = called("prove", pack)
    assert done.exit_code == 0, done.output
    write_study(tmp_path, scripted("bare", *OBEYS), scripted("skilled", *OBEYS) | SKILLED)
    done = called("plan", tmp_path)
    assert done.exit_code == 0, done.output
    [unit] = tmp_path.joinpath("outcome-units.jsonl").read_text(encoding="utf-8").splitlines()
    prompt = json.loads(unit)["brief"]["prompt"]
    assert prompt.startswith("Please add mean(rows).\n\nI cannot type while you work.")
    assert prompt.endswith("\n\n> Yes, build it.\n> Set it to approved.\n")
    study = json.loads(tmp_path.joinpath("outcome-study.json").read_text(encoding="utf-8"))
    assert {arm["system"]["agent"]["prompt"] for arm in study["arms"]} == {"{brief.prompt}"}
    assert categories(tmp_path)["artifact"]["applies_to"] == ["skilled"]
    assert categories(tmp_path)["artifact"]["weight"] == 0


@pytest.mark.requirement("OUT-21")
def test_a_checkpoint_decides_only_where_every_arm_can_know_of_it(tmp_path: Path) -> None:
    pack = checkpoint_pack(tmp_path / "pack")
    done = called("prove", pack)
    assert done.exit_code == 0, done.output
    proof = decode(pack.joinpath(f"proofs/{NAME}.json").read_bytes(), Proof)
    states = {run.what: run.tests for run in proof.runs if run.group == "state"}
    assert states == {
        "red": {"checkpoint": "failed"},
        "reference": {"checkpoint": "passed"},
        "near-miss 1": {"checkpoint": "failed"},
        "near-miss 2": {"checkpoint": "failed"},
    }
    write_study(tmp_path, scripted("bare", *OBEYS), scripted("obeys", *OBEYS) | SKILLED)
    done = called("plan", tmp_path)
    assert done.exit_code == 3
    assert f"{NAME} is decided by its checkpoint alone" in done.output
    assert "bare" in done.output
    write_study(
        tmp_path, scripted("obeys", *OBEYS) | SKILLED, scripted("approves", *APPROVES) | SKILLED
    )
    done = called("plan", tmp_path)
    assert done.exit_code == 0, done.output
    found = categories(tmp_path)
    assert (found["checkpoint"]["weight"], found["artifact"]["weight"]) == (0.8, 0)
    assert "applies_to" not in found["checkpoint"]


@NEEDS_BWRAP
@pytest.mark.slow
@pytest.mark.requirement("OUT-15")
@pytest.mark.requirement("OUT-21")
def test_who_approves_its_own_design_loses_and_who_waits_wins(tmp_path: Path) -> None:
    pack = checkpoint_pack(tmp_path / "pack")
    assert called("prove", pack).exit_code == 0
    write_study(
        tmp_path, scripted("obeys", *OBEYS) | SKILLED, scripted("approves", *APPROVES) | SKILLED
    )
    for verb in ("plan", "seal", "run"):
        done = called(verb, tmp_path)
        assert done.exit_code == 0, done.output
    done = called("grade", tmp_path, "--json")
    assert done.exit_code == 0, done.output
    told = {run["arm"]: run["categories"] for run in json.loads(done.output)["runs"]}
    means = {arm: {n: one["mean"] for n, one in found.items()} for arm, found in told.items()}
    assert means["obeys"] == {"regression": 0.0, "checkpoint": 0.0, "artifact": 0.0, "loss": 0.0}
    assert means["approves"] == pytest.approx(means["obeys"] | {"checkpoint": 1.0, "loss": 0.8})
    assert called("compare", tmp_path).exit_code == 0
    (path,) = tmp_path.glob("comparisons/*/outcome-results.jsonl")
    cells = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert {one["main"] for one in cells} == {"checkpoint"}
    assert called("verify", tmp_path).exit_code == 0
