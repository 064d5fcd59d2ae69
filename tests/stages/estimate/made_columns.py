"""Small tables of trials, written as the archive writes them, for the estimating stage."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import duckdb

from equipoise.records.terms import Direction, Terms
from equipoise.stages.estimate.columns import ArmColumns
from equipoise.stages.estimate.estimating import Reading, estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One trial; `value` null = no outcome."""

    unit: str
    arm: str
    value: float | None
    repetition: int = 1
    attempt: int = 1
    why: str | None = None
    model: str | None = None
    cluster: str | None = None
    cost: float | None = None
    labels: dict[str, str | None] = field(default_factory=dict)


_FIXED = (
    "trial VARCHAR, unit VARCHAR, arm VARCHAR, model VARCHAR, repetition INT, attempt INT, "
    "ending VARCHAR, is_simulated BOOLEAN, cluster VARCHAR, cost_usd DOUBLE, duration_ms DOUBLE, "
    "tokens BIGINT, source VARCHAR, versions VARCHAR"
)
_CRITERION = '"value:outcome" DOUBLE, "why:outcome" VARCHAR, "how:outcome" VARCHAR'


def write(rows: Sequence[Row], path: Path) -> Path:
    """Writes the trials as a Parquet file, in the order given."""
    keys = sorted({key for row in rows for key in row.labels})
    labels = "".join(f', "label:{key}" VARCHAR' for key in keys)
    with duckdb.connect() as con:
        con.execute(f"CREATE TABLE t ({_FIXED}, {_CRITERION}{labels})")
        for number, row in enumerate(rows):
            given: list[object] = [
                f"t{number}",
                row.unit,
                row.arm,
                row.model,
                row.repetition,
                row.attempt,
            ]
            given += ["completed", False, row.cluster, row.cost, None, None, f"runs:{number}", None]
            why = row.why or ("infrastructure_error" if row.value is None else None)
            given += [row.value, why, "measured", *(row.labels.get(key) for key in keys)]
            con.execute(f"INSERT INTO t VALUES ({', '.join('?' * len(given))})", given)
        con.execute(f"COPY t TO '{path}' (FORMAT parquet)")
    return path


def terms_of(
    *arms: str, partitions: tuple[str, ...] = (), direction: Direction = Direction.HIGHER
) -> Terms:
    """Gives terms with the first arm as baseline."""
    return Terms(
        baseline=arms[0],
        arms=tuple(arms[1:]),
        criterion="outcome",
        direction=direction,
        partitions=partitions,
    )


def estimated(rows: Sequence[Row], terms: Terms, folder: Path) -> Reading:
    """Writes the rows and estimates them under the terms."""
    path = write(rows, folder / "results.parquet")
    arms = [ArmColumns(name=name, path=path, arm=name) for name in (terms.baseline, *terms.arms)]
    with duckdb.connect() as con:
        return estimate(con, terms, arms)


def paired(values: Sequence[tuple[float, float]], **same: str) -> list[Row]:
    """Gives rows of two arms, ``base`` and ``new``, from (base, new) values of units."""
    rows = []
    for number, (base, new) in enumerate(values):
        rows.append(Row(unit=f"u{number:03}", arm="base", value=base, labels=dict(same)))
        rows.append(Row(unit=f"u{number:03}", arm="new", value=new, labels=dict(same)))
    return rows
