"""How many planned executions ended with an outcome, and what became of the others."""

from dataclasses import dataclass

import duckdb

from equipoise.stages.estimate.columns import literal
from equipoise.stages.estimate.loss.units import LossTrials, UnitTable

_MOST_KINDS = 30
MOST_DETAIL = 120
"""Characters of a failure's text that tell its kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """Planned and completed executions (one per unit and repetition), and the errors by kind."""

    planned: int
    completed: int
    errors: dict[str, int]

    @property
    def rate(self) -> float:
        """Gives the share of the planned executions that completed."""
        return self.completed / self.planned if self.planned else 0.0


def completion(
    con: duckdb.DuckDBPyConnection,
    trials: LossTrials,
    table: UnitTable,
    *,
    is_stopped_early: bool,
) -> Completion:
    """Counts executions; a retry that ended with an outcome completes its repetition.

    Where the plan's own rule ended the run early, executions never begun were not aborted.
    """
    planned = "sum(n_run)" if is_stopped_early else "sum(reps)"
    [row] = con.execute(
        f"SELECT coalesce({planned}, 0)::BIGINT, coalesce(sum(n_carried), 0)::BIGINT "
        f"FROM {table.units}"
    ).fetchall()
    return Completion(planned=row[0], completed=row[1], errors=_errors(con, trials))


def _errors(con: duckdb.DuckDBPyConnection, trials: LossTrials) -> dict[str, int]:
    """Counts every attempt without outcome by its ending and the first line of its detail."""
    rows = con.execute(
        "SELECT ending || CASE WHEN detail = '' THEN '' ELSE ': ' || "
        f"left(split_part(detail, chr(10), 1), {MOST_DETAIL}) END AS what, count(*) "
        f"FROM read_parquet({literal(str(trials.results))}) WHERE arm = {literal(trials.arm)} "
        "AND ending NOT IN ('completed', 'budget', 'refused') GROUP BY what ORDER BY 2 DESC, 1"
    ).fetchall()
    found = dict(rows[:_MOST_KINDS])
    if further := sum(times for _, times in rows[_MOST_KINDS:]):
        found[f"others, {len(rows) - _MOST_KINDS} kinds"] = further
    return found
