"""What a judge's answer must be to be a verdict, and how a question frames its texts."""

import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from equipoise.records.packet import Asked, Option, Packet
from equipoise.stages.grade.judges.asking import Question, posed, schema_of
from equipoise.stages.grade.judges.reading import Read, Unreadable, read, refuse_misquoted
from equipoise.stages.grade.judges.wording import WORDINGS


def packet(texts: Sequence[str], criteria: Sequence[str] = ()) -> Packet:
    return Packet(
        id="p-1",
        axis="style",
        ask="Which reads better?",
        options=tuple(Option(text=text) for text in texts),
        criteria=tuple(Asked(id=f"id-{n}", text=text) for n, text in enumerate(criteria)),
    )


PAIR, SET = packet(["one", "two"]), packet(["one", "two", "three"])
ONE = packet(["It is rude."], ["rude", "late"])
RIGHT = {"c1": {"quote": "rude", "score": 7}, "c2": {"quote": "", "score": 0}}


def test_verdicts_are_read_and_fit_their_schema() -> None:
    table: list[tuple[Packet, dict[str, object], Read]] = [
        (PAIR, {"reason": "", "best": "B"}, Read(best=1)),
        (PAIR, {"reason": "", "best": "tie"}, Read(is_tie=True)),
        (SET, {"reason": "", "best": "C", "worst": "A"}, Read(best=2, worst=0)),
        (SET, {"reason": "", "best": "tie", "worst": "tie"}, Read(is_tie=True)),
        (ONE, dict(RIGHT), Read(scores={"id-0": 0.7, "id-1": 0.0}, quotes={"id-0": "rude"})),
    ]
    for about, answer, wanted in table:
        Draft202012Validator(schema_of(about)).validate(answer)
        assert read(json.dumps(answer), about) == wanted
        assert read(f"```json\n{json.dumps(answer)}\n```", about) == wanted


def test_anything_else_is_unreadable_and_never_a_tie_or_a_low_score() -> None:
    table = [
        (PAIR, 'I think {"best": "A"}'),
        (PAIR, '{"best": "A"} {"best": "B"}'),
        (PAIR, '{"best": "A", "best": "B"}'),
        (PAIR, '{"best": "C"}'),
        (PAIR, '{"best": "a"}'),
        (PAIR, '{"best": null}'),
        (PAIR, '{"best": "A", "worst": "B", "confidence": 1}'),
        (PAIR, "[]"),
        (PAIR, ""),
        (PAIR, "[" * 100_000),
        (PAIR, '{"best": "A", "reason": "' + "x" * 2_000_000 + '"}'),
        (SET, '{"best": "A", "worst": "A"}'),
        (SET, '{"best": "A", "worst": "tie"}'),
        (SET, '{"best": "A"}'),
        (ONE, json.dumps({"c1": RIGHT["c1"]})),
        (ONE, json.dumps(RIGHT | {"c1": {"quote": "", "score": 3}})),
        (ONE, json.dumps(RIGHT | {"c1": {"quote": "rude", "score": 11}})),
        (ONE, json.dumps(RIGHT | {"c1": {"quote": "rude", "score": 7.5}})),
        (ONE, json.dumps(RIGHT | {"c1": {"quote": "rude", "score": True}})),
        (ONE, json.dumps(RIGHT | {"c1": 7})),
    ]
    for about, answer in table:
        with pytest.raises(Unreadable):
            read(answer, about)
    misquoted = read(json.dumps(RIGHT | {"c1": {"quote": "rude!", "score": 1}}), ONE)
    with pytest.raises(Unreadable, match="the quote of c1 does not stand in the text"):
        refuse_misquoted(misquoted, ONE)


@given(st.text(max_size=60), st.text(max_size=60), st.sampled_from(sorted(WORDINGS)))
def test_no_text_can_hold_the_mark_that_frames_it(one: str, two: str, template: str) -> None:
    question = Question(packet=packet([one, two]), judge="reader", template=template)
    system, user = (message.text for message in posed(question, max_chars=1000).messages)
    mark = system.split("carry the mark ")[1][:16]
    assert mark not in one + two
    assert user.count(mark) == 4
    again = Question(packet=packet([one, two + mark]), judge="reader", template=template)
    other = posed(again, max_chars=1000).messages[0].text.split("carry the mark ")[1][:16]
    assert other not in one + two + mark


def test_a_question_names_neither_ids_of_criteria_nor_packets() -> None:
    said = "\n".join(m.text for m in posed(Question(packet=ONE, judge="j"), max_chars=5).messages)
    assert "id-0" not in said
    assert "p-1" not in said
    assert "cut after 5 of 11 characters" in said
