"""The bootstrap beside the interval: a cross-check that decides nothing."""

import duckdb
import numpy as np
from numpy.typing import NDArray

from equipoise.records.codec import digest
from equipoise.stages.estimate.loss.sides import Side

FloatArray = NDArray[np.float64]

_DRAWS = 1000
_STEPS = 200
_NORMAL = 1.959963984540054


def bootstrap_limits(
    con: duckdb.DuckDBPyConnection,
    new: Side,
    base: Side,
    seed: int,
    z: float,
    *,
    is_paired: bool,
) -> dict[tuple[int, int], tuple[float, float]]:
    """Gives bootstrap limits by (partition, column), where both sides have two units.

    The 2.5 % and 97.5 % quantiles of resampled differences, stretched from 1.96 to z: the tails
    that z asks for are beyond any affordable number of draws. Values are counted in steps of
    1/200. Each cell draws from the plan's seed and its own place, so that no other cell moves it.
    Units of both sides are resampled as pairs where all are shared and the plan says paired.
    """
    found = {}
    for column, name in enumerate(new.columns):
        counts = [_counts(con, side.relation, name) for side in (new, base)]
        pairs = _paired_counts(con, new, base, name) if is_paired else {}
        for part in range(new.n.shape[0]):
            if min(new.n[part, column], base.n[part, column]) < 2:
                continue
            rng = np.random.default_rng([seed, int(digest(f"{part}/{name}".encode())[:12], 16)])
            delta = float(new.mean[part, column] - base.mean[part, column])
            if (
                part in pairs
                and pairs[part][1].sum() == new.n[part, column] == base.n[part, column]
            ):
                draws = _draw(pairs[part], rng)
            else:
                draws = _draw(counts[0][part], rng) - _draw(counts[1][part], rng)
            lo, hi = (float(end) for end in np.quantile(draws - draws.mean(), [0.025, 0.975]))
            found[part, column] = (delta + lo * z / _NORMAL, delta + hi * z / _NORMAL)
    return found


def _draw(counted: tuple[FloatArray, FloatArray], rng: np.random.Generator) -> FloatArray:
    values, times = counted
    n = int(times.sum())
    tallies = rng.multinomial(n, times / n, size=_DRAWS)
    return np.asarray(tallies @ values / n, dtype=np.float64)


def _counts(
    con: duckdb.DuckDBPyConnection, relation: str, column: str
) -> dict[int, tuple[FloatArray, FloatArray]]:
    return _by_part(
        con,
        f"SELECT part, round({column} * {_STEPS}) AS step, count(*) FROM {relation} "
        f"WHERE {column} IS NOT NULL AND NOT is_adversarial GROUP BY ALL ORDER BY ALL",
    )


def _paired_counts(
    con: duckdb.DuckDBPyConnection, new: Side, base: Side, column: str
) -> dict[int, tuple[FloatArray, FloatArray]]:
    return _by_part(
        con,
        f"SELECT n.part, round((n.{column} - b.{column}) * {_STEPS}) AS step, count(*) "
        f"FROM {new.relation} n JOIN {base.relation} b ON n.unit = b.unit AND n.part = b.part "
        f"WHERE n.{column} + b.{column} IS NOT NULL AND NOT n.is_adversarial "
        "GROUP BY ALL ORDER BY ALL",
    )


def _by_part(
    con: duckdb.DuckDBPyConnection, query: str
) -> dict[int, tuple[FloatArray, FloatArray]]:
    rows = con.execute(query).fetchnumpy()
    parts = np.asarray(rows["part"])
    steps = np.asarray(rows["step"], dtype=np.float64)
    times = np.asarray(rows["count_star()"], dtype=np.float64)
    return {
        int(part): (steps[parts == part] / _STEPS, times[parts == part])
        for part in np.unique(parts)
    }
