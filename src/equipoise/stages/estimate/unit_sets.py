"""How the unit ids of two arms relate; looked at before anything else is said."""

import duckdb

from equipoise.records.estimate import UnitSets
from equipoise.records.notice import Notice, Severity
from equipoise.records.terms import Terms
from equipoise.stages.estimate.units import unit_table

_SHOWN = 5


def pair_table(base: int, new: int) -> str:
    """Gives the name of the temporary table that holds the units of two arms side by side."""
    return f"pairs_{base}_{new}"


def join_units(con: duckdb.DuckDBPyConnection, terms: Terms, base: int, new: int) -> None:
    """Joins the units of two arms by id, once; everything about pairs is read from this table.

    One row per unit of either arm: ``in_base``, ``in_new``, the baseline's labels ``p0..`` and
    ``cluster`` with ``p0_differs..`` and ``cluster_differs`` beside them, ``v0``, ``v1`` and
    ``d`` = v1 - v0 (null unless both arms have an outcome), ``noise`` = summed variance of the two
    unit means by repetition (null without repetitions), ``runs`` = evaluable repetitions of both,
    ``both_binary``.
    """
    labels = "".join(
        f", coalesce(b.p{i}, n.p{i}) AS p{i}, b.p{i} <> n.p{i} AS p{i}_differs"
        for i in range(len(terms.partitions))
    )
    con.execute(
        f"CREATE OR REPLACE TEMP TABLE {pair_table(base, new)} AS "
        "SELECT coalesce(b.unit, n.unit) AS unit, b.unit IS NOT NULL AS in_base, "
        "n.unit IS NOT NULL AS in_new, coalesce(b.cluster, n.cluster) AS cluster, "
        "b.cluster IS DISTINCT FROM n.cluster AS cluster_differs, "
        "n.v AS v1, b.v AS v0, n.v - b.v AS d, n.is_binary AND b.is_binary AS both_binary, "
        "n.within / n.evaluable + b.within / b.evaluable AS noise, "
        f"n.evaluable + b.evaluable AS runs{labels} "
        f"FROM {unit_table(base)} b FULL JOIN {unit_table(new)} n USING (unit)"
    )


def unit_sets(
    con: duckdb.DuckDBPyConnection, base: tuple[str, int], new: tuple[str, int]
) -> UnitSets:
    """Counts the units that both arms hold and those that only one does, and names a few."""
    table = pair_table(base[1], new[1])
    row = con.execute(f"SELECT count(*) FILTER (in_base AND in_new) FROM {table}").fetchone()
    assert row is not None
    only_base, some_base = _only(con, table, "in_new")
    only_new, some_new = _only(con, table, "in_base")
    return UnitSets(
        baseline=base[0],
        arm=new[0],
        n_shared=row[0],
        n_only_base=only_base,
        n_only_new=only_new,
        only_base=some_base,
        only_new=some_new,
    )


def _only(con: duckdb.DuckDBPyConnection, table: str, lacking: str) -> tuple[int, tuple[str, ...]]:
    counted = con.execute(f"SELECT count(*) FROM {table} WHERE NOT {lacking}").fetchone()
    assert counted is not None
    rows = con.execute(
        f"SELECT unit FROM {table} WHERE NOT {lacking} ORDER BY unit LIMIT {_SHOWN}"
    ).fetchall()
    return counted[0], tuple(row[0] for row in rows)


def label_conflicts(
    con: duckdb.DuckDBPyConnection, terms: Terms, base: tuple[str, int], new: tuple[str, int]
) -> tuple[Notice, ...]:
    """Reports units whose partition label or cluster differs between the arms."""
    columns = [(f"p{i}", f"label {key!r}") for i, key in enumerate(terms.partitions)]
    notices = []
    for column, text in [*columns, ("cluster", "cluster")]:
        rows = con.execute(
            f"SELECT unit, {column}, count(*) OVER () FROM {pair_table(base[1], new[1])} "
            f"WHERE in_base AND in_new AND {column}_differs ORDER BY unit LIMIT 1"
        ).fetchall()
        if rows:
            unit, was, n = rows[0]
            notices.append(
                Notice(
                    code="conflicting_labels",
                    message=f"{n} units have another {text} in {new[0]!r} than in {base[0]!r}, "
                    f"e.g. {unit!r} ({was!r} in {base[0]!r}); the baseline's is used",
                    severity=Severity.WARNING,
                    count=n,
                )
            )
    return tuple(notices)
