"""What the trials of one arm cost, took and used, per cell; what was not recorded is counted."""

from collections.abc import Mapping
from dataclasses import dataclass

import duckdb

from equipoise.records.estimate import CellKey
from equipoise.records.terms import Terms
from equipoise.stages.estimate.columns import ArmColumns, decimal, partition_column
from equipoise.stages.estimate.moments import cell_keys
from equipoise.stages.estimate.units import trials_of

_COLUMNS = ("cost_usd", "duration_ms", "tokens")


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """Sums over the trials of one cell that recorded the figure; null where none did."""

    cost_usd: float | None = None
    n_cost_missing: int = 0
    duration_ms: float | None = None
    n_duration_missing: int = 0
    tokens: int | None = None
    n_tokens_missing: int = 0


def spending(
    con: duckdb.DuckDBPyConnection, terms: Terms, arm: ArmColumns
) -> Mapping[CellKey, Spending]:
    """Gives what each cell of an arm spent, every attempt counted: a failed one was paid for too.

    Sums are taken in decimals of nine places, so that the order of the rows does not matter; a
    figure of 10^15 or more is no figure and counts as not recorded.
    """
    found: dict[CellKey, Spending] = {}
    sums = ", ".join(f"sum({decimal(c)})::DOUBLE, count(*) - count({decimal(c)})" for c in _COLUMNS)
    groups = ["''", *(partition_column(partition) for partition in terms.partitions)]
    for (label, _), column in zip(cell_keys(terms), groups, strict=True):
        rows = con.execute(
            f"SELECT {column} AS cell, {sums} FROM {trials_of(terms, arm)} GROUP BY 1 ORDER BY 1"
        ).fetchall()
        for value, cost, no_cost, time, no_time, tokens, no_tokens in rows:
            found[CellKey(label=label, value=str(value))] = Spending(
                cost_usd=cost,
                n_cost_missing=no_cost,
                duration_ms=time,
                n_duration_missing=no_time,
                tokens=None if tokens is None else int(tokens),
                n_tokens_missing=no_tokens,
            )
    return found
