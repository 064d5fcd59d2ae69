"""The hash of what a suite follows from: outcomes and grades, whatever their order and times."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

import duckdb

from equipoise.records.codec import digest, encode
from equipoise.records.suite import RaterSpread
from equipoise.stages.estimate.columns import literal, quoted
from equipoise.stages.estimate.loss.units import LossTrials, Weighed
from equipoise.stages.estimate.units import fixed

_APART = "chr(31)"


@contextmanager
def hashed_beside(
    con: duckdb.DuckDBPyConnection,
    trials: LossTrials,
    categories: Sequence[Weighed],
    raters: Mapping[str, RaterSpread],
    clipped: Mapping[str, int],
) -> Iterator[Future[str]]:
    """Hashes the results while the block works on them: half of the time of a large suite."""
    with con.cursor() as own, ThreadPoolExecutor(1) as pool:
        try:
            yield pool.submit(results_sha256, own, trials, categories, raters, clipped)
        except BaseException:
            own.interrupt()
            raise


def results_sha256(
    con: duckdb.DuckDBPyConnection,
    trials: LossTrials,
    categories: Sequence[Weighed],
    raters: Mapping[str, RaterSpread],
    clipped: Mapping[str, int],
    *,
    among: str = "",
) -> str:
    """Gives a hash that two runs share exactly if they say the same under this catalog.

    It covers unit, repetition, attempt and ending of every trial of the arm, and its values; not
    when it was executed, how long it took or how often it was begun before it gave a trial. The
    lines' own hashes are summed, so that a million of them need no sorting; that no line of the
    archive was altered is what its chain proves, not this. `among` is a table of the only units
    that count; empty = all.
    """
    values = [
        f"coalesce({fixed(quoted('value:' + c.criterion))}::VARCHAR, '')" if c.criterion else "''"
        for c in categories
    ]
    fields = ["unit", "repetition", "attempt", "ending", *values]
    kept = f" AND unit IN (SELECT unit FROM {among})" if among else ""
    line = f"concat_ws({_APART}, {', '.join(fields)})"
    [row] = con.execute(
        f"SELECT count(*), sum(('0x' || left(sha256({line}), 15))::BIGINT)::VARCHAR "
        f"FROM read_parquet({literal(str(trials.results))}) WHERE arm = {literal(trials.arm)}{kept}"
    ).fetchall()
    return digest(encode([list(row), dict(sorted(raters.items())), dict(sorted(clipped.items()))]))
