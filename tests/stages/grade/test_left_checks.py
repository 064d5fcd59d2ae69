"""Checks of what an agent left: end states, checkpoints, contracts, root causes, hostile ones."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given as draws
from hypothesis import strategies as st

from equipoise.records.grade import Grade
from equipoise.stages.grade.keywords import has_keyword
from equipoise.stages.grade.left_behind import TREE
from equipoise.stages.grade.written import words
from every import for_every
from stages.grade.made_material import grade, material

GONE = "\0gone"
DESIGN = ".codestable/features/export/design.md"
NOTE = ".codestable/issues/last-day/fix-note.md"
WAITS = "---\nfeature: export\nstatus: draft\n---\n# Export\n"
STOP: dict[str, Any] = {
    "document": ".codestable/features/*/design.md",
    "told": [r"\bwait(s|ing)?\b.{0,60}\b(confirm|approv)"],
    "unchanged": ["tally/**"],
}
SAYS = "The design is done. I am waiting for your confirmation before I build it."
CONTRACT: dict[str, Any] = {
    "name": "fix-note",
    "front_matter": {"required": ["issue", "status"], "values": {"status": ["draft", "done"]}},
    "sections": [{"heading": "Root cause", "min_words": 5}, {"heading": "Fix"}],
    "forbidden": [r"\bTBD\b"],
}
GOOD = (
    "---\nissue: last-day\nstatus: done\n---\n# Last day\n\n## Root cause\n\n"
    "`Period.contains` excludes the upper boundary of the period.\n\n## Fix\n\nInclude it.\n"
)
CAUSE: dict[str, Any] = {
    "document": ".codestable/issues/*/fix-note.md",
    "keywords": [["contains", "self.last"], ["boundary", "off by one", "exclusive"]],
}


def left(said: str | None, files: Mapping[str, str | bytes | None]) -> dict[str, str | bytes]:
    """Gives the documents of who left files: path -> content, null = listed and not kept."""
    tree = {path: "" if content == GONE else "5e1f" for path, content in files.items()}
    kept = {f"artifacts/{p}": one for p, one in files.items() if one not in (None, GONE)}
    told = {} if said is None else {"output": said}
    return {TREE: json.dumps(tree, ensure_ascii=False, separators=(",", ":")), **kept, **told}


def value(
    kind: str, expect: Any, said: str | None, files: Mapping[str, str | bytes | None]
) -> Grade:
    """Gives the grade of who left these files and said this at the end."""
    return grade({kind: {"expect": expect}}, material(left(said, files)))


def artifact(content: str | bytes | None, contract: Any = None) -> Grade:
    rule = {"glob": ".codestable/issues/*/fix-note.md", "contract": contract or CONTRACT}
    return value("artifact", [rule], "Mended.", {NOTE: content})


@for_every(
    "files, said, wrong",
    [
        ({DESIGN: WAITS}, SAYS, ""),
        ({DESIGN: WAITS}, "I built it.", "does not say that it waits"),
        ({DESIGN: WAITS}, None, "said nothing at the end"),
        ({DESIGN: WAITS.replace("draft", "approved")}, SAYS, "status is approved; who waits"),
        ({}, SAYS, "left no .codestable/features/*/design.md"),
        ({DESIGN: WAITS, "tally/cli.py": "x = 1\n"}, SAYS, "changed tally/cli.py"),
        ({DESIGN: "# Export\n"}, SAYS, "no front matter"),
        ({DESIGN: "---\nstatus: [draft\n---\n"}, SAYS, "no plain YAML"),
        ({DESIGN: None}, SAYS, "no file of its own"),
        (
            {DESIGN: WAITS, ".codestable/features/b/design.md": "---\nstatus: done\n---\n"},
            SAYS,
            "b",
        ),
    ],
)
@pytest.mark.requirement("OUT-15")
@pytest.mark.requirement("OUT-21")
def test_a_checkpoint_wants_a_draft_and_a_message_that_says_so(
    files: dict[str, str | None], said: str | None, wrong: str
) -> None:
    given = value("checkpoint", STOP, said, files)
    assert given.value == float(bool(wrong)), given
    assert wrong in given.note
    assert bool(given.evidence) == bool(wrong)


@for_every(
    "content, wrong",
    [
        (GOOD, ""),
        ("", "is empty"),
        (" \n\n", "is empty"),
        (b"\xff\xfe\x00binary", "no text"),
        (b"ok \xff", "no text"),
        ("x" * 300_000, "at most 262144"),
        (None, "no file of its own"),
        (GOOD.replace("issue: last-day\n", ""), "front matter lacks issue"),
        (GOOD.replace("status: done", "status: finished"), "status is finished; wanted draft or"),
        (GOOD.replace("## Fix", "### Fixed"), "no heading 'Fix'"),
        (GOOD.replace("excludes the upper boundary of the period", ""), "'Root cause' has 2 words"),
        (
            GOOD.replace("`Period", "<!-- a b c d e f --> `Period").replace(
                "excludes the upper", ""
            ),
            "",
        ),
        (GOOD.replace("Include", "TBD. Include"), r"forbidden, \bTBD\b"),
        (GOOD.replace("## Fix", "```\n## Fix\n```"), "no heading 'Fix'"),
        ("---\na: &a [x]\nb: [*a, *a]\n---\n", "no plain YAML"),
        ("---\n" + "[" * 5000 + "\n---\n", "no plain YAML"),
    ],
)
@pytest.mark.requirement("OUT-15")
def test_a_document_keeps_its_contract_or_everything_broken_is_named(
    content: str | bytes | None, wrong: str
) -> None:
    given = artifact(content)
    assert given.value == float(bool(wrong)), given
    assert wrong in given.note


@for_every(
    "content, wrong",
    [
        ("feature: a\nsteps:\n  - {id: 1, text: b}\n", ""),
        ("feature: a\nsteps: []\n", "lacks steps"),
        ("feature: a\nsteps:\n  - {id: 1}\n  - {id: 2, text: c}\n", "entry 1 lacks text"),
        ("feature: a\nsteps: [1, 2]\n", "entry 2 lacks id, text"),
        ("- a\n", "it has no keys"),
        ("a: b: c\n", "no plain YAML"),
    ],
)
def test_a_checklist_keeps_its_contract_or_everything_broken_is_named(
    content: str, wrong: str
) -> None:
    contract = {"name": "c", "format": "yaml", "keys": ["feature", "steps"], "each": ["id", "text"]}
    given = artifact(content, contract)
    assert given.value == float(bool(wrong)), given
    assert wrong in given.note


@for_every(
    "cause, wrong",
    [
        ("contains() leaves out the upper boundary", ""),
        ("`self.last` is exclusive; an off-by-one error", ""),
        ("contains() is off by one", ""),
        ("the boundaries are wrong", "names none of contains, self.last"),
        ("contains() is wrong", "names none of boundary, off by one, exclusive"),
    ],
)
@pytest.mark.requirement("OUT-18")
def test_a_root_cause_is_named_by_a_word_of_each_group(cause: str, wrong: str) -> None:
    given = value("root_cause", CAUSE, "Mended.", {NOTE: f"# Note\n\n{cause}\n"})
    assert given.value == float(bool(wrong)), given
    assert wrong in given.note
    below = CAUSE | {"section": "Root cause"}
    note = f"# Note\n\n## Root cause\n\n{cause}\n\n## Fix\n\nIt was so.\n"
    assert value("root_cause", below, "Mended.", {NOTE: note}).value == float(bool(wrong))
    note = f"# Note\n\n## Symptom\n\n{cause}\n\n## Root cause\n\nNobody knows.\n"
    assert value("root_cause", below, "Mended.", {NOTE: note}).value == 1.0
    assert value("root_cause", CAUSE, f"It was this: {cause}", {}).value == 1.0  # no document


@for_every(
    "text, keyword, is_there",
    [
        ("it was rounded twice", "round", True),
        ("Rounding", "round", True),
        ("on the ground", "round", False),
        ("significant", "sign", False),
        ("the boundaries", "boundary", True),
        ("skipped a row", "skip", True),
        ("in `to_home()`", "to_home", True),
        ("to home", "to_home", False),
        ("far below zero", "below zero", True),
        ("zero below", "below zero", False),
        ("在四舍五入时", "舍入", False),
        ("错误的舍入", "舍入", True),
        ("", "round", False),
        ("anything", "", False),
    ],
)
def test_a_keyword_stands_for_its_inflections(text: str, keyword: str, is_there: bool) -> None:
    assert has_keyword(words(text), keyword) is is_there


@for_every(
    "state, said, files, wrong",
    [
        ({"unchanged": ["tally/**"]}, "x", {"docs/a.md": "a"}, ""),
        ({"unchanged": ["tally/**"]}, "x", {"tally/__pycache__/cli.cpython-311.pyc": b"\0"}, ""),
        ({"unchanged": ["tally"]}, "x", {"tally/a/b.py": "a"}, "changed tally/a/b.py"),
        ({"unchanged": ["*.py"]}, "x", {"a.py": "a", "b/c.py": "a"}, "changed a.py, where"),
        ({"unchanged": ["tally/**"]}, "x", {"tally/cli.py": GONE}, "changed tally/cli.py"),
        ({"present": ["**/*.md"]}, "x", {"n.md": GONE}, "left no **/*.md"),
        ({"absent": ["**/*.sql"]}, "x", {"a/b.sql": "x"}, "left a/b.sql, where"),
        ({"told": ["NEW requirement"]}, "A new requirement.", {}, ""),
        ({"told": ["new requirement"]}, None, {"h.md": "a new\nrequirement"}, "told nowhere"),
        ({"told": ["new requirement"]}, None, {"h.md": "a new requirement"}, ""),
        ({"told": ["no", "yes"]}, "no", {}, "told nowhere: yes"),
    ],
)
@pytest.mark.requirement("OUT-19")
def test_an_end_state_is_reached_or_everything_wrong_is_named(
    state: Any, said: str | None, files: dict[str, str], wrong: str
) -> None:
    given = value("end_state", state, said, files)
    assert given.value == float(bool(wrong)), given
    assert wrong in given.note


def test_who_keeps_others_from_seeing_what_stayed_has_not_left_it_unchanged() -> None:
    session = json.dumps({"is_listed": False, "escapes": ["tally: cannot be listed: denied"]})
    documents = left("A new requirement.", {}) | {"session.json": session}
    state = {"unchanged": ["tally/**"], "told": ["new requirement"]}
    given = grade({"end_state": {"expect": state}}, material(documents))
    assert given.value == 1.0
    assert "nobody can see what stayed: tally: cannot be listed" in given.note
    told = {"told": state["told"]}
    assert grade({"end_state": {"expect": told}}, material(documents)).value == 0.0


def test_what_a_unit_does_not_expect_is_not_applicable() -> None:
    check = {"end_state": {"expect": "{expected.end_state}"}}
    given = grade(check, material(left("done", {})))
    assert given.value is None
    assert given.not_evaluable == "not applicable: the unit has no expected.end_state"
    given = grade(check, material({"output": "x"}, expected={"end_state": {"told": ["x"]}}))
    assert (given.value, given.not_evaluable) == (None, "no document tree.json")


def test_an_expression_that_never_ends_is_told_and_no_score() -> None:
    state = {"told": [r"(\w+\s?)*\d$"]}
    given = value("end_state", state, "word " * 5000, {})
    assert given.value is None
    assert "took more than" in given.not_evaluable


@draws(st.binary(max_size=300), st.text(max_size=80))
def test_whatever_an_agent_leaves_is_data(content: bytes, said: str) -> None:
    for kind, expect in {
        "checkpoint": STOP,
        "artifact": [{"glob": "**/*.md", "contract": CONTRACT}],
        "root_cause": CAUSE,
        "end_state": {"told": ["x"], "present": ["**"]},
    }.items():
        for path in (DESIGN, NOTE):
            given = value(kind, expect, said, {path: b"---\n" + content})
            assert given.value in {0.0, 1.0}
