"""Estimating 1M unit results by 5 categories over 40 partitions, against a bare group-by.

Both read the same Parquet file in turn; the peer computes only mean and sample deviation, ours
exact order-free sums, spreads and guarded intervals. Run by hand::

    python -m benchmarks.bench_estimate [UNITS]
"""

import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import duckdb

from equipoise.stages.estimate.criteria import criterion_table

CATEGORIES = tuple(f"value:c{i}" for i in range(5))
PARTITIONS = 40
ROUNDS = 9


def made(folder: Path, n_units: int) -> Path:
    """Writes the results: losses of a catalog, so few distinct values."""
    path = folder / "results.parquet"
    values = ", ".join(
        f'(hash(i * 7 + {j}) % 5 * (hash(i + {j}) % 3 > 0)::INT) / 4.0 AS "{name}"'
        for j, name in enumerate(CATEGORIES)
    )
    with duckdb.connect() as con:
        con.execute(
            f"COPY (SELECT 'u' || i AS unit, 'part-' || i % {PARTITIONS} AS part, {values} "
            f"FROM range({n_units}) r(i)) TO '{path}' (FORMAT parquet)"
        )
    return path


def seconds(work: Callable[[], object]) -> float:
    """Times one call."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def main() -> None:
    """Prints both times, their ratio pair by pair, and the peak memory."""
    n_units = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as con:
        relation = f"read_parquet('{made(Path(folder), n_units)}')"
        bare = ", ".join(f'avg("{c}"), stddev_samp("{c}")' for c in CATEGORIES)
        query = f"SELECT part, count(*), {bare} FROM {relation} GROUP BY part"
        pairs = [
            (
                seconds(lambda: criterion_table(con, relation, "part", CATEGORIES, n_most=n_units)),
                seconds(lambda: con.execute(query).fetchall()),
            )
            for _ in range(ROUNDS)
        ]
    ours, peer = (statistics.median(column) for column in zip(*pairs, strict=True))
    ratio = statistics.median(a / b for a, b in pairs)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{n_units:,} units x {len(CATEGORIES)} categories over {PARTITIONS} partitions")
    print(f"estimates with guarded intervals  {ours:.3f} s (median of {ROUNDS})")
    print(f"bare DuckDB group-by              {peer:.3f} s")
    print(f"ratio, pair by pair               {ratio:.2f} (goal: at most 2)")
    print(f"peak memory of the process        {peak:,.0f} MiB")


if __name__ == "__main__":
    main()
