"""Rows of a real PostgreSQL database are read with bound parameters, and never written."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from adapters.probes.requests import request
from equipoise.errors import InputError
from equipoise.ports import Collected
from equipoise.records.brief import Request
from equipoise.records.plan import ProbeSpec
from equipoise.wiring import probe
from machine.postgres import Cluster

_DESK = (
    """CREATE TABLE action (trace text, at timestamptz, amount numeric(8, 2), body jsonb,
       raw bytea, tags text[], who uuid)""",
    """INSERT INTO action VALUES
       ('t1', '2026-01-02 03:04:05Z', 12.50, '{"a": [1]}', '\\x00ff', '{x,"y z"}',
        '00000000-0000-0000-0000-000000000001'),
       ('t1', NULL, NULL, NULL, NULL, NULL, NULL),
       ('t2'' OR 1=1 --', NULL, 7, NULL, NULL, NULL, NULL)""",
)


@pytest.fixture(scope="module")
def desk(cluster: Cluster) -> str:
    return cluster.address(cluster.database(*_DESK))


def _collected(address: str, statement: str, asked: Request, **options: str) -> Collected:
    given = {"postgres": address, "query": statement} | options
    made = probe(ProbeSpec(name="actions", kind="sql", options=given), Path())

    async def inside() -> Collected:
        async with made:
            return await made.collect(asked)

    return asyncio.run(inside())


def _rows(found: Collected) -> list[Any]:
    assert found.unavailable == ""
    return [json.loads(line) for line in found.documents["actions.jsonl"].splitlines()]


def test_the_rows_of_a_trial_become_lines(desk: str) -> None:
    query = "SELECT * FROM action WHERE trace = :trial AND '5 %' LIKE '%\\%' ORDER BY at"
    rows = _rows(_collected(desk, query, request("t1")))
    assert len(rows) == 2
    assert rows[0].pop("at").startswith("2026-01-0")
    assert rows[0] == {
        "trace": "t1",
        "amount": "12.50",
        "body": {"a": [1]},
        "raw": {"base64": "AP8="},
        "tags": ["x", "y z"],
        "who": "00000000-0000-0000-0000-000000000001",
    }
    assert set(rows[1].values()) == {"t1", None}


def test_values_are_bound_and_never_pasted(desk: str) -> None:
    query = "SELECT amount FROM action WHERE trace = :trial"
    assert len(_rows(_collected(desk, query, request("t2' OR 1=1 --")))) == 1
    assert _rows(_collected(desk, query, request("x' OR 1=1 --"))) == []
    found = _collected(desk, "SELECT :brief.n::int + 1 AS n", request(n=4))
    assert _rows(found) == [{"n": 5}]


@pytest.mark.requirement("E2E-52")
@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("DELETE FROM action RETURNING trace", "read-only transaction"),
        ("COMMIT; DELETE FROM action", "the query"),
        ("SELECT 1 AS a; DELETE FROM action", "the query failed"),
        ("SELECT nothing FROM action", "does not exist"),
        ("SELECT pg_sleep(9)", "statement timeout"),
        ("SELECT 1 AS a, 2 AS a", "two columns of one name"),
        ("SELECT generate_series(1, 20000) AS n", "more than 10000 rows"),
    ],
)
def test_what_gives_no_rows_is_unavailable_and_writes_nothing(
    desk: str, query: str, said: str
) -> None:
    found = _collected(desk, query, request(), timeout_ms="300")
    assert said in found.unavailable
    assert found.documents == {}
    assert _rows(_collected(desk, "SELECT count(*) AS n FROM action", request())) == [{"n": 3}]


@pytest.mark.requirement("E2E-52")
def test_a_server_that_is_not_there_is_unavailable_without_secrets(tmp_path: Path) -> None:
    found = _collected(f"postgresql://u@/x?host={tmp_path}", "SELECT 1 AS one", request())
    assert found.unavailable.startswith("PostgreSQL: connection")
    unset = _collected("env:EQUIPOISE_NO_SUCH", "SELECT 1 AS one", request())
    assert "variable EQUIPOISE_NO_SUCH is not set" in unset.unavailable
    with pytest.raises(InputError, match="a password in the address"):
        _collected("postgresql://u:hunter2@h/x", "SELECT 1 AS one", request())
