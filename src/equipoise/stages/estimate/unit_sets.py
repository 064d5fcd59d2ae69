"""How the unit ids of two arms relate; looked at before anything else is said."""

import duckdb

from equipoise.records.estimate import UnitSets
from equipoise.records.notice import Notice, Severity
from equipoise.records.terms import Terms
from equipoise.stages.estimate.units import unit_table

_SHOWN = 5


def unit_sets(
    con: duckdb.DuckDBPyConnection, base: tuple[str, int], new: tuple[str, int]
) -> UnitSets:
    """Counts the units that both arms hold and those that only one does, and names a few."""
    shared = con.execute(
        f"SELECT count(*) FROM {unit_table(base[1])} JOIN {unit_table(new[1])} USING (unit)"
    ).fetchone()
    assert shared is not None
    only_base, some_base = _only(con, base[1], new[1])
    only_new, some_new = _only(con, new[1], base[1])
    return UnitSets(
        baseline=base[0],
        arm=new[0],
        n_shared=shared[0],
        n_only_base=only_base,
        n_only_new=only_new,
        only_base=some_base,
        only_new=some_new,
    )


def _only(con: duckdb.DuckDBPyConnection, this: int, other: int) -> tuple[int, tuple[str, ...]]:
    rows = con.execute(
        f"SELECT unit, count(*) OVER () FROM {unit_table(this)} ANTI JOIN {unit_table(other)} "
        f"USING (unit) ORDER BY unit LIMIT {_SHOWN}"
    ).fetchall()
    return (rows[0][1] if rows else 0), tuple(row[0] for row in rows)


def label_conflicts(
    con: duckdb.DuckDBPyConnection, terms: Terms, base: tuple[str, int], new: tuple[str, int]
) -> tuple[Notice, ...]:
    """Reports units whose partition label or cluster differs between the arms."""
    columns = [(f"p{i}", f"label {key!r}") for i, key in enumerate(terms.partitions)]
    notices = []
    for column, text in [*columns, ("cluster", "cluster")]:
        rows = con.execute(
            f"SELECT b.unit, b.{column}, n.{column}, count(*) OVER () "
            f"FROM {unit_table(base[1])} b JOIN {unit_table(new[1])} n USING (unit) "
            f"WHERE b.{column} IS DISTINCT FROM n.{column} ORDER BY b.unit LIMIT 1"
        ).fetchall()
        if rows:
            unit, was, now, n = rows[0]
            notices.append(
                Notice(
                    code="conflicting_labels",
                    message=f"{n} units have another {text} in {new[0]!r} than in {base[0]!r}, "
                    f"e.g. {unit!r}: {was!r} and {now!r}; the baseline's is used",
                    severity=Severity.WARNING,
                    count=n,
                )
            )
    return tuple(notices)
