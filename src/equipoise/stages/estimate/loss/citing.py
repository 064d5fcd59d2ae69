"""The quotes that can stand behind a row: of the units that add most to the cell's loss."""

from collections.abc import Sequence
from dataclasses import dataclass

import duckdb
import numpy as np

from equipoise.records.suite import LossCitation
from equipoise.stages.estimate.columns import literal
from equipoise.stages.estimate.loss.units import LossTrials, UnitTable

_MOST = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotable:
    """Which units may be quoted; null = all that are not in `forbidden`."""

    allowed: frozenset[str] | None = None
    forbidden: frozenset[str] = frozenset()


def candidates(
    con: duckdb.DuckDBPyConnection,
    trials: LossTrials,
    table: UnitTable,
    cell: tuple[str, str],
    quotable: Quotable,
) -> Sequence[LossCitation]:
    """Gives quotes of one cell (partition, category; "" = the loss), the weightiest unit first.

    Each counts how many further quotes of the cell there are. Only units that may be quoted. Of two
    quotes from one place the longer comes first, so that the order never hangs on chance.
    """
    part, category = cell
    if part not in table.parts:
        return ()
    _put_quotable(con, quotable)
    kept = [c for c in table.categories if c.criterion and category in ("", c.id)]
    if not kept:
        return ()
    criteria = ", ".join(literal(str(c.criterion)) for c in kept)
    weight = " ".join(
        f"WHEN {literal(str(c.criterion))} THEN {c.weight!r} * t.c{c.place}" for c in kept
    )
    by = "u.v" if not category else f"u.c{kept[0].place}"
    rows = con.execute(
        f'SELECT u.unit, e.trial, e.document, e.name, e.line, e.start, e."end", e.quote, '
        "count(*) OVER () AS n_all FROM "
        f"read_parquet({literal(str(trials.evidence))}) e JOIN {table.chosen} t USING (trial) "
        f"JOIN {table.units} u ON u.unit = t.unit "
        f"WHERE e.criterion IN ({criteria}) AND u.part = {table.parts.index(part)} "
        f"AND NOT u.is_adversarial AND CASE e.criterion {weight} END > 0 "
        "AND u.unit NOT IN (SELECT unit FROM unquotable) "
        f"{'AND u.unit IN (SELECT unit FROM quotable)' if quotable.allowed is not None else ''} "
        f"ORDER BY {by} DESC, CASE e.criterion {weight} END DESC, u.unit, t.repetition, "
        f'e.name, e.start, e.criterion, e."end" DESC, e.line, e.quote, e.document, e.trial '
        f"LIMIT {_MOST}"
    ).fetchall()
    return [
        LossCitation(
            unit=unit,
            trial=trial,
            document=document,
            name=name,
            line=line,
            start=start,
            end=end,
            quote=quote,
            n_further=n_all - 1,
        )
        for unit, trial, document, name, line, start, end, quote, n_all in rows
    ]


def _put_quotable(con: duckdb.DuckDBPyConnection, quotable: Quotable) -> None:
    for name, ids in (("unquotable", quotable.forbidden), ("quotable", quotable.allowed or ())):
        con.register(f"{name}_now", {"unit": np.array(sorted(ids), dtype=np.str_)})
        con.execute(
            f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT unit::VARCHAR AS unit FROM {name}_now"
        )
        con.unregister(f"{name}_now")
