"""Figures that a source declares about itself, against the same figures from its rows."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb

from equipoise.records.notice import Headline
from equipoise.records.result import HeadlineCheck
from equipoise.stages.estimate.columns import decimal, literal, quoted

_SLACK = 1e-9
_OF_REPETITION = "@repetition="


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rows:
    """What the rows of an arm say, trial by trial: the reading most headlines take."""

    n: int
    n_values: int
    total: float
    n_full: int
    n_units: int
    cost: float | None
    tokens: float | None


_METRICS = {
    "mean": "mean accuracy pass_rate rate score loss success resolved_rate average",
    "count": "n n_trials n_samples total total_tests test_cases n_units n_tasks count",
    "full": "n_resolved n_passed passed successes n_correct pass_num resolved",
    "cost": "total_cost cost cost_usd",
    "tokens": "tokens total_tokens",
}


def check_headlines(
    con: duckdb.DuckDBPyConnection, path: Path, headlines: Sequence[Headline], criterion: str
) -> tuple[HeadlineCheck, ...]:
    """Checks each headline against the trials in the Parquet file.

    A headline follows when it equals a reading of the rows to the digits it is printed with;
    percentages are read as such; ``NAME@repetition=K`` speaks of the K-th repetition alone. A
    metric that rows cannot give is told as "not checked".
    """
    return tuple(_check(con, path, one, criterion) for one in headlines)


def _check(
    con: duckdb.DuckDBPyConnection, path: Path, one: Headline, criterion: str
) -> HeadlineCheck:
    metric, _, repetition = one.metric.partition(_OF_REPETITION)
    kind = next((k for k, names in _METRICS.items() if metric in names.split()), None)
    if kind is None:
        return HeadlineCheck(
            headline=one, from_rows=None, follows=None, note="not checked: rows do not give it"
        )
    readings = _READINGS[kind](_rows(con, path, one.arm, repetition, criterion))
    if not readings:
        return HeadlineCheck(
            headline=one, from_rows=None, follows=None, note="not checked: nothing was recorded"
        )
    if one.value is None:
        return HeadlineCheck(
            headline=one,
            from_rows=readings[0][0],
            follows=False,
            note=f"declared as not a number; rows give the {readings[0][1]}",
        )
    for value, how in readings:
        for scale, unit in ((1.0, ""), (100.0, ", in percent")):
            if abs(value * scale - one.value) <= _last_digit(one.value):
                return HeadlineCheck(headline=one, from_rows=value, follows=True, note=how + unit)
    return HeadlineCheck(
        headline=one,
        from_rows=readings[0][0],
        follows=False,
        note=f"rows give the {readings[0][1]}",
    )


def _rows(
    con: duckdb.DuckDBPyConnection, path: Path, arm: str, repetition: str, criterion: str
) -> _Rows:
    value = quoted(f"value:{criterion}")
    filters = [f"arm = {literal(arm)}"] if arm else []
    filters += [f"repetition = {int(repetition)}"] if repetition.isdecimal() else []
    where = f"WHERE {' AND '.join(filters)}" if filters else ""
    row = con.execute(
        f"SELECT count(*), count({value}), coalesce(sum({value}::DECIMAL(28,15))::DOUBLE, 0), "
        f"count(*) FILTER ({value} = 1), count(DISTINCT unit), "
        f"sum({decimal('cost_usd')})::DOUBLE, sum(tokens)::DOUBLE "
        f"FROM read_parquet({literal(str(path))}) {where}"
    ).fetchone()
    assert row is not None
    return _Rows(
        n=row[0],
        n_values=row[1],
        total=row[2],
        n_full=row[3],
        n_units=row[4],
        cost=row[5],
        tokens=row[6],
    )


def _means(rows: _Rows) -> list[tuple[float, str]]:
    found = []
    if rows.n_values:
        found.append((rows.total / rows.n_values, f"mean over {rows.n_values} trials with outcome"))
    if rows.n and rows.n != rows.n_values:
        found.append((rows.total / rows.n, f"mean over all {rows.n} trials, missing counted as 0"))
    return found


_READINGS: dict[str, Callable[[_Rows], list[tuple[float, str]]]] = {
    "mean": _means,
    "count": lambda r: [(float(r.n), "trials"), (float(r.n_units), "units")],
    "full": lambda r: [(float(r.n_full), "trials with the value 1")],
    "cost": lambda r: [] if r.cost is None else [(r.cost, "sum of the recorded costs")],
    "tokens": lambda r: [] if r.tokens is None else [(r.tokens, "sum of the recorded tokens")],
}


def _last_digit(value: float) -> float:
    """Gives half a unit of the last printed digit, as tolerance."""
    text = repr(value)
    digits = len(text.partition(".")[2]) if "e" not in text and "." in text else 0
    if math.isclose(value, round(value)):
        digits = 0 if value > 1 else 1
    return 0.5 * 10.0**-digits + _SLACK
