"""Scores a million units in forty partitions under five categories, beside a bare group-by.

Run as ``PYTHONPATH=src:tests python benchmarks/bench_suite.py [N]``.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import duckdb

from equipoise.records.catalog import Catalog, Category
from equipoise.records.codec import digest
from equipoise.records.plan import (
    Mode,
    PartitionPlan,
    Plan,
    Provenance,
    SpreadSource,
    UnitPlan,
)
from equipoise.stages.estimate.loss.contrast import contrast
from equipoise.stages.estimate.loss.scoring import RunNotes, Scored, score
from equipoise.stages.estimate.loss.units import LossTrials
from studies.loss.made_loss_runs import plan

T = TypeVar("T")

CATALOG = Catalog(
    version="v1",
    categories=tuple(
        Category(id=f"category_{i}", weight=0.1 + 0.1 * i, type="deterministic", max=1)
        for i in range(5)
    ),
)
N_PARTS = 40


def main(n_units: int = 1_000_000) -> None:
    """Prints the seconds of each step."""
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as con:
        con.execute("SET threads = 2")
        paths = [made(con, Path(folder) / f"{arm}.parquet", n_units, arm) for arm in ("a", "b")]
        bare = timed("bare group-by of one file", lambda: bare_group_by(con, paths[0]))
        promised = timed("plan in memory", lambda: promise(n_units))[1]
        trials = [
            LossTrials(results=path, evidence=path, arm=arm, plan=promised, catalog=CATALOG)
            for path, arm in zip(paths, ("a", "b"), strict=True)
        ]
        scored: list[Scored] = []
        each = timed("suite of one run", lambda: scored.append(scored_run(con, trials[0], "one")))
        scored.append(scored_run(con, trials[1], "two"))
        timed("200 cells compared", lambda: contrast(con, promised, *scored[::-1], seed=7))
        print(f"suite / bare group-by: {each[0] / bare[0]:.1f}")


def made(con: duckdb.DuckDBPyConnection, path: Path, n_units: int, arm: str) -> Path:
    values = ", ".join(f'floor(4 * random() ^ 3) / 3 AS "value:v1:category_{i}"' for i in range(5))
    con.execute(
        f"COPY (SELECT 't' || i AS trial, 'unit-' || lpad(i::VARCHAR, 8, '0') AS unit, "
        f"'{arm}' AS arm, 1 AS repetition, 1 AS attempt, 'completed' AS ending, '' AS detail, "
        f"NULL::VARCHAR AS cluster, 'p' || (i % {N_PARTS}) AS \"label:intent\", {values} "
        f"FROM range({n_units}) r(i)) TO '{path}' (FORMAT parquet, COMPRESSION zstd)"
    )
    return path


def bare_group_by(con: duckdb.DuckDBPyConnection, path: Path) -> None:
    columns = ", ".join(
        f"count({name}), sum({name}), sum({name} * {name})"
        for name in (f'"value:v1:category_{i}"' for i in range(5))
    )
    con.execute(
        f"SELECT \"label:intent\", {columns} FROM read_parquet('{path}') GROUP BY 1"
    ).fetchall()


def promise(n_units: int) -> Plan:
    parts = [
        PartitionPlan(
            labels={"intent": f"p{i}"},
            frequency=1.0,
            severity=1.0,
            weight=1 / N_PARTS,
            s=0.3,
            s_source=SpreadSource.DEFAULT,
            n_min=576,
            n_available=n_units // N_PARTS,
            n_drawn=n_units // N_PARTS,
        )
        for i in range(N_PARTS)
    ]
    units = [
        UnitPlan(
            id=f"unit-{i:08}", partition=parts[i % N_PARTS].text, sha256="0" * 64, repetitions=1
        )
        for i in range(n_units)
    ]
    return plan(parts, units, CATALOG)


def scored_run(con: duckdb.DuckDBPyConnection, trials: LossTrials, name: str) -> Scored:
    run = RunNotes(
        run_id=name,
        mode=Mode.A,
        provenance=Provenance.SYNTHETIC,
        began_at="2026-01-01T00:00:00Z",
        plan_sha256=digest(b""),
        seal="self-declared",
        catalog_sha256=digest(b""),
        harness_version="0",
    )
    return score(con, trials, run, {}, name)


def timed(what: str, work: Callable[[], T]) -> tuple[float, T]:
    began = time.perf_counter()
    result = work()
    seconds = time.perf_counter() - began
    print(f"{what}: {seconds:.2f} s")
    return seconds, result


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
