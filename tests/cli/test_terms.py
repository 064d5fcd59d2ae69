"""The actions of ``equipoise terms`` as a user and as an attacker types them."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator

from equipoise.cli import commands
from house.documents import ROOT


def _run(*args: str, given: bytes = b"") -> Result:
    return CliRunner().invoke(commands, args, input=given)


def _held(done: Result, schema: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(done.stdout)
    schemas = ROOT / "schemas"
    Draft202012Validator(json.loads(schemas.joinpath(schema).read_bytes())).validate(found)
    return found


@pytest.mark.parametrize("action", ["fold", "consistency", "kana", "slice"])
def test_the_self_test_passes_and_a_changed_vector_fails(action: str, tmp_path: Path) -> None:
    done = _run("terms", action, "--self-test", "--json")
    found = _held(done, "self-test.schema.json")
    assert done.exit_code == 0
    assert found["n"] == found["n_passed"]
    lines = ROOT.joinpath("src/equipoise/terms/data", f"{action}_vectors.jsonl").read_text("utf-8")
    changed = [json.loads(line) for line in lines.splitlines()]
    changed[0]["expected"] = {"nobody": "answers this"}
    file = tmp_path / "changed.jsonl"
    file.write_text("\n".join(json.dumps(one) for one in changed), encoding="utf-8")
    done = _run("terms", action, "--self-test", "--vectors", str(file))
    assert done.exit_code == 1
    assert '-  "nobody": "answers this"' in done.stdout or '- "nobody"' in done.stdout
    assert changed[0]["id"] in done.stdout


def test_fold_tells_table_changes_and_keys_that_become_one(tmp_path: Path) -> None:
    file = tmp_path / "keys.txt"
    file.write_text("\ufeff後宮\n后\u200b宫\r\n\nd’Arc\n", encoding="utf-8")
    out = tmp_path / "folded.txt"
    found = _held(
        _run("terms", "fold", "--keys", "--json", "-o", str(out), str(file)), "folding.schema.json"
    )
    assert out.read_bytes().decode() == "后宫\n后宫\r\n\nd'Arc\n"
    assert found["n_changed"] == 4
    assert len(str(found["table_sha256"])) == 64
    assert found["use"] == "matching, never display"
    assert found["clashes"] == [
        {
            "folded": "后宫",
            "keys": ["後宮", "后\u200b宫"],
            "where": [f"{file}:1", f"{file}:2"],
        }
    ]
    told = _run("terms", "fold", given="後宮".encode())
    assert told.stdout == "后宫\n"
    assert str(found["table_sha256"]) in told.stderr
    assert _run("terms", "fold", "-", "-", given="後宮".encode()).stdout == "后宫\n"


def test_hostile_text_is_folded_or_refused_with_its_place(tmp_path: Path) -> None:
    line = "龍\u202e劉" * 170_000  # over 1 MB in one line
    assert _run("terms", "fold", given=line.encode()).stdout == "龙刘" * 170_000 + "\n"
    bad = _run("terms", "fold", given="あ\nいう".encode() + b"\xff")
    assert bad.exit_code == 2
    assert bad.stderr.startswith("equipoise: -:2: the byte 0xff at byte 7 of the line")
    assert "\x1b" not in _run("terms", "fold", given=b"\x1b[31mred").stdout
    for args in ([str(tmp_path)], [str(tmp_path / "none")], ["-o", str(tmp_path)]):
        done = _run("terms", "fold", *args, given=b"x")
        assert done.exit_code == 2
        assert "Traceback" not in done.stderr
    assert "did you mean 'fold'" in _run("terms", "flod").stderr
