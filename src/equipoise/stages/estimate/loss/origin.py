"""The hash of what a suite follows from: outcomes and grades, whatever their order and times."""

from collections.abc import Mapping

import duckdb

from equipoise.records.codec import digest, encode
from equipoise.records.suite import RaterSpread
from equipoise.stages.estimate.columns import literal, quoted
from equipoise.stages.estimate.loss.units import LossTrials, UnitTable

_APART = "chr(31)"


def results_sha256(
    con: duckdb.DuckDBPyConnection,
    trials: LossTrials,
    table: UnitTable,
    raters: Mapping[str, RaterSpread],
    clipped: Mapping[str, int],
) -> str:
    """Gives a hash that two runs share exactly if they say the same under this catalog.

    It covers unit, repetition, attempt and ending of every trial of the arm, and its values; not
    when it was executed, how long it took or how often it was begun before it gave a trial.
    """
    values = [
        f"coalesce({quoted('value:' + c.criterion)}::VARCHAR, '')" if c.criterion else "''"
        for c in table.categories
    ]
    fields = ["unit", "repetition", "attempt", "ending", *values]
    line = f" || {_APART} || ".join(f"({field})::VARCHAR" for field in fields)
    row = con.execute(
        f"SELECT coalesce(sha256(string_agg(line, chr(10) ORDER BY line)), '') FROM (SELECT {line} "
        f"AS line FROM read_parquet({literal(str(trials.results))}) "
        f"WHERE arm = {literal(trials.arm)})"
    ).fetchone()
    assert row is not None
    return digest(encode([row[0], dict(sorted(raters.items())), dict(sorted(clipped.items()))]))
