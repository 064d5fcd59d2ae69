"""Tasks go to other tools and answers come back, each fault named and counted."""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml

from studies.rating.rating_commands import fine, lines_of, outputs, refused, run, write_study

_ARMS = ("alpha-arm", "beta-arm", "gamma-arm")


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study of six units and two axes with its campaign, and nobody asked yet."""
    lines = outputs(6, _ARMS)
    lines[0]["text"] = "=HYPERLINK(1) " + lines[0]["text"]
    study = write_study(
        tmp_path_factory.mktemp("exchange") / "study",
        lines,
        arms=_ARMS,
        more="set_size: 3\nannotators: [{name: ann}, {name: bob, axes: [style]}]\n"
        "checks: {silent: 1, loud: 1}\naxes:\n  - {name: style, ask: Which reads best?}\n"
        "  - {name: sense, ask: 'Which says \"it\" best?', shows: [source]}\n",
    )
    for words in (("plan",), ("seal",), ("annotate", "make")):
        fine(*words, study)
    return study


@pytest.fixture
def study(ready: Path, tmp_path: Path) -> Path:
    """A campaign of one's own."""
    return copytree(ready, tmp_path / "study")


def _packets(study: Path) -> dict[str, dict[str, Any]]:
    return {one["id"]: one for one in lines_of(study / "campaign" / "packets.jsonl")}


def _mine(study: Path, who: str) -> list[str]:
    tasks = lines_of(study / "campaign" / "assignments.jsonl")
    return [task["packet"] for task in tasks if task["annotator"] == who]


@pytest.mark.requirement("PIL-72")
@pytest.mark.parametrize("form", ["csv", "jsonl", "potato", "label-studio"])
def test_exported_tasks_name_no_arm_and_hold_every_set(
    study: Path, tmp_path: Path, form: str
) -> None:
    out = tmp_path / "out"
    fine("annotate", "export", study, "--format", form, "-o", out)
    files = [out] if out.is_file() else [path for path in out.rglob("*") if path.is_file()]
    text = "".join(path.read_text(encoding="utf-8") for path in files)
    names = [*_ARMS, "style-0001", "u000", "-check-", "silent", "loud"]
    assert [name for name in names if name in text] == []
    assert all(packet in text for packet in _packets(study))
    assert "stands there already" in refused(
        "annotate", "export", study, "--format", form, "-o", out
    )


def test_a_formula_is_no_formula_in_a_table(study: Path, tmp_path: Path) -> None:
    fine("annotate", "export", study, "-o", tmp_path / "tasks.csv")
    text = tmp_path.joinpath("tasks.csv").read_text(encoding="utf-8")
    assert "=HYPERLINK" in text
    assert ",=HYPERLINK" not in text


@pytest.mark.requirement("PIL-74")
def test_answers_go_out_and_come_back_to_the_same_bytes(study: Path, tmp_path: Path) -> None:
    empty = copytree(study, tmp_path / "empty")
    typed = "1 2\nu\n2 1\n3 1\ns\n1 3\n"
    fine("annotate", "rate", study, "--annotator", "ann", given=typed)
    fine("annotate", "rate", study, "--annotator", "bob", given="1 2\n")
    for form in ("csv", "jsonl"):
        other = copytree(empty, tmp_path / form)
        out, again = tmp_path / f"answers.{form}", tmp_path / f"again.{form}"
        asked = ("--what", "answers", "--format", form)
        fine("annotate", "export", study, *asked, "-o", out)
        fine("annotate", "import", other, out, "--format", form)
        fine("annotate", "export", other, *asked, "-o", again)
        assert again.read_bytes() == out.read_bytes()
        assert "0 of 7 answers taken, 7 there already" in fine(
            "annotate", "import", other, out, "--format", form
        )
        fine("annotate", "collect", other)
    fine("annotate", "collect", study)
    archived = [
        path.joinpath("answers.jsonl").read_bytes()
        for folder in (study, tmp_path / "csv", tmp_path / "jsonl")
        for path in folder.joinpath("archive").iterdir()
    ]
    assert archived[0] == archived[1] == archived[2]
    reports = []
    for folder in (study, tmp_path / "csv", tmp_path / "jsonl"):
        run("compare", folder)
        (report,) = folder.glob("comparisons/*/report/index.html")
        reports.append(report.read_bytes())
    assert reports[0] == reports[1] == reports[2], "the heads of archives stand in it"


def _potato(study: Path, tmp_path: Path) -> Iterator[Path]:
    """Answers as Potato writes them, in both of its forms: the first best, the second worst."""
    fine("annotate", "export", study, "--format", "potato", "-o", tmp_path / "tasks")
    for folder in sorted(tmp_path.joinpath("tasks").glob("*/*")):
        config = yaml.safe_load(folder.joinpath("config.yaml").read_text(encoding="utf-8"))
        (scheme,) = config["annotation_schemes"]
        assert (scheme["annotation_type"], scheme["tuple_size"]) == ("bws", 3)
        lines = lines_of(folder / config["data_files"][0])
        first, rest = lines[0], lines[1:]
        assert [one["position"] for one in first["_bws_items"]] == ["A", "B", "C"]
        who = tmp_path / "annotation_output" / folder.parent.name / folder.name
        who.mkdir(parents=True)
        pairs = [
            [{"schema": scheme["name"], "name": role}, place]
            for role, place in (("best", "A"), ("worst", "B"))
        ]
        state = {"user_id": "x", "instance_id_to_label_to_value": {first["id"]: pairs}}
        who.joinpath("user_state.json").write_text(json.dumps(state), encoding="utf-8")
        yield who
        told = [
            {"user_id": "x", "instance_id": one["id"], "_bws_items": one["_bws_items"],
             "label_annotations": {scheme["name"]: {"best": "A", "worst": "B"}}}
            for one in rest
        ]  # fmt: skip
        path = tmp_path / f"{folder.parent.name}-{folder.name}.jsonl"
        path.write_text("".join(f"{json.dumps(one)}\n" for one in told), encoding="utf-8")
        yield path


@pytest.mark.requirement("PIL-72")
def test_answers_of_potato_are_taken(study: Path, tmp_path: Path) -> None:
    for path in _potato(study, tmp_path):
        fine("annotate", "import", study, path, "--format", "potato")
    fine("annotate", "collect", study)
    (archive,) = study.joinpath("archive").iterdir()
    answers = [line["body"] for line in lines_of(archive / "answers.jsonl")]
    assert {(one["best"], one["worst"], one["source"]) for one in answers} == {
        (0, 1, "import:potato")
    }
    assert {one["packet"] for one in answers} == set(_packets(study))


@pytest.mark.requirement("PIL-72")
def test_answers_of_label_studio_are_taken(study: Path, tmp_path: Path) -> None:
    fine("annotate", "export", study, "--format", "label-studio", "-o", tmp_path / "tasks")
    for folder in sorted(tmp_path.joinpath("tasks").glob("*/*")):
        config = ET.fromstring(folder.joinpath("config.xml").read_text(encoding="utf-8"))
        tasks = json.loads(folder.joinpath("tasks.json").read_bytes())
        shown = {one.get("value", "")[1:] for one in config.iter("Text")}
        assert shown <= set(tasks[0]["data"])
        roles = [one.get("name") for one in config.iter("Choices")]
        assert roles == ["best", "worst"]
        for number, task in enumerate(tasks):
            result = [
                {"from_name": role, "to_name": "text_A", "type": "choices",
                 "value": {"choices": [choice]}}
                for role, choice in (("best", "C"), ("worst", "A"))
            ]  # fmt: skip
            task["id"] = number
            task["annotations"] = [
                {"id": 7, "was_cancelled": True, "result": []},
                {"id": 8, "completed_by": 3, "lead_time": 12.5, "result": result,
                 "created_at": "2026-01-02T03:04:05Z"},
            ]  # fmt: skip
        path = tmp_path / f"{folder.parent.name}-{folder.name}.json"
        path.write_text(json.dumps(tasks), encoding="utf-8")
        fine("annotate", "import", study, path, "--format", "label-studio")
    fine(
        "annotate", "export", study, "--what", "answers", "--format", "jsonl", "-o", tmp_path / "a"
    )
    answers = lines_of(tmp_path / "a")
    assert len(answers) == len(_packets(study))
    assert {(one["best"], one["worst"], one["seconds"]) for one in answers} == {("C", "A", 12.5)}


@pytest.mark.requirement("PIL-22")
def test_every_kind_of_faulty_answer_is_refused_by_name_and_counted(
    study: Path, tmp_path: Path
) -> None:
    mine, other = _mine(study, "ann"), _mine(study, "bob")
    texts = [option["text"] for option in _packets(study)[mine[0]]["options"]]
    sound = {"packet": mine[0], "best": "A", "worst": "C", "options": texts}
    faulty: dict[str, dict[str, Any]] = {
        "unknown_packet": sound | {"packet": "p-0000000000000000"},
        "unknown_annotator": sound | {"annotator": "dora"},
        "other_rater": sound | {"packet": other[0], "annotator": "ann"},
        "incomplete_choice": {"packet": mine[1], "best": "A"},
        "choice_not_in_set": sound | {"worst": "D"},
        "best_equals_worst": sound | {"worst": "1"},
        "item_twice": sound | {"options": [texts[0], texts[0], texts[1]]},
        "never_shown": sound | {"options": [*texts[:2], "something else"]},
        "answered_twice": sound | {"best": "B"},
        "efficiency_in_rating": sound | {"cost_usd": 0.1},
        "bad_value": sound | {"seconds": "soon"},
    }
    lines = [sound, *faulty.values()]
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(f"{json.dumps(one)}\n" for one in lines), encoding="utf-8")
    said = refused("annotate", "import", study, path, "--format", "jsonl")
    assert "11 of 12 answers are refused" in said
    assert [code for code in faulty if f"1 {code} (" not in said] == []
    assert "0 of 27 sets done" in fine("annotate", "status", study)
    said = fine("annotate", "import", study, path, "--format", "jsonl", "--drop-faulty")
    assert "1 of 12 answers taken" in said
    assert "1 never_shown (answers.jsonl:9)" in said
    for code, line in faulty.items():
        alone = tmp_path / f"{code}.jsonl"
        alone.write_text(json.dumps(line), encoding="utf-8")
        assert code in refused("annotate", "import", study, alone, "--format", "jsonl")


@pytest.mark.parametrize(
    ("form", "content", "told"),
    [
        ("csv", b"\xff\xfe", "no UTF-8"),
        ("csv", b"annotator,worst\n", "no column best, packet"),
        ("jsonl", b"[1]\n", "no object"),
        ("jsonl", b"{", "one JSON object a line"),
        ("potato", b"7\n", "user_state.json"),
        ("label-studio", b"{}", "no list of tasks"),
        ("label-studio", b"[7]", "no data"),
    ],
)
def test_a_file_of_another_form_is_refused(
    study: Path, tmp_path: Path, form: str, content: bytes, told: str
) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    assert told in refused("annotate", "import", study, path, "--format", form)
    code, _, err = run("annotate", "import", study, tmp_path / "nowhere", "--format", form)
    assert code == 3, err


def test_one_command_joins_answers_with_the_key_and_says_that_it_was_read(
    study: Path, tmp_path: Path
) -> None:
    fine("annotate", "rate", study, "--annotator", "ann", given="1 2\nu\n3 1\ns\n")
    out = tmp_path / "joined.jsonl"
    fine("annotate", "export", study, "--what", "joined", "--format", "jsonl", "-o", out)
    rows = lines_of(out)
    keys = {key["packet"]: key for key in lines_of(study / "campaign" / "keys.jsonl")}
    assert len(rows) == 6
    for row in rows:
        assert row["arm"] == keys[row["packet"]]["arms"][row["place"] - 1]
    answered = [row for row in rows if row["answer"] != "skipped"]
    assert [(row["label"], row["answer"]) for row in answered] == [
        ("A", "worst"), ("B", ""), ("C", "best"),
    ]  # fmt: skip
    table = tmp_path / "joined.csv"
    fine("annotate", "export", study, "--what", "joined", "-o", table)
    assert len(table.read_text(encoding="utf-8").splitlines()) == 7
    with sqlite3.connect(study / "campaign" / "answers.sqlite") as database:
        said = [row[0] for row in database.execute("SELECT what FROM audit WHERE who = 'key'")]
    assert len(said) == 2
    assert said[0].startswith("read for a joined table")
    study.joinpath("campaign", "keys.jsonl").unlink()
    assert "cannot be read" in refused(
        "annotate", "export", study, "--what", "joined", "-o", tmp_path / "none"
    )
