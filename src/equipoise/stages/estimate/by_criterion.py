"""The other criteria of each arm, beside the one that decides."""

import math

import duckdb

from equipoise.records.estimate import CellKey, CriterionEstimate, Interval
from equipoise.records.terms import Terms
from equipoise.stages.estimate.columns import ArmColumns, ArmFacts, held
from equipoise.stages.estimate.criteria import CriterionTable, criterion_table
from equipoise.stages.estimate.moments import cell_keys
from equipoise.stages.estimate.units import criteria_of_units


def by_criterion(
    con: duckdb.DuckDBPyConnection, terms: Terms, arm: ArmColumns, facts: ArmFacts
) -> tuple[CriterionEstimate, ...]:
    """Gives every criterion but the deciding one, in the whole and in every cell.

    They are shown, not decided: a verdict on each would want a place in the family of comparisons.
    """
    criteria = tuple(c for c in held(con, arm.path).criteria if c != terms.criterion)
    if not criteria:
        return ()
    relation = criteria_of_units(terms, arm, facts, criteria)
    columns = tuple(f"value:{c}" for c in criteria)
    return tuple(
        one
        for key, column in cell_keys(terms)
        for one in _rows(
            arm.name,
            key,
            criterion_table(
                con, relation, column, columns, n_most=facts.n_trials, level=terms.level
            ),
            terms,
        )
    )


def _rows(arm: str, key: str, table: CriterionTable, terms: Terms) -> list[CriterionEstimate]:
    return [
        CriterionEstimate(
            arm=arm,
            cell=CellKey(label=key, value=cell),
            criterion=name.removeprefix("value:"),
            n_units=int(table.n[i, j]),
            n_all=int(table.n_units[i]),
            mean=_known(float(table.mean[i, j])),
            stddev_between=_known(float(table.sd[i, j])),
            se=_known(float(table.se[i, j])) or None,
            interval=Interval(
                lo=float(table.lo[i, j]),
                hi=float(table.hi[i, j]),
                level=terms.level,
                method=table.method_of(i, j),
            )
            if table.n[i, j] > 1
            else None,
        )
        for i, cell in enumerate(table.cells)
        for j, name in enumerate(table.criteria)
        if table.n[i, j]
    ]


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
