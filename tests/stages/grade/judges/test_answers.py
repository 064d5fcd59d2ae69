"""From a trial's documents to what is asked of it, and from an answer to values with words."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from equipoise.records.catalog import Catalog, Category
from equipoise.records.codec import digest
from equipoise.records.holdout import Holdout
from equipoise.records.judgement import Judgement, ReadState
from equipoise.records.packet import Option, Packet
from equipoise.records.trial import Trial
from equipoise.stages.grade.judges.answers import Said, answers
from equipoise.stages.grade.judges.inquiries import (
    ACCEPTANCE,
    CAUSE,
    COVERAGE,
    EDGE,
    OBVIOUS,
    ORDER,
    Inquiries,
    Inquiry,
    inquire,
)
from equipoise.stages.grade.material import Material, Stored

KINDS = (COVERAGE, OBVIOUS, EDGE, ORDER, ACCEPTANCE, CAUSE)
CATALOG = Catalog(
    version="v1",
    categories=tuple(
        Category(
            id=kind,
            weight=0.1,
            type="model_judged",
            max=1,
            asked=kind,
            applies_to=("with",) if kind == CAUSE else (),
        )
        for kind in KINDS
    ),
)
ITEMS = [
    {"id": "a", "text": "one", "label": "obvious"},
    {"id": "b", "text": "two", "label": "obvious", "depends_on": ["a"]},
    {"id": "c", "text": "three", "label": "edge", "depends_on": ["b"]},
    {"id": "d", "text": "four", "label": "edge", "depends_on": ["c"]},
]
EXPECTED = {
    "items": ITEMS,
    "deliverable": "list.yaml",
    "root_cause": {"document": "notes/*.md", "statement": "The slice\nwas wrong."},
}
LIST = (
    b"- id: x\n  text: >-\n    first\n    and more\n  acceptance: [seen at once]\n"
    b"- id: y\n  text: second\n  depends_on: [x]\n"
)


def material(
    files: Mapping[str, bytes], expected: Mapping[str, Any] = EXPECTED, arm: str = "with"
) -> Material:
    tree = json.dumps({path: digest(content) for path, content in files.items()}).encode()
    held = {"tree.json": tree} | {f"artifacts/{path}": one for path, one in files.items()}

    def stored(name: str, content: bytes) -> Stored:
        return Stored(name=name, sha256=digest(content), read=lambda: content)

    return Material(
        trial=Trial(id="t", unit="u", arm=arm),
        documents={name: stored(name, content) for name, content in held.items()},
        holdout=Holdout(unit="u", expected=dict(expected)),
    )


def told(inquiry: Inquiry, **said: Any) -> dict[str, Said]:
    packet = Packet(
        id="p",
        axis=inquiry.axis.name,
        ask=inquiry.axis.ask,
        options=(Option(text=inquiry.text),),
        criteria=inquiry.axis.criteria,
        form=inquiry.axis.form,
    )
    judgement = Judgement(
        packet="p",
        judge="j",
        repeat=1,
        order=0,
        state=ReadState.READ,
        model_asked="m",
        at="",
        request="",
        **said,
    )
    return answers(inquiry, judgement, packet)


def of(found: Inquiries, name: str) -> Inquiry:
    (inquiry,) = [one for one in found.asked if one.axis.name == name]
    return inquiry


@pytest.mark.requirement("OUT-22")
def test_coverage_labels_and_order_follow_from_one_answer() -> None:
    found = inquire(CATALOG, material({"list.yaml": LIST}))
    cover = of(found, "coverage")
    assert cover.text == "[1] first and more\n    done when: seen at once\n[2] second"
    covers = {"a": (2,), "b": (1,), "c": (), "d": ()}
    said = told(cover, covers=covers, quotes={"a": "second", "b": "first and"})
    assert (said[COVERAGE].lost, said[OBVIOUS].lost, said[EDGE].lost) == (0.5, 0.0, 1.0)
    assert said[COVERAGE].note == "2 of 4 covered, obvious 2 of 2, edge 0 of 2; lacking: c, d"
    assert said[ORDER].lost == 1.0
    assert said[ORDER].note.startswith("0 of 1 dependencies in order; inverted: b before a")
    both = told(
        cover,
        covers={"a": (1,), "b": (1,), "c": (1,), "d": (1,)},
        quotes=dict.fromkeys("abcd", "first"),
    )
    assert both[ORDER].why == "no dependency of the expert's lies between two items of the list"
    assert both[COVERAGE].note.endswith("item 1 alone meets 4 of 4: that takes little apart")
    folded = told(cover, covers=covers, quotes={"a": "second", "b": "first and more"})
    assert folded[COVERAGE].quote in LIST.decode()
    wrong = told(cover, covers=covers, quotes={"a": "first", "b": "first"})
    assert {one.lost for one in wrong.values()} == {None}
    assert wrong[COVERAGE].why == "invalid: the quote for a stands in none of the items it names"


@pytest.mark.requirement("OUT-22")
def test_acceptance_criteria_are_judged_item_by_item_and_none_are_worth_nothing() -> None:
    acceptance = of(inquire(CATALOG, material({"list.yaml": LIST})), "acceptance")
    assert [one.id for one in acceptance.axis.criteria] == ["item-1"]
    said = told(acceptance, scores={"item-1": 0.8}, quotes={"item-1": "seen at once"})
    assert said[ACCEPTANCE].lost == pytest.approx(0.6)
    assert said[ACCEPTANCE].note == "mean 0.40 over 2 items; 1 say nothing of when they are done"
    assert said[ACCEPTANCE].quote == "- id: y"
    bare = inquire(CATALOG, material({"list.yaml": b"- just words\n"}))
    assert bare.settled[ACCEPTANCE] == "no item says when it is done"


def test_what_was_not_left_is_lost_and_what_is_not_asked_is_not_applicable() -> None:
    none = inquire(CATALOG, material({"other.yaml": LIST}))
    assert set(none.settled) == {COVERAGE, OBVIOUS, EDGE, CAUSE}
    assert set(none.missing) == {ORDER, ACCEPTANCE}
    bad = inquire(CATALOG, material({"list.yaml": b"&a [*a]"}))
    assert "no YAML that can be read" in bad.settled[COVERAGE]
    other = inquire(CATALOG, material({}, {}, arm="without"))
    assert other.asked == ()
    assert other.settled == {}
    assert {name: why.partition(":")[0] for name, why in other.missing.items()} == dict.fromkeys(
        KINDS, "not applicable"
    )
    unfrozen = Material(
        trial=Trial(id="t", unit="u", arm="with"),
        documents={},
        holdout=Holdout(unit="u", expected=dict(EXPECTED)),
    )
    assert set(inquire(CATALOG, unfrozen).missing) == set(KINDS)


@pytest.mark.requirement("OUT-18")
def test_a_cause_is_the_same_another_or_cannot_be_told() -> None:
    files = {"notes/a.md": b"A guess.\n", "notes/b.md": b"It was\nthe slice.\n"}
    cause = of(inquire(CATALOG, material(files)), "cause")
    assert cause.axis.criteria[0].text.endswith("whatever words: The slice was wrong.")
    yes = told(cause, scores={CAUSE: 1.0}, quotes={CAUSE: "was\nthe slice"})[CAUSE]
    assert (yes.lost, yes.log, yes.quote) == (0.0, "artifacts/notes/b.md", "was\nthe slice")
    no = told(cause, scores={CAUSE: 0.0}, quotes={CAUSE: "A guess"})[CAUSE]
    assert (no.lost, no.log, no.quote) == (1.0, "artifacts/notes/a.md", "A guess")
    assert told(cause)[CAUSE].why.startswith("unreadable: ")
    made_up = told(cause, scores={CAUSE: 1.0}, quotes={CAUSE: "no such words"})[CAUSE]
    assert made_up.why == "invalid: the quote does not stand in the text"
