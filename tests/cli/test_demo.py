"""The demo from a plan to a verified comparison: what was planted is found, no more, any time."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from house.documents import ROOT
from house.followed import follow
from typed import NOON, equipoise


def started(out: Path, *options: str) -> subprocess.Popen[str]:
    """The demo in a process of its own, at a fixed time."""
    return subprocess.Popen(
        [sys.executable, "-m", "equipoise", "demo", "-o", str(out), *options],
        env=os.environ | {"SOURCE_DATE_EPOCH": NOON},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def told(out: Path, *options: str) -> str:
    """What a demo prints that goes through."""
    demo = started(out, *options)
    said, errors = demo.communicate(timeout=600)
    assert demo.returncode == 0, said + errors
    return said


def results(out: Path) -> dict[str, bytes]:
    """What a study says, by file: suites, comparisons, history and pages."""
    files = [
        *out.glob("archive/*/suites/*/suite.json"),
        *(path for path in out.glob("comparisons/**/*") if path.is_file()),
        out / "LOSS-HISTORY.md",
        out / "history.jsonl",
        out / "plan.json",
        out / "seal.json",
    ]
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in files}


def n_trials(out: Path) -> int:
    """Trials on disk by now."""
    logs = out.glob("archive/*/trials.jsonl")
    return sum(path.read_bytes().count(b"\n") for path in logs)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The tutorial, whose reader begins with the demo, and what that printed."""
    tutorial = ROOT / "docs" / "tutorial.md"
    followed = follow(tutorial, tmp_path_factory.mktemp("tutorial"), SOURCE_DATE_EPOCH=NOON)
    return followed.desk / "desk", followed.said[0]


@pytest.mark.requirement("I-10")
@pytest.mark.requirement("E2E-41")
def test_the_demo_finds_what_was_planted_and_nothing_else(demo: tuple[Path, str]) -> None:
    out, said = demo
    assert "verified: desk" in said
    by_version = {}
    for path in out.glob("comparisons/*/regressions.json"):
        found: dict[str, Any] = json.loads(path.read_bytes())
        by_version[found["catalog_version"]] = {
            (row["partition"], row["category"], row["is_improvement"])
            for row in found["rows"]
            if row["is_listed"]
        }
        assert path.with_name("TOP-REGRESSIONS.md").read_text().count("\n") == 2 + 2
        assert path.parent.joinpath("report", "index.html").resolve().as_uri() in said
    assert by_version["v1"] == {
        ("intent=refund", "tool_call_wrong_arg", False),
        ("intent=refund", "wrong_answer", False),
        ("intent=invoice", "tool_call_wrong_arg", True),
        ("intent=invoice", "wrong_answer", True),
    }
    assert by_version["v2"] == by_version["v1"]


@pytest.mark.requirement("E2E-19")
@pytest.mark.requirement("E2E-39")
def test_the_plan_of_the_demo_has_the_units_it_needs(demo: tuple[Path, str]) -> None:
    out, _ = demo
    plan = json.loads((out / "plan.json").read_bytes())
    assert plan["sample_budget"] == sum(one["n_min"] for one in plan["partitions"]) == 344
    assert all(one["n_drawn"] > one["n_min"] for one in plan["partitions"])
    assert "No reason is known beside what it will" in (out / "E2E-PLAN.md").read_text("utf-8")
    for path in out.glob("archive/*/suites/v1-*/suite.json"):
        suite = json.loads(path.read_bytes())
        assert all(part["status"] == "scored" for part in suite["partitions"])


@pytest.mark.requirement("E2E-20")
def test_the_state_is_after_the_demo_what_it_was_before(demo: tuple[Path, str]) -> None:
    out, _ = demo
    for path in out.glob("archive/*/events.jsonl"):
        events = [json.loads(line)["body"] for line in path.read_text().splitlines()]
        (before,) = [e["facts"]["state_sha256"] for e in events if e["kind"] == "snapshot"]
        (after,) = [e["facts"]["state_sha256"] for e in events if e["kind"] == "torn_down"]
        assert before == after


@pytest.mark.requirement("E2E-42")
def test_a_second_catalog_scores_the_same_runs_without_running_anything(
    demo: tuple[Path, str],
) -> None:
    out, _ = demo
    for archive in (out / "archive").iterdir():
        scores = {}
        for path in archive.glob("suites/*/suite.json"):
            suite = json.loads(path.read_bytes())
            scores[suite["catalog_version"]] = suite["suite_score"]
        assert set(scores) == {"v1", "v2"}
        assert scores["v1"] != scores["v2"]
        events = archive.joinpath("events.jsonl").read_text()
        assert events.count('"kind":"started"') == 1
        assert '"kind":"resumed"' not in events


@pytest.mark.requirement("E2E-01")
def test_the_demo_again_changes_no_byte_of_what_it_says(demo: tuple[Path, str]) -> None:
    out, _ = demo
    before = results(out)
    assert "stands there already" in equipoise("demo", "-o", out, SOURCE_DATE_EPOCH=NOON)
    assert results(out) == before


@pytest.mark.slow
@pytest.mark.requirement("E2E-01")
@pytest.mark.requirement("E2E-22")
@pytest.mark.requirement("E2E-23")
def test_killed_in_the_middle_and_begun_again_it_says_the_same_bytes(
    demo: tuple[Path, str], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    for at_least in (400, 1_300):
        killed = started(out)
        while killed.poll() is None and n_trials(out) < at_least:
            time.sleep(0.05)
        killed.send_signal(signal.SIGKILL)
        killed.communicate()
        assert killed.returncode == -signal.SIGKILL
    said = told(out)
    assert f"verified: {out}" in said
    assert results(out) == results(demo[0])
    events = "".join(path.read_text() for path in out.glob("archive/*/events.jsonl"))
    assert events.count('"kind":"resumed"') == 2
    assert '"kind":"aborted"' in events


@pytest.mark.slow
def test_killed_at_any_moment_it_says_the_same_bytes(
    demo: tuple[Path, str], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    for tenths in range(8, 80, 9):
        killed = started(out)
        time.sleep(tenths / 2)
        killed.send_signal(signal.SIGKILL)
        killed.communicate()
    told(out)
    assert results(out) == results(demo[0])


def test_a_folder_with_something_else_is_left_alone(tmp_path: Path) -> None:
    tmp_path.joinpath("mine.txt").write_text("mine")
    demo = started(tmp_path)
    _, errors = demo.communicate(timeout=60)
    assert demo.returncode == 2
    assert "holds something else; wanted: a new folder" in errors
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
