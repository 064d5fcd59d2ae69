"""What covers what, and yes or no: how it is asked, and what of an answer can be read."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, ValidationError

from equipoise.records.packet import Asked, Option, Packet
from equipoise.stages.grade.judges.asking import Question, posed, schema_of
from equipoise.stages.grade.judges.forms import item_shown, n_items
from equipoise.stages.grade.judges.reading import Read, Unreadable, read, refuse_misquoted
from equipoise.stages.grade.judges.wording import WORDINGS

LIST = "[1] a money type\n    done when: euros stay euros\n[2] a table of rates"
ASKED = (Asked(id="amount", text="amounts carry a currency"), Asked(id="rates", text="rates"))
COVER = Packet(
    id="p-1", axis="x", ask="Which?", options=(Option(text=LIST),), criteria=ASKED, form="cover"
)
DECIDE = Packet(
    id="p-2",
    axis="x",
    ask="Is it?",
    options=(Option(text="It was the slice."),),
    criteria=(Asked(id="cause", text="the slice"),),
    form="decide",
)
NONE = {"quote": "", "items": []}
BOTH = {"c1": {"quote": "euros stay", "items": [1]}, "c2": {"quote": "rates", "items": [2]}}


def answer(value: object) -> str:
    return json.dumps(value)


def test_a_list_is_held_against_requirements_and_a_statement_is_decided() -> None:
    assert n_items(COVER) == 2
    assert item_shown(COVER, 1) == "[1] a money type\n    done when: euros stay euros"
    found = read(answer(BOTH), COVER)
    assert found == Read(
        covers={"amount": (1,), "rates": (2,)}, quotes={"amount": "euros stay", "rates": "rates"}
    )
    refuse_misquoted(found, COVER)
    Draft202012Validator(schema_of(COVER)).validate(BOTH)
    said = {"yes": {"cause": 1.0}, "no": {"cause": 0.0}, "unclear": {}}
    for word, scores in said.items():
        one = {"c1": {"quote": "the slice" if word == "yes" else "", "answer": word}}
        Draft202012Validator(schema_of(DECIDE)).validate(one)
        assert read(answer(one), DECIDE).scores == scores


@pytest.mark.parametrize(
    ("packet", "one", "why"),
    [
        (COVER, {"c1": NONE}, "c2 is missing"),
        (COVER, {"c1": NONE, "c2": {"quote": "x", "items": [3]}}, "names no item from 1 to 2"),
        (COVER, {"c1": NONE, "c2": {"quote": "x", "items": [0]}}, "names no item from 1 to 2"),
        (COVER, {"c1": NONE, "c2": {"quote": "x", "items": [True]}}, "names no item"),
        (COVER, {"c1": NONE, "c2": {"quote": "x", "items": [1, 1]}}, "names an item twice"),
        (COVER, {"c1": NONE, "c2": {"quote": " ", "items": [1]}}, "names items and has no quote"),
        (COVER, {"c1": NONE, "c2": {"quote": "x", "items": "all"}}, "no list of at most"),
        (COVER, {"c1": NONE, "c2": NONE, "c3": NONE}, "keys that were not asked for"),
        (COVER, {"c1": NONE, "c2": {**NONE, "score": 10}}, "other keys than quote and items"),
        (DECIDE, {"c1": {"quote": "", "answer": "yes"}}, "is yes and has no quote"),
        (DECIDE, {"c1": {"quote": "", "answer": "maybe"}}, "none of yes, no and unclear"),
        (DECIDE, {"c1": {"quote": "", "answer": True}}, "none of yes, no and unclear"),
    ],
)
def test_anything_else_is_unreadable(packet: Packet, one: dict[str, Any], why: str) -> None:
    with pytest.raises(Unreadable, match=why):
        read(answer(one), packet)


def test_words_that_stand_in_another_item_do_not_show_that_one_covers() -> None:
    moved = {**BOTH, "c2": {"quote": "money type", "items": [2]}}
    with pytest.raises(Unreadable, match="the quote of c2 does not stand where it says"):
        refuse_misquoted(read(answer(moved), COVER), COVER)
    either = {**BOTH, "c2": {"quote": "money type", "items": [1, 2]}}
    refuse_misquoted(read(answer(either), COVER), COVER)
    said = {"c1": {"quote": "a slice", "answer": "yes"}}
    with pytest.raises(Unreadable, match="the quote of c1"):
        refuse_misquoted(read(answer(said), DECIDE), DECIDE)


@given(st.lists(st.integers(-3, 9), max_size=14), st.text(max_size=20))
def test_what_is_read_fits_the_schema(items: list[int], quote: str) -> None:
    one = {"c1": NONE, "c2": {"quote": quote, "items": items}}
    try:
        found = read(answer(one), COVER)
    except Unreadable:
        return
    try:
        Draft202012Validator(schema_of(COVER)).validate(one)
    except ValidationError as error:
        raise AssertionError from error
    assert set(found.covers["rates"]) == set(items)


@pytest.mark.parametrize("template", WORDINGS)
def test_no_id_of_an_item_is_told_and_no_label(template: str) -> None:
    put = posed(Question(packet=COVER, judge="j", template=template), max_chars=10_000)
    words = "\n".join(message.text for message in put.messages)
    assert "c1: amounts carry a currency" in words
    assert '"items": [2]' in words
    assert "obvious" not in words
    assert "edge" not in words.replace("knowledge", "")
