"""Arms that are agents: a session in a sandbox for every cell, recorded whole."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from equipoise.archive.manifest import Document
from equipoise.archive.store import Archive
from equipoise.records.event import Event
from equipoise.records.trial import EndingKind, Trial
from studies.loss.made_agents import LAZY, NEEDS_BWRAP, SENIOR, agent_arm, agent_study, model_arm
from studies.loss.study_commands import NOON, run


def _trials(study: Path, arm: str) -> tuple[Archive, list[Trial]]:
    (path,) = study.glob(f"archive/{arm}-*")
    archive = Archive.open(path)
    return archive, list(archive.read(Trial))


def _shell(study: Path, cell: str, command: str) -> str:
    """What a shell in the workspace of a cell says."""
    words = ["run", str(study), "--shell", cell, "--command", command]
    done = subprocess.run(
        [sys.executable, "-m", "equipoise", *words],
        env=os.environ | {"SOURCE_DATE_EPOCH": NOON},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


@NEEDS_BWRAP
@pytest.mark.requirement("OUT-48")
@pytest.mark.requirement("OUT-50")
def test_a_session_is_run_frozen_graded_and_marked_simulated(tmp_path: Path) -> None:
    study = agent_study(
        tmp_path,
        lazy=agent_arm({"scripted": {"cases": LAZY}}),
        senior=agent_arm({"scripted": {"cases": SENIOR}}),
    )
    before = study.joinpath("seeds/calc/calc.py").read_bytes()

    code, _, err = run("run", study)
    assert code == 0, err
    archive, trials = _trials(study, "senior")
    assert [t.ending.detail for t in trials] == [""] * 3
    assert all(t.is_simulated and t.ending.kind is EndingKind.COMPLETED for t in trials)
    assert {t.model for t in trials} == {"stand-in-2026-01-01"}
    kept = {
        document.name.partition("/")[2]: b"".join(archive.blobs.chunks(document.sha256))
        for document in archive.read(Document)
        if document.name.startswith(trials[0].id)
    }
    assert b"+    return a + b" in kept["diff.patch"]
    assert list(json.loads(kept["tree.json"])) == ["calc.py"]
    session = json.loads(kept["session.json"])
    assert [step["step"] for step in session["steps"]] == ["copy", "session", "freeze"]
    assert all(step["took_s"] >= 0 for step in session["steps"])
    assert trials[0].versions["isolation"] == "namespaces"
    assert study.joinpath("seeds/calc/calc.py").read_bytes() == before
    assert not study.joinpath("work").exists()

    (preflight,) = [e for e in archive.read(Event) if e.facts.get("preflight") == "anti-mock"]
    assert preflight.outcome == "not applicable"
    assert "stand-in" in preflight.detail

    seen = _shell(study, "senior/u1", "cat calc.py; ls /kept; id -u; ls /root /work 2>&1")
    assert "return a + b" in seen
    assert "session.json" in seen
    assert "\n1000\n" in seen
    assert seen.count("No such file") == 2
    assert _shell(study, "lazy/u1", "cat calc.py").endswith("return a - b\n")
    assert "there is no cell 'lazy/u2'" in _shell(study, "lazy/u2", "true")

    assert run("grade", study)[0] == 0
    code, out, err = run("compare", study)
    assert code == 0, err
    assert "[simulated]" in out


def test_a_harness_that_is_not_here_gives_no_outcome_and_says_the_mend(tmp_path: Path) -> None:
    study = agent_study(tmp_path, codex=agent_arm({"codex": {"program": "no-such-codex"}}))

    said = run("run", study)[1]
    _, trials = _trials(study, "codex")
    assert {t.ending.kind for t in trials} == {EndingKind.INFRASTRUCTURE_ERROR}
    (detail,) = {t.ending.detail for t in trials}
    assert f"  because  {detail.splitlines()[0]}" in said
    assert "codex" in detail
    assert "pip install" in detail


@pytest.mark.requirement("OUT-27")
def test_a_session_in_the_open_is_told_on_every_report(tmp_path: Path) -> None:
    senior = agent_arm({"scripted": {"cases": SENIOR}})
    senior["agent"]["sandbox"] = "process"
    study = agent_study(tmp_path, lazy=agent_arm({"scripted": {"cases": LAZY}}), senior=senior)
    assert run("run", study)[0] == 0
    assert run("grade", study)[0] == 0
    code, out, err = run("compare", study)
    assert code == 0, err
    told = "sessions of senior ran in a weak sandbox (process): nothing kept them from files"
    assert f"note: {told}" in out
    (page,) = study.glob("comparisons/*/report/index.html")
    assert told in page.read_text("utf-8")
    assert "sessions of lazy" not in out


@pytest.mark.requirement("OUT-39")
@pytest.mark.requirement("ABX-44")
@pytest.mark.requirement("ABX-46")
def test_a_model_is_asked_directly_and_only_a_whole_answer_is_one(tmp_path: Path) -> None:
    study = agent_study(
        tmp_path,
        short=model_arm(prompt="{brief.prompt}"),
        long=model_arm(prompt="long"),
        forbidden=model_arm(messages=[{"system": "Be kind."}, {"user": "forbidden"}]),
        broken=model_arm(prompt="broken"),
    )

    run("run", study, CS_EVAL_MAX_TOKENS="77")
    archive, _ = _trials(study, "short")
    sent = [
        b"".join(archive.blobs.chunks(document.sha256))
        for document in archive.read(Document)
        if document.name.endswith("calls/0001.json")
    ]
    assert sent
    assert all(b"max_tokens" in one and b"77" in one for one in sent), sent
    found = {arm: _trials(study, arm)[1][0] for arm in ("short", "long", "forbidden", "broken")}
    assert {arm: trial.ending.kind.value for arm, trial in found.items()} == {
        "short": "completed",
        "long": "truncated",
        "forbidden": "refused",
        "broken": "infrastructure_error",
    }
    short = found["short"]
    assert (short.output is not None, short.is_simulated) == (True, True)
    assert short.usage is not None
    assert (short.usage.input_tokens, short.usage.cache_read_tokens) == (12, 5)
    assert short.cost_usd is None
    assert (short.model, short.model_answered) == ("stand-in-2026-01-01", "stand-in-2026-01-01")
    assert found["long"].output is None


@pytest.mark.requirement("OUT-39")
@pytest.mark.parametrize(
    ("rule", "n_void"),
    [
        pytest.param("trial", 1, marks=pytest.mark.slow),
        ("unit", 3),
        pytest.param("run", 6, marks=pytest.mark.slow),
    ],
)
def test_one_answer_that_met_its_limit_voids_its_batch(
    tmp_path: Path, rule: str, n_void: int
) -> None:
    """The second trial of the first unit is cut; all others answer in full."""
    scenario = """\
turns:
  - {say: hi}
  - {when: {prompt: "fix add 2 u1"}, say: Once upon, stop: length}
"""
    study = agent_study(
        tmp_path,
        n_units=2,
        check={"regex": {"pattern": "hi", "lost_when": "absent"}},
        files={"scenario.yaml": scenario},
        study={"truncation": rule},
        whole=model_arm(prompt="{brief.prompt}"),
        cut=model_arm(prompt="{brief.prompt} {repetition} {unit}"),
    )
    run("run", study, "--arm", "cut", "--max-cells", "1")
    assert run("grade", study)[0] == 0, "graded before its batch is void"
    assert run("run", study)[0] == 0
    code, out, err = run("grade", study, "--arm", "cut", "--json")
    assert code == 0, err
    (told,) = json.loads(out)["runs"]
    assert told["endings"] == {"truncated": 1}
    loss = told["categories"]["bug_left"]
    assert loss["n_values"] == 6 - n_void
    assert sum(loss["unbewertbar"].values()) == n_void - 1
    assert all("met its token limit" in why for why in loss["unbewertbar"])
    assert run("grade", study)[0] == 0
    _, out, err = run("compare", study)
    assert f"1 of 6 trials of cut met a token limit; truncation: {rule}" in out, out + err
    assert f"{n_void} trials are in no estimate" in out
    assert run("verify", study)[0] == 0


def test_a_recording_answers_again_byte_for_byte_and_invents_nothing(tmp_path: Path) -> None:
    first = agent_study(tmp_path / "first", only=model_arm())
    run("run", first)
    (recorded,) = first.glob("archive/only-*")

    again = tmp_path / "again"
    shutil.copytree(recorded, again / "recorded")

    agent_study(
        again,
        only=model_arm(provider={"replay": "recorded"}),
        other=model_arm(provider={"replay": "recorded"}, prompt="unheard"),
    )
    run("run", again)

    def outputs(study: Path, arm: str) -> list[str | None]:
        _, trials = _trials(study, arm)
        return [t.output.sha256 if t.output else None for t in trials]

    assert outputs(again, "only") == outputs(first, "only")
    _, trials = _trials(again, "other")
    assert all(t.is_simulated for t in trials)
    assert {t.output for t in trials} == {None}
    assert all("replay_miss" in t.ending.detail for t in trials)
