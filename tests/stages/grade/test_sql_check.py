"""The check `sql` counts in documents that hold rows, and can do nothing but read them."""

import time
from typing import Any

import pytest

from equipoise.errors import InputError
from equipoise.records.grade import Grade
from every import for_every
from stages.grade.made_catalogs import catalog, category
from stages.grade.made_material import grade, material, quotes

ACTIONS = (
    '{"tool":"refund","cents":1290,"more":{"b":1}}\n\n{"tool":"refund","cents":12,"ok":true}\n'
)
DOCUMENTS: dict[str, str | bytes] = {
    "actions.jsonl": ACTIONS,
    "tickets.json": '[\n {"id": 1},\n {"id": 2, "cents": 12}\n]',
    "empty.jsonl": "",
    "odd.jsonl": "[1]\n",
    "one.json": "{}",
}
COLUMNS = ["tool", "cents", "ok", "more"]


def worth(query: str, document: str = "actions.jsonl", **fields: Any) -> Grade:
    table = {"document": document, "columns": fields.pop("columns", COLUMNS)}
    expected = fields.pop("expected", {})
    check = {"sql": {"query": query, "tables": {"actions": table}} | fields}
    return grade(check, material(DOCUMENTS, expected=expected), max=4)


def test_each_row_counts_and_its_line_is_quoted() -> None:
    query = "SELECT 1, _line FROM actions WHERE cents <> {expected.cents}"
    given = worth(query, expected={"cents": 1290})
    assert given.value == 0.25
    assert quotes(given) == [("actions.jsonl", 3, '{"tool":"refund","cents":12,"ok":true}')]


@for_every(
    "query, value",
    [
        ("SELECT count(*) FROM actions", 0.5),
        ("SELECT count(*) FROM actions WHERE tool = {expected.tool}", 0.5),
        ("SELECT 1 FROM actions WHERE cents = 5", 0),
        ("SELECT sum(cents) FROM actions", 1),
        ("SELECT count(*) FROM actions WHERE ok IS NULL", 0.25),
        ("SELECT count(*) FROM actions WHERE ok = 1", 0.25),
        ("SELECT json_extract(more, '$.b') FROM actions WHERE more IS NOT NULL", 0.25),
        ("WITH a AS (SELECT cents FROM actions) SELECT count(*) FROM a", 0.5),
        ("SELECT sum(cents) FROM actions WHERE 0", None),
        ("SELECT tool FROM actions", None),
        ("SELECT -1 FROM actions", None),
        ("SELECT 9e999", None),
        ("SELECT count(*) FROM actions WHERE cents = {expected.absent}", None),
    ],
)
def test_what_a_query_gives(query: str, value: float | None) -> None:
    given = worth(query, expected={"tool": "refund"})
    assert given.value == value
    assert bool(given.not_evaluable) == (value is None)
    assert bool(given.evidence) == (value not in {None, 0})


def test_a_list_of_objects_is_a_table_too() -> None:
    given = worth("SELECT 1, _line FROM actions WHERE cents = 12", "tickets.json")
    assert quotes(given) == [("tickets.json", 3, '{"id": 2, "cents": 12}')]


def test_no_rows_are_no_loss_and_no_document_is_not_evaluable() -> None:
    assert worth("SELECT count(*) FROM actions", "empty.jsonl").value == 0
    missing = worth("SELECT count(*) FROM actions", "nowhere.jsonl")
    assert missing.not_evaluable == "no document nowhere.jsonl"
    assert worth("SELECT 1", "odd.jsonl").not_evaluable == "odd.jsonl:1 is no object"
    assert worth("SELECT 1", "one.json").not_evaluable == "one.json is no list of objects"


def test_an_expected_text_is_bound_and_never_pasted() -> None:
    query = "SELECT count(*) FROM actions WHERE tool = {expected.tool}"
    assert worth(query, expected={"tool": "x' OR '1'='1"}).value == 0


@for_every(
    "query",
    [
        "DROP TABLE actions",
        "INSERT INTO actions VALUES (1)",
        "ATTACH 'x' AS y",
        "PRAGMA user_version",
        "SELECT 1; SELECT 2",
        "SELECT cent FROM actions",
        "SELECT 1 FROM action",
        "SELECT",
        "",
        "SELECT load_extension('x')",
        "CREATE TABLE a (b)",
    ],
)
def test_a_query_that_is_no_reading_is_refused_with_the_catalog(query: str) -> None:
    table = {"actions": {"document": "actions.jsonl", "columns": ["cents"]}}
    with pytest.raises(InputError, match=r"check\.sql: the query"):
        catalog(category(check={"sql": {"query": query, "tables": table}}))


ENDLESS = "WITH RECURSIVE n(x) AS ({start} UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"


def test_a_query_without_an_end_is_stopped() -> None:
    began = time.monotonic()
    given = worth(ENDLESS.format(start="SELECT cents FROM actions"))
    assert given.not_evaluable == "the query failed: interrupted"
    assert time.monotonic() - began < 20


def test_a_query_that_has_no_end_on_any_rows_is_refused_with_the_catalog() -> None:
    with pytest.raises(InputError, match="the query cannot be asked: interrupted"):
        worth(ENDLESS.format(start="SELECT 1"))


def test_numbers_beyond_the_database_are_no_fault() -> None:
    made = material({"a.jsonl": '{"n": 123456789012345678901234567890, "t": "\\ud800"}\n'})
    table = {"a": {"document": "a.jsonl", "columns": ["n", "t"]}}
    check = {"sql": {"query": "SELECT count(*) FROM a WHERE n > 1e20", "tables": table}}
    assert grade(check, made).value == 1
