"""The commands about terms: help, a self-test and a record for programs, and no model is asked."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator

from equipoise.cli import commands
from house.documents import ROOT

_ACTIONS = ("consistency", "memory", "kana", "fold", "slice")
_DRY = ["terms", "memory", "--example", "--dry-run", "--chapter", "6", "--json"]
_ALONE = """
import json, sys
from click.testing import CliRunner
from equipoise.cli import commands

def refuse(event, args):
    if event in {"socket.connect", "socket.getaddrinfo", "subprocess.Popen", "os.posix_spawn"}:
        raise SystemError(event)

sys.addaudithook(refuse)
done = [CliRunner().invoke(commands, args) for args in json.loads(sys.argv[1])]
print(json.dumps([[one.exit_code, one.stdout] for one in done]))
"""


@pytest.fixture(scope="module")
def alone() -> list[tuple[int, dict[str, Any]]]:
    """What each self-test and the dry run say where nothing can be reached."""
    calls = [["terms", action, "--self-test", "--json"] for action in _ACTIONS] + [_DRY]
    done = subprocess.run(
        [sys.executable, "-c", _ALONE, json.dumps(calls)],
        capture_output=True,
        text=True,
        check=True,
    )
    return [(code, json.loads(text)) for code, text in json.loads(done.stdout)]


def _run(*args: str) -> Result:
    return CliRunner().invoke(commands, ["terms", *args], input="後宮")


def _holds(text: str, schema: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text)
    published = ROOT.joinpath("schemas", f"{schema}.schema.json").read_bytes()
    Draft202012Validator(json.loads(published)).validate(found)
    return found


@pytest.mark.requirement("PIL-73")
def test_each_command_has_help_a_self_test_and_a_record(
    alone: list[tuple[int, dict[str, Any]]], tmp_path: Path
) -> None:
    for action, (code, found) in zip(_ACTIONS, alone, strict=False):
        told = " ".join(_run(action, "--help").stdout.split())
        assert all(word in told for word in ("Example", "Exit codes: 0", "--self-test", "--json"))
        assert (code, found["command"]) == (0, f"terms {action}")
        assert found["n"] == found["n_passed"] > 8
    glossary, chunks, folder = _files(tmp_path)
    results = {
        "term-consistency": ("consistency", glossary, chunks),
        "term-memory": ("memory", "--example"),
        "kana-precision": ("kana",),
        "folding": ("fold",),
        "slice": ("slice", folder),
    }
    for schema, args in results.items():
        done = _run(*args, "--json")
        assert done.exit_code == 0, done.output
        assert _holds(done.stdout, schema)["versions"]["equipoise"]


def _files(folder: Path) -> tuple[str, str, str]:
    entry = {"src": "老周", "dst": "Лао Чжоу", "forms": ["Лао Чжоу"]}
    chunk = {"id": "1", "chapter": 1, "source": "老周走了。", "translation": "Лао Чжоу ушёл."}
    found = []
    for name, line in (("glossary.jsonl", entry), ("chunks.jsonl", chunk)):
        folder.joinpath(name).write_text(json.dumps(line), encoding="utf-8")
        found.append(str(folder / name))
    return found[0], found[1], str(folder)


@pytest.mark.requirement("PIL-75")
def test_what_needs_no_private_corpus_runs_and_asks_no_model(
    alone: list[tuple[int, dict[str, Any]]], tmp_path: Path
) -> None:
    parity, self_test, dry = alone[0], alone[1], alone[-1]
    for code, found in (parity, self_test):
        assert (code, found["failed"]) == (0, [])
    assert dry[0] == 0
    assert {one["chapter"] for one in dry[1]["chunks"]} == {6}
    assert {mode["mode"] for one in dry[1]["chunks"] for mode in one["modes"]} >= {"M0", "M1"}
    five = _run("memory", "--example", "--chapter", "6", "--max-chunks", "5", "--regen-on-echo")
    assert five.exit_code == 0
    assert "[underpowered]" in five.stdout
    assert "relative to the trap set" in _run("kana").stdout
    assert _run("slice", str(tmp_path)).exit_code == 3
