"""``equipoise terms slice`` as a user and as an attacker types it: a folder that fills up."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator

from equipoise.cli import commands
from equipoise.studies.translation.slices import length_ratio
from equipoise.terms.lengths import n_characters, n_units
from house.documents import ROOT

_GLOSSARY = (
    {"src": "老周", "dst": "Лао Чжоу", "forms": ["Лао Чжоу"]},
    {"src": "青石镇", "dst": "Циншичжэнь", "forms": ["Циншичжэня", "Циншичжэне"]},
)


def _run(*args: str) -> Result:
    return CliRunner().invoke(commands, args)


def _held(done: Result) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(done.stdout)
    schema = ROOT.joinpath("schemas", "slice.schema.json").read_bytes()
    Draft202012Validator(json.loads(schema)).validate(found)
    return found


def _write(folder: Path, side: str, texts: dict[str, str]) -> None:
    folder.joinpath(side).mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        folder.joinpath(side, f"{name}.txt").write_text(text, encoding="utf-8")


def _measured(folder: Path) -> dict[str, Any]:
    done = _run("terms", "slice", str(folder), "--morphology", "off", "--json")
    assert done.exit_code == 0, done.stderr
    return _held(done)


@pytest.mark.requirement("PIL-11")
def test_without_a_corpus_it_is_blocked_and_runs_by_the_same_command_once_files_appear(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "corpus"
    command = ("terms", "slice", str(folder))
    _blocked(command)
    folder.joinpath("source").mkdir(parents=True)
    _blocked(command)
    _write(folder, "source", {"1": "老周走了。"})
    _blocked(command)
    _write(folder, "target", {"1": " \n"})
    _blocked(command)
    _write(folder, "target", {"1": "Лао Чжоу ушёл."})
    done = _run(*command)
    assert done.exit_code == 0
    assert "12 / 5, 1 chapter" in done.stdout
    assert "coverage     not evaluable: the folder has no glossary.jsonl" in done.stdout
    assert "[underpowered]" in done.stdout


def _blocked(command: tuple[str, ...]) -> None:
    done = _run(*command)
    assert (done.exit_code, done.stdout) == (3, "")
    assert done.stderr.startswith("equipoise: no corpus in ")
    assert done.stderr.count("\n") == 1
    found = _held(_run(*command, "--json"))
    assert found["state"] == "blocked"
    assert (found["chapters"], found["coverage"]) == ([], None)


@pytest.mark.requirement("PIL-11")
def test_lengths_echo_coverage_and_precision_of_a_folder(tmp_path: Path) -> None:
    lines = "\n".join(json.dumps(line) for line in _GLOSSARY)
    tmp_path.joinpath("glossary.jsonl").write_text(lines, encoding="utf-8")
    source = {f"ch{n}": "老周到了青石鎮。" for n in range(1, 14)}
    target = dict.fromkeys(source, "Лао Чжоу добрался до Циншичжэня.")
    target["ch2"] = "Старик добрался до Циншичжэня."  # one term is missed
    source["ch3"] = "他到了青石镇。"  # one rendering is made up
    target["ch4"] = "老周 → Лао Чжоу\n\nОн добрался до Циншичжэня."  # echo alone has the name
    target["ch5"] = target["ch1"] * 4
    _write(tmp_path, "source", source | {"ch99": "没有译文。"})
    _write(tmp_path, "target", target | {"notes": "???"})
    tmp_path.joinpath("target", "draft.docx").write_bytes(b"PK")
    found = _measured(tmp_path)
    assert [one["name"] for one in found["chapters"]] == [f"ch{n}" for n in range(1, 14)]
    coverage, precision = found["coverage"], found["precision"]
    assert (coverage["full"]["n_yes"], coverage["full"]["n"]) == (23, 25)
    assert (coverage["clean"]["n_yes"], coverage["clean"]["n"]) == (22, 23)
    assert coverage["against"] == ["老周 in ch2", "老周 in ch4"]
    assert (precision["full"]["n_yes"], precision["full"]["n"]) == (23, 24)
    assert precision["against"] == ["老周 in ch3"]
    assert coverage["full"]["lo"] < coverage["full"]["value"] < coverage["full"]["hi"]
    assert coverage["full"]["tags"] == []
    assert [one["name"] for one in found["chapters"] if one["echo"]] == ["ch4"]
    assert found["lengths"][0]["far"] == ["ch5"]
    assert found["lengths"][0]["clean"]["n_chunks"] == 12
    assert found["without_target"] == ["ch99"]
    assert found["without_source"] == ["notes"]
    assert found["ignored"] == ["target/draft.docx"]
    assert (found["n_terms"], found["n_due"], found["n_recurring"]) == (2, 2, 2)
    told = _run("terms", "slice", str(tmp_path), "--morphology", "off").stdout
    assert "not rendered: 老周 in ch2, 老周 in ch4" in told
    assert "a memory is evaluated on 8 or more" in told


def test_hostile_folders_are_measured_or_refused_by_file_and_line(tmp_path: Path) -> None:
    _write(tmp_path, "source", {"1": "老\u202e周。" * 120_000})
    _write(tmp_path, "target", {"1": "Лао\u200b Чжоу. " * 60_000, "\x1b[31m2": "x"})
    found = _measured(tmp_path)
    assert found["chapters"][0]["source_characters"] == 360_000
    assert found["chapters"][0]["target_units"] == 120_000
    _write(tmp_path, "source", {"1": "老周。"})
    _write(tmp_path, "target", {"1": "Лао Чжоу."})
    assert "\x1b" not in _run("terms", "slice", str(tmp_path)).stdout
    bad = tmp_path / "source" / "2.txt"
    for data, where in ((b"a\n\xff", f"{bad}:2"), (b"\x00", "")):
        bad.write_bytes(data)
        done = _run("terms", "slice", str(tmp_path))
        assert done.exit_code == (2 if where else 0)
        assert where in done.stderr
    tmp_path.joinpath("glossary.jsonl").write_text('{"src": ""}', encoding="utf-8")
    done = _run("terms", "slice", str(tmp_path))
    assert (done.exit_code, "glossary.jsonl:1" in done.stderr) == (2, True)
    tmp_path.joinpath("chunks.jsonl").write_text("", encoding="utf-8")
    assert "chapters twice" in _run("terms", "slice", str(tmp_path)).stderr
    for args in ((), (str(bad),)):
        done = _run("terms", "slice", *args)
        assert (done.exit_code, done.stderr.count("\n")) == (2, 1)


def test_chunks_do_in_place_of_folders(tmp_path: Path) -> None:
    lines = [
        {"id": "a", "chapter": 3, "source": "早。", "translation": "Утро."},
        {"id": "b", "chapter": 3, "source": "晚。", "translation": ""},
    ]
    text = "\n".join(json.dumps(line) for line in lines)
    tmp_path.joinpath("chunks.jsonl").write_text(text, encoding="utf-8")
    found = _measured(tmp_path)
    assert [one["name"] for one in found["chapters"]] == ["a"]
    assert found["empty"] == ["b"]


def test_a_ratio_has_the_limits_of_a_ratio_estimator() -> None:
    # totals 30 and 66; by hand: residuals 1.6, 0.0 and -1.6 around 2.2
    found = length_ratio([(8, 19), (10, 22), (12, 25)])
    assert found.value == pytest.approx(2.2)
    assert found.lo is not None
    assert found.hi is not None
    assert found.lo < 2.2 < found.hi
    assert found.tags == ("underpowered",)
    even = length_ratio([(10, 20), (20, 40)])
    assert (even.value, even.lo) == (2.0, None)
    assert "a spread of 0 is not certainty" in even.why
    assert length_ratio([]).value is None
    assert length_ratio([(0, 5)]).why == "the sources have nothing to count"


def test_units_are_words_and_single_characters() -> None:
    assert n_units("彼はEmmaと会った。") == 7
    assert n_units("Кто-то сказал: don’t — 3,5!") == 5
    assert n_units("cafe\u0301 и\u0306") == 2
    assert n_characters("か\u3099\u200b 漢\n") == 2
