"""Cost, tokens and time per unit, compared only between arms whose outcome allows it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import duckdb
from scipy.special import stdtrit

from equipoise.records.estimate import Interval, Resource
from equipoise.records.terms import Terms
from equipoise.stages.estimate.columns import ArmColumns, decimal, literal

_KINDS = (
    ("cost", "cost_usd", "USD"),
    ("tokens", "tokens", "tokens"),
    ("time", "duration_ms", "ms"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Spent:
    """Moments of what both arms spent on the units where both figures are complete."""

    n: int
    mean_new: float
    mean_base: float
    var_new: float
    var_base: float
    covariance: float


def resources(
    con: duckdb.DuckDBPyConnection,
    terms: Terms,
    base: ArmColumns,
    arms: Mapping[str, tuple[ArmColumns, str]],
) -> tuple[Resource, ...]:
    """Gives, per arm and kind, totals and (where allowed) the comparison with the baseline.

    All attempts count: a failed attempt was paid for too.

    Args:
        con: any connection.
        terms: level, filters.
        base: the baseline.
        arms: name -> (its columns, why it may not be compared; "" = it may).
    """
    found = []
    for name, (columns, refusal) in arms.items():
        for kind, column, unit in _KINDS:
            found.append(
                _resource(con, terms, base, (name, columns), (kind, column, unit), refusal)
            )
    return tuple(found)


def _resource(
    con: duckdb.DuckDBPyConnection,
    terms: Terms,
    base: ArmColumns,
    new: tuple[str, ArmColumns],
    kind: tuple[str, str, str],
    refusal: str,
) -> Resource:
    total_base, lack_base = _total(con, terms, base, kind[1])
    total_new, lack_new = _total(con, terms, new[1], kind[1])
    spent = _spent(con, terms, base, new[1], kind[1])
    why = refusal
    if total_base is None or total_new is None:
        why = f"no {kind[0]} was recorded in one of the arms"
    elif not why and spent.n < 2:
        why = "fewer than two units have the figure in both arms"
    plain = Resource(
        baseline=terms.baseline,
        arm=new[0],
        kind=kind[0],
        unit=kind[2],
        total_new=total_new,
        total_base=total_base,
        n_missing_new=lack_new,
        n_missing_base=lack_base,
        not_comparable=why,
    )
    return plain if why else _compared(plain, spent, terms)


def _total(
    con: duckdb.DuckDBPyConnection, terms: Terms, arm: ArmColumns, column: str
) -> tuple[float | None, int]:
    row = con.execute(
        f"SELECT sum({decimal(column)})::DOUBLE, count(*) - count({decimal(column)}) "
        f"FROM {_trials(terms, arm)}"
    ).fetchone()
    assert row is not None
    return row[0], row[1]


def _trials(terms: Terms, arm: ArmColumns) -> str:
    filters = [f"arm = {literal(arm.arm)}"]
    filters += [f'"label:{k}" = {literal(v)}' for k, v in sorted(terms.where.items())]
    return f"read_parquet({literal(str(arm.path))}) WHERE {' AND '.join(filters)}"


def _spent(
    con: duckdb.DuckDBPyConnection, terms: Terms, base: ArmColumns, new: ArmColumns, column: str
) -> _Spent:
    def per_unit(arm: ArmColumns) -> str:
        return (
            f"SELECT unit, sum({decimal(column)})::DOUBLE / count(DISTINCT repetition) AS x "
            f"FROM {_trials(terms, arm)} GROUP BY unit HAVING count(*) = count({decimal(column)})"
        )

    rows = con.execute(
        f"SELECT n.x, b.x FROM ({per_unit(base)}) b JOIN ({per_unit(new)}) n USING (unit) "
        "ORDER BY unit"
    ).fetchnumpy()
    x, y = list(rows.values())
    n = len(x)
    if n < 2:
        return _Spent(n=n, mean_new=0, mean_base=0, var_new=0, var_base=0, covariance=0)
    mean_x, mean_y = math.fsum(x) / n, math.fsum(y) / n
    dx, dy = x - mean_x, y - mean_y
    return _Spent(
        n=n,
        mean_new=mean_x,
        mean_base=mean_y,
        var_new=math.fsum(dx * dx) / (n - 1),
        var_base=math.fsum(dy * dy) / (n - 1),
        covariance=math.fsum(dx * dy) / (n - 1),
    )


def _compared(plain: Resource, spent: _Spent, terms: Terms) -> Resource:
    """Adds the difference (paired t) and the ratio of means (delta method on the log scale)."""
    t = float(stdtrit(spent.n - 1, 0.5 + terms.level / 2))
    variance = max(0.0, spent.var_new + spent.var_base - 2 * spent.covariance)
    delta, half = spent.mean_new - spent.mean_base, t * math.sqrt(variance / spent.n)
    ratio = ratio_interval = None
    if spent.mean_new > 0 and spent.mean_base > 0:
        relative = (
            spent.var_new / spent.mean_new**2
            + spent.var_base / spent.mean_base**2
            - 2 * spent.covariance / (spent.mean_new * spent.mean_base)
        )
        ratio = spent.mean_new / spent.mean_base
        spread = t * math.sqrt(max(0.0, relative) / spent.n)
        if spread > 0:
            ratio_interval = Interval(
                lo=ratio * math.exp(-spread),
                hi=ratio * math.exp(spread),
                level=terms.level,
                method="log ratio of paired means, delta method, t",
            )
    return Resource(
        baseline=plain.baseline,
        arm=plain.arm,
        kind=plain.kind,
        unit=plain.unit,
        total_new=plain.total_new,
        total_base=plain.total_base,
        n_missing_new=plain.n_missing_new,
        n_missing_base=plain.n_missing_base,
        mean_new=spent.mean_new,
        mean_base=spent.mean_base,
        n_pairs=spent.n,
        delta=delta,
        interval=Interval(lo=delta - half, hi=delta + half, level=terms.level, method="paired t")
        if half > 0
        else None,
        ratio=ratio,
        ratio_interval=ratio_interval,
    )
