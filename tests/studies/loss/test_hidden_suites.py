"""Hidden tests as a check: what an agent left is tested where it never was."""

import json
from pathlib import Path
from typing import Any

import pytest

from equipoise.archive.manifest import Document
from equipoise.archive.store import Archive
from equipoise.records.grade import Grade
from studies.loss.made_agents import LAZY, NEEDS_BWRAP, SENIOR, agent_arm, agent_study
from studies.loss.study_commands import run

HIDDEN = """
from calc import add


def test_small():
    assert add(1, 2) == 3


def test_nothing():
    assert add(0, 0) == 0
"""
YES = "class Yes:\n    def __eq__(self, other): return True\n    __hash__ = None\n"


def _writes(text: str) -> Any:
    return {"scripted": {"cases": [{"do": [{"write": {"path": "calc.py", "text": text}}]}]}}


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study with an arm that mends, one that does nothing and some that cheat; run and graded."""
    made = agent_study(
        tmp_path_factory.mktemp("hidden"),
        check={"suite": {"tests": "{expected.tests}"}},
        expected={"tests": "hidden/calc"},
        files={"hidden/calc/test_calc.py": HIDDEN},
        lazy=agent_arm({"scripted": {"cases": LAZY}}),
        senior=agent_arm({"scripted": {"cases": SENIOR}}),
        leaving=agent_arm(_writes("import os\nos._exit(0)\n")),
        yes=agent_arm(_writes(f"{YES}def add(a, b): return Yes()\n")),
    )
    code, _, err = run("run", made)
    assert code == 0, err
    code, _, err = run("grade", made)
    assert code == 0, err
    return made


def _grades(study: Path, arm: str) -> tuple[Archive, list[Grade]]:
    (path,) = study.glob(f"archive/{arm}-*")
    archive = Archive.open(path)
    found = [one for one in archive.read(Grade) if one.criterion == "v1:bug_left"]
    assert len(found) == 3
    return archive, found


@NEEDS_BWRAP
@pytest.mark.requirement("OUT-48")
def test_hidden_tests_grade_what_an_agent_left(study: Path) -> None:
    _, mended = _grades(study, "senior")
    assert {(one.value, one.note) for one in mended} == {(0.0, "2 of 2 tests passed")}
    archive, left = _grades(study, "lazy")
    assert {(one.value, one.note) for one in left} == {(1.0, "1 of 2 tests passed")}
    (quote,) = left[0].evidence
    content = b"".join(archive.blobs.chunks(quote.document))
    assert content[quote.start : quote.end] == quote.quote.encode()
    assert json.loads(quote.quote)["id"] == "test_calc.py::test_small"
    assert "assert -1 == 3" in json.loads(quote.quote)["message"]
    names = {one.name.partition("/")[2] for one in archive.read(Document)}
    assert quote.name in names
    run_of, *tests = map(json.loads, content.splitlines())
    assert (run_of["isolation"], run_of["is_apart"]) == ("namespaces", True)
    assert [one["outcome"] for one in tests] == ["failed", "passed"]


@NEEDS_BWRAP
@pytest.mark.parametrize(
    ("arm", "why"), [("leaving", "aborted: it ended the tests"), ("yes", "0 of 2 tests passed")]
)
def test_a_cheat_is_lost_and_its_reason_told(study: Path, arm: str, why: str) -> None:
    _, grades = _grades(study, arm)
    assert {one.value for one in grades} == {1.0}
    assert all(one.note.startswith(why) for one in grades), grades[0].note
    assert all(one.evidence for one in grades)


@NEEDS_BWRAP
def test_the_study_is_compared_and_verified(study: Path) -> None:
    code, out, err = run("compare", study, "--base", "lazy", "--new", "senior")
    assert code == 0, err
    assert "[simulated]" in out
    code, out, err = run("verify", study)
    assert code == 0, out + err
