"""The paired comparison of 1M with 1M units, from columns to comparisons with intervals.

Run by hand::

    python -m benchmarks.bench_compare [UNITS]
"""

import statistics
import sys
import tempfile
import time
from pathlib import Path

import duckdb

from equipoise.records.terms import Direction, Terms
from equipoise.stages.estimate.columns import ArmColumns
from equipoise.stages.estimate.estimating import estimate

ROUNDS = 5


def made(folder: Path, arm: str, n_units: int, pass_percent: int) -> ArmColumns:
    """Writes the trials of one arm as the archive writes them."""
    path = folder / f"{arm}.parquet"
    with duckdb.connect() as con:
        con.execute(
            "COPY (SELECT 't' || i AS trial, 'unit-' || i AS unit, "
            f"'{arm}' AS arm, NULL::VARCHAR AS model, 1::INT AS repetition, 1::INT AS attempt, "
            "'completed' AS ending, false AS is_simulated, NULL::VARCHAR AS cluster, "
            "NULL::DOUBLE AS cost_usd, NULL::DOUBLE AS duration_ms, NULL::BIGINT AS tokens, "
            "'' AS source, '{}' AS versions, 'intent-' || i % 40 AS \"label:intent\", "
            f"(hash(i) % 100 < 30 OR hash(i, '{arm}') % 100 < {pass_percent})::INT::DOUBLE "
            'AS "value:outcome", NULL::VARCHAR AS "why:outcome", '
            "'measured' AS \"how:outcome\" "
            f"FROM range({n_units}) r(i)) TO '{path}' (FORMAT parquet)"
        )
    return ArmColumns(name=arm, path=path, arm=arm)


def main() -> None:
    """Prints the median time of the whole set alone, and with 40 partition cells."""
    n_units = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        arms = [
            made(Path(folder), arm, n_units, share) for arm, share in (("base", 40), ("new", 42))
        ]
        for partitions in ((), ("intent",)):
            terms = Terms(
                baseline="base",
                arms=("new",),
                criterion="outcome",
                direction=Direction.HIGHER,
                partitions=partitions,
            )
            times = []
            for _ in range(ROUNDS):
                with duckdb.connect() as con:
                    began = time.perf_counter()
                    found = estimate(con, terms, arms).estimates.comparisons
                    times.append(time.perf_counter() - began)
            print(
                f"{n_units:,} x {n_units:,} units, {len(found)} comparisons: "
                f"{statistics.median(times):.2f} s (median of {ROUNDS}; goal: at most 2 s)"
            )


if __name__ == "__main__":
    main()
