"""Rows of a trial are read with bound parameters, never written, and what is missing is said."""

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from adapters.probes.requests import request
from equipoise.adapters.probes.parameters import for_postgres, for_sqlite, names_in
from equipoise.errors import InputError
from equipoise.ports import Collected
from equipoise.records.brief import Request
from equipoise.records.plan import ProbeSpec
from equipoise.wiring import probe


def _collected(root: Path, statement: str, asked: Request, **options: str) -> Collected:
    given = {"sqlite": "state/desk.sqlite", "query": statement} | options
    made = probe(ProbeSpec(name="actions", kind="sql", options=given), root, {"run": "r1"})

    async def inside() -> Collected:
        async with made:
            return await made.collect(asked)

    return asyncio.run(inside())


@pytest.fixture
def root(tmp_path: Path) -> Path:
    tmp_path.joinpath("state").mkdir()
    with closing(sqlite3.connect(tmp_path / "state" / "desk.sqlite")) as database, database:
        database.execute("PRAGMA journal_mode = wal")
        database.execute("CREATE TABLE action (trace TEXT, tool TEXT, amount, raw BLOB)")
        database.executemany(
            "INSERT INTO action VALUES (?, ?, ?, ?)",
            [
                ("t1", "refund", 12.5, b"\x00\xff"),
                ("t1", "mail", None, None),
                ("t2' OR 1=1 --", "refund", 7, None),
            ],
        )
    return tmp_path


def _rows(found: Collected) -> list[Any]:
    assert found.unavailable == ""
    return [json.loads(line) for line in found.documents["actions.jsonl"].splitlines()]


def test_the_rows_of_a_trial_become_lines(root: Path) -> None:
    found = _collected(
        root, "SELECT tool, amount, raw FROM action WHERE trace = :trial", request("t1")
    )
    assert _rows(found) == [
        {"tool": "refund", "amount": 12.5, "raw": {"base64": "AP8="}},
        {"tool": "mail", "amount": None, "raw": None},
    ]


def test_values_are_bound_and_never_pasted(root: Path) -> None:
    query = "SELECT tool FROM action WHERE trace = :trial"
    assert len(_rows(_collected(root, query, request("t2' OR 1=1 --")))) == 1
    assert _rows(_collected(root, query, request("x' OR 1=1 --"))) == []


def test_fields_of_the_brief_the_unit_and_variables_are_there(root: Path) -> None:
    found = _collected(
        root,
        "SELECT :brief.order.id AS o, :unit AS u, :run AS r, :brief.tags AS t, ':x' AS x, :unit v",
        request(order={"id": 4}, tags=["a"]),
    )
    assert _rows(found) == [{"o": 4, "u": "u1", "r": "r1", "t": '["a"]', "x": ":x", "v": "u1"}]


def test_the_database_is_not_written(root: Path) -> None:
    before = _rows(_collected(root, "SELECT count(*) AS n FROM action", request()))
    assert "readonly" in _collected(root, "DELETE FROM action", request()).unavailable
    assert _rows(_collected(root, "SELECT count(*) AS n FROM action", request())) == before


@pytest.mark.requirement("E2E-52")
@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("SELECT * FROM missing", "no such table"),
        ("SELECT :brief.nothing", "unit 'u1' has no field brief.nothing"),
        ("SELECT 1 AS a, 2 AS a", "two columns of one name"),
        ("PRAGMA query_only = ON", "gives no rows"),
        ("WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n) SELECT * FROM n", "more"),
        ("WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k FROM n) SELECT max(k) FROM n", "int"),
    ],
)
def test_what_gives_no_rows_is_unavailable_and_says_why(root: Path, query: str, said: str) -> None:
    found = _collected(root, query, request(), timeout_ms="300")
    assert said in found.unavailable
    assert found.documents == {}


@pytest.mark.requirement("E2E-52")
def test_a_missing_database_is_unavailable_until_it_is_there(tmp_path: Path) -> None:
    found = _collected(tmp_path, "SELECT 1 AS one", request())
    assert found.unavailable == "there is no database desk.sqlite"
    assert not tmp_path.joinpath("state").exists()


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("a = :trial AND b = :brief.x.y OR c = :trial", ["trial", "brief.x.y"]),
        ("SELECT ':no', \":no\", a::text /* :no */ -- :no\n, $$:no$$, :unit", ["unit"]),
        ("SELECT 'it''s :no' || :arm", ["arm"]),
    ],
)
def test_parameters_are_told_from_texts_comments_and_casts(query: str, names: list[str]) -> None:
    assert names_in(query) == names
    assert for_sqlite(query).count(":p") == for_postgres(query).count("%(p")


def test_a_percent_sign_is_no_parameter_of_postgres() -> None:
    query = "SELECT '5 %' WHERE a LIKE '%x' AND b % 2 = :trial"
    assert for_postgres(query) == "SELECT '5 %%' WHERE a LIKE '%%x' AND b %% 2 = %(p0)s"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"query": "SELECT :trail"}, "no value 'trail'"),
        ({"sqlite": ""}, "sqlite"),
        ({"query": ""}, "query"),
        ({"table": "x"}, "option 'table'"),
    ],
)
def test_wrong_options_are_refused_by_name(options: dict[str, str], said: str, root: Path) -> None:
    with pytest.raises(InputError, match=said):
        _collected(root, "SELECT 1 AS one", request(), **options)
