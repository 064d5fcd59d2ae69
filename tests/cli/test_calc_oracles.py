"""Every public oracle case of a topic that exists, through ``calc --jsonl``."""

import json
from typing import Any

import pytest
from click.testing import CliRunner

from equipoise.cli import commands
from equipoise.cli.topics import load_topics
from every import for_every
from shared_data import shared, shared_root

_FILES = ("stats_public.jsonl", "human_public.jsonl")


def _cases() -> list[dict[str, Any]]:
    root = shared_root()
    paths = [root / "oracles" / name for name in _FILES] if root else []
    texts = [path.read_text(encoding="utf-8") for path in paths if path.exists()]
    lines = [line for text in texts for line in text.split("\n") if line]
    known = load_topics()
    return [case for case in map(json.loads, lines) if case["topic"] in known]


@for_every("case", _cases(), ids=lambda case: str(case["id"]))
def test_public_oracle(case: dict[str, Any]) -> None:
    done = CliRunner().invoke(commands, ["calc", "--jsonl"], input=json.dumps(case))
    assert done.exit_code == 0, done.stderr
    answer = json.loads(done.stdout)
    if "error" in case["expected"]:
        assert answer.get("error") == case["expected"]["error"], answer
        return
    assert "value" in answer, answer
    _assert_agrees(answer["value"], case["expected"], case.get("tolerance", 1e-6), "value")


def test_no_topic_of_the_oracles_is_missing() -> None:
    asked = set()
    for name in _FILES:
        lines = shared("oracles", name).read_text(encoding="utf-8").split("\n")
        asked |= {json.loads(line)["topic"] for line in lines if line}
    assert asked - set(load_topics()) == set()


_LABELS = {"is_the_name", "class"}
"""What people say of a trap: the truth that a matcher is held against, and no answer of it."""


def _assert_agrees(found: Any, wanted: Any, tolerance: float, where: str) -> None:
    if isinstance(wanted, dict):
        assert isinstance(found, dict), where
        for key, inner in wanted.items():
            if key in _LABELS:
                continue
            assert key in found, f"{where}.{key}"
            _assert_agrees(found[key], inner, tolerance, f"{where}.{key}")
    elif isinstance(wanted, list):
        assert len(found) == len(wanted), where
        for index, inner in enumerate(wanted):
            _assert_agrees(found[index], inner, tolerance, f"{where}[{index}]")
    elif isinstance(wanted, bool | str | None):
        assert found == wanted, where
    else:
        assert found == pytest.approx(wanted, abs=max(tolerance, 1e-12)), where
