"""The check `regex` finds what is there, says where, and never runs for ever."""

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.grade.made_material import grade, material, quotes

LOG = 'start\n{"tool": "refund", "cents": 1290}\nпривет 🙂 refund\nend\n'


def regex(pattern: str, **fields: Any) -> dict[str, Any]:
    return {"regex": {"document": "app.log", "pattern": pattern} | fields}


def test_a_match_is_the_fault_and_its_line_is_quoted() -> None:
    given_ = grade(regex("cents.*12"), material({"app.log": LOG}))
    assert given_.value == 1
    assert quotes(given_) == [("app.log", 2, '{"tool": "refund", "cents": 1290}')]


def test_no_match_is_no_loss() -> None:
    given_ = grade(regex("timeout"), material({"app.log": LOG}))
    assert (given_.value, given_.not_evaluable, given_.evidence) == (0, "", ())


def test_what_should_be_there_and_is_is_quoted_too() -> None:
    given_ = grade(regex("привет", lost_when="absent"), material({"app.log": LOG}))
    assert given_.value == 0
    assert quotes(given_) == [("app.log", 3, "привет 🙂 refund")]


def test_what_is_absent_is_shown_by_the_last_line() -> None:
    given_ = grade(regex("farewell", lost_when="absent"), material({"app.log": LOG}))
    assert given_.value == 1
    assert quotes(given_) == [("app.log", 4, "end")]


def test_the_check_may_say_what_shows_an_absence() -> None:
    made = material({"app.log": LOG, "tools.jsonl": '{"a": 1}\n{"hop": "tools"}\n{"b": 2}\n'})
    cite = {"document": "tools.jsonl", "pattern": "hop"}
    given_ = grade(regex("farewell", lost_when="absent", cite=cite), made)
    assert quotes(given_) == [("tools.jsonl", 2, '{"hop": "tools"}')]


def test_an_empty_answer_is_shown_by_the_record_of_the_trial() -> None:
    given_ = grade(regex("farewell", lost_when="absent"), material({"app.log": ""}))
    assert given_.value == 1
    assert [(name, line) for name, line, _ in quotes(given_)] == [("trial.json", 1)]


def test_counted_matches_are_clipped_at_the_maximum_and_said_to_be() -> None:
    few = grade(regex("refund", count=True), material({"app.log": LOG}), max=4)
    many = grade(regex("n", count=True), material({"app.log": "n" * 7}), max=4)
    assert (few.value, few.note) == (0.5, "")
    assert (many.value, many.note) == (1.0, "raw 7, clipped at 4")


def test_an_expected_text_is_taken_literally() -> None:
    made = material({"app.log": "the bill a.b*c is paid"}, expected={"fact": "a.b*c"})
    other = material({"app.log": "the bill axbbc is paid"}, expected={"fact": "a.b*c"})
    check = regex(r"\b{expected.fact}\b", lost_when="absent")
    assert grade(check, made).value == 0
    assert grade(check, other).value == 1


def test_a_quantifier_is_no_place() -> None:
    assert grade(regex("n{2,3}e"), material({"app.log": "nnne"})).value == 1


@pytest.mark.requirement("E2E-05")
def test_a_missing_document_is_not_evaluable_and_never_a_value() -> None:
    given_ = grade(regex("x", lost_when="absent"), material({"output": "y"}))
    assert (given_.value, given_.not_evaluable) == (None, "no document app.log")


def test_a_missing_document_names_the_probe_that_was_out() -> None:
    given_ = grade(regex("x"), material({}, outages={"logs": "connection refused"}))
    assert given_.not_evaluable == "no document app.log (probe logs: connection refused)"


def test_an_expectation_that_the_unit_lacks_is_not_evaluable() -> None:
    given_ = grade(regex("{expected.fact}"), material({"app.log": LOG}))
    assert (given_.value, given_.not_evaluable) == (None, "the unit has no expected.fact")


@pytest.mark.parametrize("count", [False, True])
def test_an_expression_that_backtracks_for_ever_is_stopped(*, count: bool) -> None:
    began = time.monotonic()
    given_ = grade(regex(r"^(a|aa)+$", count=count), material({"app.log": "a" * 90 + "!"}))
    assert time.monotonic() - began < 20
    assert (given_.value, given_.not_evaluable) == (
        None,
        "the expression took more than 1 s in app.log",
    )


def test_bytes_that_are_no_text_are_searched_and_left_out_of_quotes() -> None:
    log = b"ok\n\xff\xfe refund \xc3\xa4 12\xff\nend"
    given_ = grade(regex("refund"), material({"app.log": log}))
    assert quotes(given_) == [("app.log", 2, " refund ä 12")]


def test_a_long_line_is_quoted_around_the_match_only() -> None:
    log = "ä" * 2000 + "needle" + "ö" * 2000
    given_ = grade(regex("needle"), material({"app.log": log}))
    assert quotes(given_) == [("app.log", 1, "needle")]


@given(st.text(max_size=60), st.sampled_from(["a", r"\n", r"\s+", ".", "$", "é|🙂", r"(?<=a)b?"]))
def test_every_quote_stands_in_its_document(log: str, pattern: str) -> None:
    made = material({"app.log": log.encode("utf-8", "replace")})
    given_ = grade(regex(pattern), made)
    assert given_.value in {0, 1}
    assert given_.value == 0 or given_.evidence
