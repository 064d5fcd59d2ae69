"""``equipoise terms consistency`` as a user types it, over files of our own."""

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

_GLOSSARY = [
    {"src": "林", "dst": "Линь Хао", "kind": "name", "gender": "m"},
    {"src": ["云城", "雲城"], "dst": "Облачный Город", "kind": "place"},
    {"src": "金丹", "dst": "золотое ядро"},
]
_RIGHT = [
    ("林入云城。", "Линь Хао вошёл в Облачный Город."),
    ("云城无林。", "В Облачном Городе не было Линь Хао."),
    ("林失金丹。", "У Линь Хао не стало золотого ядра."),
    ("雲城有金丹。", "Облачным Городом правили те, у кого были золотые ядра."),
    ("林与金丹。", "О Линь Хао и золотом ядре."),
    ("风。", "Дул ветер."),
]


def _run(*args: object, given: bytes = b"") -> Result:
    return CliRunner().invoke(commands, ["terms", "consistency", *map(str, args)], input=given)


def _files(folder: Path, texts: list[tuple[str, str]]) -> tuple[Path, Path]:
    chunks = [
        {"id": f"c{n}", "chapter": 1, "source": source, "translation": text}
        for n, (source, text) in enumerate(texts)
    ]
    found = []
    for name, lines in (("glossary", _GLOSSARY), ("chunks", chunks)):
        found.append(folder / f"{name}.jsonl")
        text = "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)
        found[-1].write_text(text, encoding="utf-8")
    return found[0], found[1]


def _json(*args: object) -> dict[str, Any]:
    done = _run(*args, "--json")
    found: dict[str, Any] = json.loads(done.stdout)
    schema = json.loads((ROOT / "schemas" / "term-consistency.schema.json").read_bytes())
    Draft202012Validator(schema).validate(found)
    return found


@pytest.mark.requirement("PIL-45")
def test_right_case_forms_score_one_and_base_form_matching_flags_them(tmp_path: Path) -> None:
    glossary, chunks = _files(tmp_path, _RIGHT)
    found = _json(glossary, chunks)
    assert found["share"]["value"] == found["strict"]["value"] == 1.0
    assert found["share"]["lo"] < 1.0
    assert (found["share"]["n_yes"], found["share"]["n"]) == (10, 10)
    assert found["share"]["n_chunks"] == 5
    assert found["share"]["tags"] == ["underpowered"]
    assert found["n_terms_same"] == found["n_terms_due"] == 3
    assert found["n_without_terms"] == 1
    by_base = found["naive"][0]
    assert by_base["consistency"]["value"] < 1.0
    assert by_base["n_flags"] == by_base["n_false_flags"] == 5
    told = _run(glossary, chunks).stdout
    assert "10 of 10 due terms rendered" in told
    assert "[underpowered]" in told
    assert "flag 5, of which 5 falsely" in told


def test_what_is_missing_flagged_echoed_or_not_translated_is_told(tmp_path: Path) -> None:
    texts = [
        ("林入云城。", "Лин вошёл в Заоблачный Город."),
        ("金丹", "金丹 → золотое ядро\n\nОн лишился силы."),
        ("林", ""),
        ("云城", "Облaчный Город спал."),
    ]
    found = _json(*_files(tmp_path, texts))
    assert found["share"]["value"] == 0.0
    assert found["share"]["n_missing"] == 1
    assert found["echoed"] == ["c1"]
    assert found["untranslated"] == ["c2"]
    assert found["mixed_script"] == ["云城 in c3"]
    assert {one["id"]: one["missing_in"] for one in found["terms"]} == {
        "林": ["c0"],
        "云城": ["c0", "c3"],
        "金丹": ["c1"],
    }


def test_nothing_due_is_not_evaluable_and_faults_name_their_line(tmp_path: Path) -> None:
    glossary, chunks = _files(tmp_path, [("风", "Ветер.")])
    done = _run(glossary, chunks)
    assert done.exit_code == 2
    assert "not evaluable" in done.stdout
    assert "nothing was measured" in done.stderr
    for lines, said in (
        ('{"src": "风"}', ":1: "),
        ('{"src": "风", "dst": "ветер", "colour": 1}', "colour"),
        ('{"src": "风", "dst": "a"}\n{"src": "风", "dst": "b"}', "two terms have this id"),
        ('{"src": "风", "dst": "a", "from_ch": 3, "until_ch": 2}', "until_ch 2 is before"),
        ("[]", ":1: "),
        ("", "no line"),
        ("\x00", ":1: "),
    ):
        glossary.write_text(lines, encoding="utf-8")
        done = _run(glossary, chunks)
        assert done.exit_code == 2
        assert str(glossary) in done.stderr
        assert said in done.stderr
    assert _run(glossary).exit_code == 2


@pytest.mark.requirement("PIL-46")
def test_without_the_package_stored_forms_work_and_the_rest_says_what_to_install(
    tmp_path: Path,
) -> None:
    glossary, chunks = _files(tmp_path, _RIGHT)
    program = "import sys; sys.modules['pymorphy3'] = None; from equipoise.cli import main; main()"
    start = [sys.executable, "-c", program, "terms", "consistency"]
    done = subprocess.run([*start, glossary, chunks], capture_output=True, check=False, text=True)
    assert done.returncode == 3
    assert "equipoise[translation]" in done.stderr
    done = subprocess.run([*start, "--self-test"], capture_output=True, check=False, text=True)
    assert done.returncode == 0
    assert "19 of 19 vectors" in done.stdout
    assert "left out: declension by morphology" in done.stdout
