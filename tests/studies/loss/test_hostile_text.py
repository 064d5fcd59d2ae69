"""Ids and outputs that would leave a folder, act on a terminal or break a page."""

import json
from pathlib import Path
from typing import Any

import pytest

from equipoise.records.unseen import UNSEEN
from every import for_every
from studies.loss.compared_loss_runs import called, losses, made
from studies.loss.made_study import made_study, made_units, unit_line
from studies.loss.study_commands import plan_of, refused, run

ACTING = "\x1b]0;owned\x07\x9b31m\u202e<script>alert(1)</script>\u200b"


@for_every(
    "name, why",
    [
        ("", "is empty"),
        ("refund\n7", "unseen character U+000A"),
        ("refund\x1b[31m7", "unseen character U+001B"),
        ("refund\x00", "unseen character U+0000"),
        ("refund\x9b7", "unseen character U+009B"),
        ("refund\u202e7", "unseen character U+202E"),
        ("refund\u200b7", "unseen character U+200B"),
        ("r" * 10_000, "has 10,000 characters, more than 200"),
        ("../refund", "would lead out of a folder"),
        ("a/../../refund", "would lead out of a folder"),
        ("a\\..\\refund", "would lead out of a folder"),
        ("/etc/passwd", "would lead out of a folder"),
        (".", "would lead out of a folder"),
        ("-rf", "begins with a dash"),
        (" refund", "begins or ends with a space"),
    ],
)
@for_every("key", ["id", "cluster"])
def test_a_hostile_name_is_refused_by_its_line(
    tmp_path: Path, key: str, name: str, why: str
) -> None:
    units = [*made_units(2), unit_line(9, intent="refund", **{key: name})]
    err = refused(made_study(tmp_path, units=units), 2)
    assert "units.jsonl:5: unit " in err
    assert why in err
    assert "mend: " in err
    assert len(err) < 500
    assert not UNSEEN.search(err.replace("\n", ""))


@for_every(
    "name",
    ["django/django-123", "tests/a.py::test[1-2]", "a b", "注文-7", "<b>&\"'`|*", "a..b", "ملف-1"],
)
def test_a_strange_name_that_leads_nowhere_is_taken(tmp_path: Path, name: str) -> None:
    units = [*made_units(2), unit_line(9, intent="refund", id=name)]
    study = made_study(tmp_path, units=units)
    assert name in [unit["id"] for unit in plan_of(study)["units"]]


@pytest.mark.parametrize("key", ["title", "question"])
def test_unseen_characters_in_the_study_are_refused(tmp_path: Path, key: str) -> None:
    changes: dict[str, Any] = {key: '"help \\e[31mdesk"'}
    err = refused(made_study(tmp_path, **changes), 2)
    assert "unseen character U+001B" in err
    assert "study.yaml:" in err


def test_what_a_system_wrote_acts_on_no_terminal_and_no_page(tmp_path: Path) -> None:
    """A citation quotes the system's own output, which may hold anything."""
    folder = made(tmp_path, losses("r", 0.4, quote=f"paid {ACTING}") + losses("i", 0.1))
    told = called("compare", folder).output
    assert "⟨U+001B⟩]0;owned⟨U+0007⟩⟨U+009B⟩31m⟨U+202E⟩" in told
    assert not UNSEEN.search(told.replace("\n", ""))
    as_json = called("compare", folder, "--json").output
    assert not UNSEEN.search(as_json.replace("\n", ""))
    quotes = [row["citation"]["quote"] for row in json.loads(as_json)["rows"] if row["citation"]]
    assert any(quote.startswith(f"paid {ACTING}") for quote in quotes)
    called("report", folder)
    (comparison,) = folder.joinpath("comparisons").iterdir()
    for path in [*comparison.rglob("*.md"), *comparison.rglob("*.html"), folder / "history.html"]:
        text = path.read_text("utf-8")
        assert not UNSEEN.search(text.replace("\n", "").replace("\t", "")), path
        assert "<script>alert(1)" not in text.replace("\\<script", ""), path


def test_an_error_message_acts_on_no_terminal(tmp_path: Path) -> None:
    code, _, err = run("plan", tmp_path / "no\x1b[31m\u202estudy")
    assert code == 3
    assert not UNSEEN.search(err.replace("\n", ""))
