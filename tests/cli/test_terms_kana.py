"""``equipoise terms kana`` as a user and as an attacker types it."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator

from equipoise.cli import commands
from house.documents import ROOT


def _run(*args: str) -> Result:
    return CliRunner().invoke(commands, args)


def _held(done: Result) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(done.stdout)
    schema = ROOT.joinpath("schemas", "kana-precision.schema.json").read_bytes()
    Draft202012Validator(json.loads(schema)).validate(found)
    return found


@pytest.mark.requirement("PIL-56")
@pytest.mark.requirement("PIL-57")
def test_kana_prints_the_table_and_says_that_it_is_relative(tmp_path: Path) -> None:
    told = _run("terms", "kana", "--boundary", "kana", "--cases").stdout.splitlines()
    head = "MIN TP_fire FP total FP substring FP homograph FP CONFIRMED precision* conf-precision*"
    assert [" ".join(line.split()) for line in told].count(head) == 2
    values = [line for line in told if line.startswith("  MIN")]
    assert len(values) == 12
    assert all("relative to the trap set" in line for line in values)
    assert sum("found: none yes" in line for line in told) == 72
    done = _run("terms", "kana", "--json")
    found = _held(done)
    assert found["scope"] == "trap set"
    file = tmp_path / "kana.json"
    file.write_bytes(done.stdout_bytes)
    refused = _run("compare", str(file), str(file), "-o", str(tmp_path / "out"))
    assert refused.exit_code == 2
    assert list(tmp_path.rglob("verdicts.json")) == []


def test_kana_takes_traps_of_the_user_and_refuses_bad_ones(tmp_path: Path) -> None:
    traps = tmp_path / "traps.jsonl"
    long = "カ" * 350_000 + "キ"
    lines = [
        {"id": "long", "key": "カキ", "text": long, "truth": "substring"},
        {"id": "lost", "key": "カキ", "text": "柿", "truth": "name"},
        {"id": "rtl", "key": "カ\u202eキ", "text": "カキだ", "truth": "name"},
    ]
    traps.write_text("\n".join(json.dumps(one) for one in lines), encoding="utf-8")
    args = ("terms", "kana", "--traps", str(traps), "--min", "2", "--boundary", "katakana")
    found = _held(_run(*args, "--json"))
    assert found["unfound"] == ["lost"]
    told = _run(*args).stdout
    assert "1.000 (1 of 1" in told
    assert "[underpowered]" in told
    assert "\u202e" not in _run(*args, "--cases").stdout
    for bad in (b"\xff\xfe", b"{}", b""):
        traps.write_bytes(bad)
        done = _run(*args)
        assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
        assert str(traps) in done.stderr
