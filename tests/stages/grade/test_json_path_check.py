"""The check `json_path` holds what is selected against what is expected, and says where it is."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.records.codec import digest
from equipoise.stages.grade.json_path_check import same
from equipoise.stages.grade.json_places import span_of
from equipoise.stages.grade.material import Page
from every import for_every
from stages.grade.made_material import grade, material, quotes

JOURNAL = """{"hop":"gateway","at_ms":1}
{"hop":"router","intent":"invoice","at_ms":2}
{"hop":"tools","calls":[{"tool":"refund","cents":1290},{"tool":"refund","cents":12}]}
"""
DOCUMENTS: dict[str, str | bytes] = {
    "journal.jsonl": JOURNAL,
    "output": '{"reply": "Done.",\n "cents": 1290.0, "ok": true, "tags": ["a", "b"]}',
}


def worth(path: str, document: str = "journal.jsonl", **fields: Any) -> Any:
    expected = fields.pop("expected", {})
    maximum = fields.pop("max", 1)
    check = {"json_path": {"path": path, "document": document} | fields}
    return grade(check, material(DOCUMENTS, expected=expected), max=maximum)


def test_a_wrong_value_is_lost_and_its_line_is_quoted() -> None:
    path = "$[?@.hop=='router'].intent"
    given_ = worth(path, equals="{expected.intent}", expected={"intent": "refund"})
    assert given_.value == 1
    line = '{"hop":"router","intent":"invoice","at_ms":2}'
    assert quotes(given_) == [("journal.jsonl", 2, line)]


def test_the_right_value_is_no_loss_and_is_quoted_as_well() -> None:
    path = "$[?@.hop=='router'].intent"
    given_ = worth(path, equals="{expected.intent}", expected={"intent": "invoice"})
    assert (given_.value, len(given_.evidence)) == (0, 1)


@for_every(
    "fields, value",
    [
        ({"path": "$.cents", "equals": 1290}, 0),
        ({"path": "$.cents", "equals": "1290"}, 1),
        ({"path": "$.ok", "equals": 1}, 1),
        ({"path": "$.ok", "equals": True}, 0),
        ({"path": "$.nothing", "equals": None}, 1),
        ({"path": "$.cents", "one_of": [1, 1290]}, 0),
        ({"path": "$.cents", "one_of": [1, 2]}, 1),
        ({"path": "$.reply", "matches": "^D"}, 0),
        ({"path": "$.reply", "matches": "^d"}, 1),
        ({"path": "$.cents", "matches": "1290"}, 1),
        ({"path": "$.cents", "at_least": 1290}, 0),
        ({"path": "$.cents", "at_least": 1291}, 1),
        ({"path": "$.cents", "at_most": "{expected.cents}"}, 0),
        ({"path": "$.reply", "at_most": 3}, 1),
        ({"path": "$.tags", "equals": ["a", "b"]}, 0),
        ({"path": "$.tags[*]", "equals": "a"}, 1),
        ({"path": "$.tags[*]", "equals": "a", "any": True}, 0),
        ({"path": "$.tags[?@ == {expected.tag}]", "exists": True}, 0),
        ({"path": "$.tags[?@ == 'c']", "exists": True}, 1),
        ({"path": "$.tags[?@ == 'c']", "exists": False}, 0),
        ({"path": "$.tags[*]", "exists": False}, 1),
        ({"path": "$.nothing", "equals": 1, "when_missing": "fine"}, 0),
        ({"path": "$.nothing", "equals": 1, "when_missing": "unbewertbar"}, None),
        ({"path": "$.cents", "equals": "{expected.absent}"}, None),
        ({"path": "$.cents", "at_most": "{expected.tag}"}, None),
        ({"path": "$.x", "document": "absent.json", "exists": True}, None),
    ],
)
def test_each_way_of_saying_what_is_right(fields: dict[str, Any], value: float | None) -> None:
    made = {"document": "output", "expected": {"cents": 1290, "tag": "b"}} | fields
    given_ = worth(**made)
    assert given_.value == value
    assert (given_.not_evaluable != "") == (value is None)


def test_wrong_values_may_be_counted() -> None:
    path = "$[*].calls[*].cents"
    assert worth(path, at_most=5, count=True, max=4).value == 0.5
    assert worth("$[?@.hop]", exists=False, count=True, max=4).value == 0.75


def test_a_value_inside_a_long_line_is_quoted_with_its_key() -> None:
    text = json.dumps({"filler": "x" * 900, "cents": 12, "more": "y" * 900})
    check = {"json_path": {"path": "$.cents", "equals": 13}}
    assert quotes(grade(check, material({"output": text}))) == [("output", 1, '"cents": 12')]


def test_a_document_that_is_no_json_is_not_evaluable() -> None:
    for text in ("", "plain", "[" * 100_000, '{"a":'):
        check = {"json_path": {"path": "$.a", "exists": True}}
        given_ = grade(check, material({"output": text}))
        assert given_.value is None
        assert given_.not_evaluable.startswith("output is ")


@pytest.mark.parametrize("function", ["match", "search"])
def test_an_expression_in_a_query_that_backtracks_for_ever_is_stopped(function: str) -> None:
    text = json.dumps([{"a": "a" * 90 + "!"}])
    path = f"$[?{function}(@.a, '^(a|aa)+$')]"
    check = {"json_path": {"path": path, "exists": True}}
    given_ = grade(check, material({"output": text}))
    assert "took more than 1 s" in given_.not_evaluable


def test_true_is_not_one() -> None:
    assert same([1, {"a": 2.0}], [1.0, {"a": 2}])
    assert not same([True], [1])
    assert not same([False], [0])


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=12,
)


@given(
    value=st.lists(json_values, min_size=1, max_size=4),
    is_lines=st.booleans(),
    is_ascii=st.booleans(),
)
def test_every_value_is_found_again_in_the_text(
    *, value: list[Any], is_lines: bool, is_ascii: bool
) -> None:
    if is_lines:
        text = "\n\n".join(json.dumps(one, ensure_ascii=is_ascii) for one in value) + "\n"
    else:
        text = json.dumps(value, ensure_ascii=is_ascii, indent=1)
    text = text.encode("utf-8", "replace").decode()
    name = "a.jsonl" if is_lines else "a.json"
    seen = Page(name=name, sha256=digest(text.encode()), content=text.encode(), text=text)
    parsed = [json.loads(line) for line in text.split("\n") if line] if is_lines else None
    for parts, inner in _all(json.loads(text) if parsed is None else parsed, ()):
        start, end = span_of(seen, parts)
        piece = text[start:end]
        if parts and isinstance(parts[-1], str):
            assert json.loads(f"{{{piece}}}") == {parts[-1]: inner}
        else:
            assert json.loads(piece) == inner


def _all(value: Any, parts: tuple[int | str, ...]) -> list[tuple[tuple[int | str, ...], Any]]:
    inside: list[tuple[int | str, Any]] = []
    if isinstance(value, dict):
        inside = list(value.items())
    elif isinstance(value, list):
        inside = list(enumerate(value))
    found = [(parts, value)] if parts else []
    return found + [one for key, inner in inside for one in _all(inner, (*parts, key))]
