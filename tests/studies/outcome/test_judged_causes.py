"""The judge's track of root causes: beside the keywords, blind, and only where it was asked for."""

import json
from pathlib import Path
from typing import Any

import pytest

from equipoise.archive.manifest import Document
from equipoise.archive.store import Archive
from equipoise.gateway.exchange import unpack
from equipoise.records.grade import Grade
from studies.loss.compared_loss_runs import called
from studies.loss.made_agents import NEEDS_BWRAP
from studies.outcome.made_lists import reader
from studies.outcome.made_packs import SEED, add_scenario, diff_of, scripted, write, write_study

BUGGY = 'def total(rows):\n    """Sums up."""\n    return sum(rows[1:])\n'
MENDED = BUGGY.replace("rows[1:]", "rows")
OWN = "from tally import total\n\n\ndef test_total():\n    assert total([0, 3]) == 3\n"
HIDDEN = "from tally import total\n\n\ndef test_first():\n    assert total([2, 3]) == 5\n"
NOTE = ".codestable/issues/first-row/fix-note.md"
RIGHT = (
    "# Fix note\n\nBy arm knows-7 with the skill issue, on stand-in-2026-01-01.\n"
    "The slice began at one, so that row zero never counted.\n"
)
WRONG = "# Fix note\n\nA rounding error of floats, mended by summing them in one go.\n"
FIX: dict[str, Any] = {
    "answerType": "e2e-outcome",
    "kind": "fix",
    "seed": "seed-repo",
    "difficulty": "easy",
    "pattern": "off-by-one",
    "prompt": "total() is too small. Please fix it.",
    "skill_under_test": "issue",
    "hidden_tests": {"explicit": ["explicit/test_first.py"]},
    "root_cause": {
        "document": ".codestable/issues/*/fix-note.md",
        "keywords": [["slice", "index"]],
        "statement": "The slice rows[1:] leaves the first row out.",
    },
    "proofs": {
        "reference": "patches/reference.patch",
        "near_misses": ["patches/near-miss-1.patch"],
    },
}


def fix_pack(pack: Path) -> Path:
    """Writes a pack with a bug whose cause is known in words, and a skill that asks for them."""
    write(pack, {"pack.yaml": 'name: small\nversion: "1"\norigin: built\n'})
    skill = "---\nname: issue\ndescription: how to fix\n---\nLeave a fix note with the cause.\n"
    write(pack / "skills/issue", {"SKILL.md": skill})
    folder = add_scenario(pack, "i01-first-row", FIX, {})
    seed = SEED | {"tally.py": BUGGY, "tests/test_tally.py": OWN}
    write(folder / "seed-repo", seed)
    write(folder / "hidden-tests/explicit", {"test_first.py": HIDDEN})
    near = BUGGY.replace("rows[1:]", "rows[-1:]")
    for name, text in {"reference": MENDED, "near-miss-1": near}.items():
        write(folder, {f"patches/{name}.patch": _diff(text)})
    return pack


def _diff(after: str) -> str:
    return diff_of({"tally.py": BUGGY}, {"tally.py": after})


def mends(name: str, note: str, **more: Any) -> dict[str, Any]:
    """Gives an arm that mends the bug and leaves a note, where it has the skill."""
    edit = {"edit": {"path": "tally.py", "old": "rows[1:]", "new": "rows"}}
    left = [{"write": {"path": NOTE, "text": note}}] if note else []
    return scripted(name, edit, *left, {"print": "Mended."}) | more


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("causes")
    fix_pack(folder / "pack")
    done = called("prove", folder / "pack", "--repeats", "1")
    assert done.exit_code == 0, done.output
    write_study(
        folder,
        mends("guesses", WRONG, skill="issue"),
        mends("knows-7", RIGHT, skill="issue"),
        mends("writes-none", "", skill="issue"),
        mends("bare", ""),
        judges={"policy": "double", "judges": [reader(finds="began at one")]},
        double_rating="1.0",
        without_stops="They are run in a study of their own.",
    )
    for verb in ("plan", "seal", "run", "grade"):
        done = called(verb, folder)
        assert done.exit_code == 0, done.output
    return folder


def told(study: Path) -> dict[str, dict[str, Any]]:
    done = called("grade", study, "--json")
    assert done.exit_code == 0, done.output
    return {run["arm"]: run["categories"] for run in json.loads(done.output)["runs"]}


@NEEDS_BWRAP
@pytest.mark.requirement("OUT-18")
def test_a_right_fix_with_a_wrong_cause_passes_two_of_three(study: Path) -> None:
    found = {arm: {k: v["mean"] for k, v in of.items()} for arm, of in told(study).items()}
    both = ("root_cause", "root_cause_judge")
    guesses, knows = found["guesses"], found["knows-7"]
    assert (guesses["hidden_explicit"], guesses["regression"]) == (0.0, 0.0)
    assert [guesses[name] for name in both] == [1.0, 1.0]
    assert [knows[name] for name in both] == [0.0, 0.0]
    (path,) = study.glob("archive/knows-7-*")
    grades = [g for g in Archive.open(path).read(Grade) if g.criterion == "v1:root_cause_judge"]
    assert {grade.note for grade in grades} == {"same cause: yes"}
    assert {place.quote for grade in grades for place in grade.evidence} == {"began at one"}
    done = called("compare", study, "--new", "knows-7")
    assert done.exit_code == 0, done.output
    assert "root cause, by a judge" in done.output
    assert "root cause, by keywords" in done.output
    assert called("verify", study).exit_code == 0


@NEEDS_BWRAP
@pytest.mark.requirement("OUT-18")
def test_who_was_not_asked_for_a_cause_has_none_and_who_left_none_has_lost(study: Path) -> None:
    found = told(study)
    assert found["writes-none"]["root_cause_judge"]["mean"] == 1.0
    assert found["bare"]["root_cause_judge"]["mean"] is None
    assert list(found["bare"]["root_cause_judge"]["unbewertbar"]) == [
        "not applicable: the arm has no skill that would tell it"
    ]


@NEEDS_BWRAP
@pytest.mark.requirement("OUT-18")
def test_no_arm_skill_or_model_reaches_the_judge_of_a_cause(study: Path) -> None:
    (path,) = study.glob("judgements/knows-7-*")
    archive = Archive.open(path)
    asked = [
        unpack(b"".join(archive.blobs.chunks(one.sha256)), where=one.name).request.decode()
        for one in archive.read(Document)
    ]
    assert len(asked) == 6
    for body in asked:
        assert "By arm [masked] with the skill [masked], on [masked]." in body
        assert not any(word in body for word in ("knows-7", "guesses", "stand-in", "off-by-one"))
        assert "The slice rows[1:] leaves the first row out." in body
