import json
from pathlib import Path

import pytest

from adapters.logs.eval_files import header, members, sample, write_eval
from equipoise.errors import UnreadableSource
from equipoise.wiring import READERS, detect, reader
from shared_data import shared


def test_made_files_are_told_apart_by_what_they_hold(tmp_path: Path) -> None:
    one = sample(1)
    files = {
        "runs.jsonl": ('{"unit": 1, "outcome": 1}\n', "table"),
        "runs.csv": ("unit,outcome\n1,1\n", "table"),
        "rows.json": ('[{"unit": 1}]', "table"),
        "log.json": (json.dumps(header([one]) | {"samples": [one]}), "inspect"),
        "r.json": (json.dumps({"evalId": "e", "results": {"results": []}}), "promptfoo"),
        "r.jsonl": ('{"promptIdx": 0, "testIdx": 1, "success": true}\n', "promptfoo"),
        "s.jsonl": ('{"type": "user", "message": {"content": "x"}}\n', "claude-code"),
        "c.jsonl": ('{"type": "thread.started", "thread_id": "t"}\n', "codex"),
        "m.traj.json": ('{"info": {"mini_version": "2"}, "messages": []}', "mini-swe"),
        "s.traj": ('{"trajectory": [], "history": [], "info": {}}', "swe-agent"),
        "x.xml": ('<?xml version="1.0"?><testsuites/>', "junit"),
        "trace.log": ("2026-01-01T00:00:00Z  inner  k=1  loss=0.5\n", "ldd"),
        "empty": ("", "table"),
    }
    for name, (content, form) in files.items():
        path = tmp_path / name
        path.write_text(content)
        assert detect(path) == form, name
    assert detect(write_eval(tmp_path / "a.eval", members([one]))) == "inspect"
    assert {form for _, form in files.values()} == set(READERS)
    for form in READERS:
        assert reader(form).name == form


def test_real_files_are_told_apart() -> None:
    data = shared("data")
    expected = {
        "inspect_logs/*.eval": "inspect",
        "inspect_logs/log_[frtlvw]*.json": "inspect",
        "inspect_logs/log_[lvw]*.txt": "inspect",
        "ldd_traces/traces/*.log": "ldd",
        "ldd_traces/aggregate.json": "ldd",
        "agent_transcripts/claude_code/*.json*": "claude-code",
        "agent_transcripts/claude_code_edge/*": "claude-code",
        "agent_transcripts/mini_swe_agent/*.traj.json": "mini-swe",
        "agent_transcripts/swe_agent/*.traj": "swe-agent",
        "harness_event_samples/claude*": "claude-code",
        "harness_event_samples/qwen*": "claude-code",
        "harness_event_samples/codex*": "codex",
        "harness_event_samples/mini*": "mini-swe",
        "*/runs.jsonl": "table",
        "tau_airline_gpt4o/*.gz": "table",
        "aider_polyglot_aggregates/*.yml": "table",
    }
    for pattern, form in expected.items():
        paths = list(data.glob(pattern))
        assert paths, pattern
        for path in paths:
            assert detect(path) == form, path.name


def test_folders_are_told_apart(tmp_path: Path) -> None:
    assert detect(shared("data", "inspect_logs")) == "inspect"
    assert detect(shared("data", "ldd_traces", "traces")) == "ldd"
    for name in ("claude-code", "mini-swe", "swe-agent"):
        folder = {"mini-swe": "mini_swe_agent"}.get(name, name.replace("-", "_"))
        assert detect(shared("data", "agent_transcripts", folder)) == name
    with pytest.raises(UnreadableSource, match="by the folder"):
        detect(tmp_path)
    with pytest.raises(UnreadableSource):
        detect(tmp_path / "missing")
