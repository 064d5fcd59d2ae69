import json
from pathlib import Path
from typing import Any

import anyio
import pytest

from adapters.agents.cells import ended, made, ran, task
from equipoise.errors import InputError
from equipoise.ports.agents import Bounds
from equipoise.records.trial import EndingKind, Fault, Reason
from every import for_every

FIX = [
    {"run": "cat calc.py"},
    {"edit": {"path": "calc.py", "old": "a - b", "new": "a + b"}},
    {"write": {"path": "notes/why.txt", "text": "the sign was wrong"}},
    {"print": "Mended."},
]


def test_it_does_what_its_case_says_and_tells_each_action(tmp_path: Path) -> None:
    cases = [
        {"when": {"unit": "other"}, "do": [{"exit": "9"}]},
        {"when": {"unit": "ca*", "arm": "base"}, "do": FIX},
    ]
    harness = made("scripted", {"cases": cases}, tmp_path)
    assert harness.is_simulated
    of = task(tmp_path)
    told = anyio.run(ran, harness, of)
    assert told.ending.kind is EndingKind.COMPLETED
    assert of.workspace.joinpath("calc.py").read_text().endswith("a + b\n")
    assert of.workspace.joinpath("notes", "why.txt").read_text() == "the sign was wrong"
    assert told.output == b"Mended."
    assert told.counts["tool_calls"] == 4
    assert told.counts["turns"] == 4
    assert told.versions["scripted"] == "1"
    lines = told.documents["transcript.jsonl"].splitlines()
    assert json.loads(lines[1])["result"].startswith("def add")
    assert told.documents["stdout"] == b"Mended.\n"


@pytest.mark.requirement("ABX-45")
def test_latency_is_the_wall_clock_of_who_runs_it(tmp_path: Path) -> None:
    harness = made("scripted", {"cases": [{"do": [{"sleep": "2"}]}]}, tmp_path)
    end = anyio.run(ended, harness, task(tmp_path))
    assert 2000 <= end.duration_ms < 20_000


@pytest.mark.parametrize(
    ("actions", "kind", "fault", "reason"),
    [
        ([{"exit": "3"}], EndingKind.COMPLETED, Fault.NONE, Reason.NONE),
        (
            [{"crash": "SIGSEGV"}],
            *(EndingKind.HARNESS_ERROR, Fault.UNKNOWN, Reason.ENVIRONMENT),
        ),
        (
            [{"run": "rm ../cell-home/own/transcript.jsonl"}],
            *(EndingKind.HARNESS_ERROR, Fault.HARNESS, Reason.ENVIRONMENT),
        ),
        (
            [{"run": "echo '[]' > ../cell-home/given/actions.json"}],
            *(EndingKind.HARNESS_ERROR, Fault.SYSTEM, Reason.TAMPERED),
        ),
        (
            [{"run": "ln -sf /etc/passwd ../cell-home/own/transcript.jsonl"}],
            *(EndingKind.HARNESS_ERROR, Fault.SYSTEM, Reason.TAMPERED),
        ),
        ([{"sleep": "90"}], EndingKind.TIMED_OUT, Fault.UNKNOWN, Reason.BUDGET),
    ],
)
def test_it_ends_as_agents_end(
    tmp_path: Path, actions: list[Any], kind: EndingKind, fault: Fault, reason: Reason
) -> None:
    harness = made("scripted", {"cases": [{"do": actions}]}, tmp_path)
    bounds = Bounds(wall_s=2.0 if "sleep" in actions[0] else 60.0)
    told = anyio.run(ran, harness, task(tmp_path, bounds=bounds))
    assert (told.ending.kind, told.ending.fault, told.ending.reason) == (kind, fault, reason)
    assert b"root:" not in b"".join(told.documents.values())


def test_chance_comes_from_the_seed_of_the_cell(tmp_path: Path) -> None:
    maybe = {"maybe": {"p": "0.5", "do": [{"print": "lucky"}]}}
    path = tmp_path / "scenario.yaml"
    path.write_text(json.dumps({"cases": [{"do": [maybe]}]}))
    harness = made("scripted", {"scenario": "scenario.yaml"}, tmp_path)
    actions: Any = harness
    seeds = range(200)
    first = [len(actions.actions(task(tmp_path, seed=seed).request)) for seed in seeds]
    again = [len(actions.actions(task(tmp_path, seed=seed).request)) for seed in seeds]
    assert first == again
    assert 70 < sum(first) < 130


@for_every(
    "spec",
    [
        {},
        {"cases": []},
        {"cases": [{}]},
        {"cases": [{"do": [{"fly": "x"}]}]},
        {"cases": [{"do": [{"write": {"file": "x"}}]}]},
        {"cases": [{"do": [{"run": "x", "print": "y"}]}]},
        {"cases": [{"when": {"day": "monday"}, "do": []}]},
        {"cases": [{"do": [{"maybe": {"p": "2", "do": []}}]}]},
        {"scenario": "missing.yaml"},
        {"scenari": "x"},
        ["cases"],
    ],
)
def test_a_wrong_scenario_is_refused_before_anything_runs(tmp_path: Path, spec: Any) -> None:
    with pytest.raises(InputError):
        made("scripted", spec, tmp_path)


def test_a_cell_without_a_case_is_refused(tmp_path: Path) -> None:
    cases = [{"when": {"unit": "other"}, "do": []}]
    with pytest.raises(InputError, match="no case"):
        made("scripted", {"cases": cases}, tmp_path).job(task(tmp_path))
