"""From trials to units: the first outcome of each repetition, averaged inside the unit.

Sums are taken over fixed-point integers (2^-52 steps), so that every number is the same whatever
the order of the rows, the number of threads or the split into files.
"""

import duckdb

from equipoise.errors import InputError
from equipoise.records.terms import Terms
from equipoise.stages.estimate.columns import (
    ArmColumns,
    ArmFacts,
    literal,
    partition_column,
    quoted,
)

SCALE = 2**52
"""Fixed-point steps per unit; a value in [0,1] is exact to half a step."""


def fixed(expression: str) -> str:
    """Gives SQL for the fixed-point integer of a value in [-1,1]."""
    return f"CAST(({expression}) * {SCALE} AS BIGINT)"


def unit_table(name_index: int) -> str:
    """Gives the name of the temporary table that holds the units of one arm."""
    return f"units_{name_index}"


def repetition_table(name_index: int) -> str:
    """Gives the name of the temporary table that holds the repetitions of one arm."""
    return f"repetitions_{name_index}"


def read_units(
    con: duckdb.DuckDBPyConnection, terms: Terms, arm: ArmColumns, index: int
) -> ArmFacts:
    """Creates the table of units of one arm and gives the facts about its trials.

    The table has one row per unit: ``unit``, ``p0..`` (the partition labels of the terms, in their
    order), ``cluster``, ``planned`` and ``evaluable`` repetitions, ``v`` (mean over evaluable
    repetitions, null when there is none), ``within`` (variance over repetitions, null below two),
    ``lowest`` and ``highest`` value, ``is_binary``, ``tries`` (attempts in all), ``n_soft``. The
    repetitions themselves stay in the table `repetition_table` of the arm.

    Raises:
        InputError: a filter matches nothing, the arm is not there, it mixes models, or a unit
            lacks a partition label.
    """
    facts = _facts(con, terms, arm)
    reps = repetition_table(index)
    con.execute(f"CREATE OR REPLACE TEMP TABLE {reps} AS {_first_outcomes(terms, arm, facts)}")
    kind = "VIEW" if facts.max_repetition <= 1 else "TABLE"
    con.execute(
        f"CREATE OR REPLACE TEMP {kind} {unit_table(index)} AS {_by_unit(terms, facts, reps)}"
    )
    _refuse_unlabelled(con, terms, arm, index)
    return facts


def trials_of(terms: Terms, arm: ArmColumns) -> str:
    """Gives SQL for the trials of one arm that the filters of the terms leave."""
    filters = [f"arm = {literal(arm.arm)}"]
    filters += [f"{quoted('label:' + k)} = {literal(v)}" for k, v in sorted(terms.where.items())]
    return f"read_parquet({literal(str(arm.path))}) WHERE {' AND '.join(filters)}"


def _facts(con: duckdb.DuckDBPyConnection, terms: Terms, arm: ArmColumns) -> ArmFacts:
    row = con.execute(
        "SELECT count(*), coalesce(max(repetition),0), coalesce(max(attempt),0), "
        "count(DISTINCT model), count(cluster) > 0, count(*) FILTER (is_simulated) "
        f"FROM {trials_of(terms, arm)}"
    ).fetchone()
    assert row is not None
    facts = ArmFacts(
        n_trials=row[0],
        max_repetition=row[1],
        max_attempt=row[2],
        n_models=row[3],
        has_clusters=row[4],
        n_simulated=row[5],
    )
    if facts.n_trials == 0:
        raise _nothing(con, terms, arm)
    if facts.n_models > 1:
        models = con.execute(
            f"SELECT DISTINCT model FROM {trials_of(terms, arm)} ORDER BY 1"
        ).fetchall()
        raise InputError(
            f"arm {arm.name!r} mixes {facts.n_models} models ({_some(models)})",
            wanted="one model per arm, so that a model's change is not taken for the arm's",
            mend="map the model into the arm (arm: [arm, model]) or import each model by itself",
            code="mixed_models",
        )
    return facts


def _nothing(con: duckdb.DuckDBPyConnection, terms: Terms, arm: ArmColumns) -> InputError:
    path = literal(str(arm.path))
    arms = con.execute(f"SELECT DISTINCT arm FROM read_parquet({path}) ORDER BY 1").fetchall()
    if (arm.arm,) not in arms:
        return InputError(
            f"there is no arm {arm.arm!r}", wanted=f"one of {_some(arms)}", code="unknown_arm"
        )
    key, value = next(iter(sorted(terms.where.items())), ("", ""))
    values = con.execute(
        f"SELECT DISTINCT {quoted('label:' + key)} FROM read_parquet({path}) "
        f"WHERE arm = {literal(arm.arm)} ORDER BY 1"
    ).fetchall()
    asked = ", ".join(f"{k}={v}" for k, v in terms.where.items())
    return InputError(
        f"no unit of arm {arm.name!r} matches {asked}",
        wanted=f"a filter that matches; {key!r} takes {_some(values)}",
        mend=f"{value!r} is not among them, or the filters exclude each other",
        code="empty_filter",
    )


def _some(rows: list[tuple[str]]) -> str:
    shown = [repr(row[0]) for row in rows[:8]]
    return ", ".join(shown) + (f" and {len(rows) - 8} more" if len(rows) > 8 else "")


def _first_outcomes(terms: Terms, arm: ArmColumns, facts: ArmFacts) -> str:
    """Gives SQL with one row per repetition: its first attempt that has an outcome, else the last.

    A later attempt never replaces an outcome: choosing among outcomes would be fishing.
    """
    value, why = quoted(f"value:{terms.criterion}"), quoted(f"why:{terms.criterion}")
    how = quoted(f"how:{terms.criterion}")
    labels = "".join(f", {partition_column(key)} AS p{i}" for i, key in enumerate(terms.partitions))
    tries = "1" if facts.max_attempt <= 1 else "count(*) OVER (PARTITION BY unit, repetition)"
    chosen = (
        f"SELECT unit, repetition, attempt, cluster, {value} AS value, "
        f"CASE WHEN {value} IS NULL THEN coalesce({why}, 'no grade') END AS why, "
        f"{how} = 'soft' AS is_soft, {tries} AS tries{labels} "
        f"FROM {trials_of(terms, arm)}"
    )
    if facts.max_attempt <= 1:
        return chosen
    return (
        f"SELECT * FROM ({chosen}) QUALIFY row_number() OVER (PARTITION BY unit, repetition "
        "ORDER BY value IS NULL, CASE WHEN value IS NULL THEN -attempt ELSE attempt END) = 1"
    )


def criteria_of_units(
    terms: Terms, arm: ArmColumns, facts: ArmFacts, criteria: tuple[str, ...]
) -> str:
    """Gives SQL with one row per unit: its labels ``p0..`` and the mean of each criterion.

    The trials are those whose outcome counts for the deciding criterion.
    """
    labels = "".join(f"{partition_column(key)} AS p{i}, " for i, key in enumerate(terms.partitions))
    values = [quoted(f"value:{c}") for c in criteria]
    deciding = quoted(f"value:{terms.criterion}")
    chosen = f"SELECT unit, {labels}{', '.join(values)} FROM {trials_of(terms, arm)}"
    if facts.max_attempt > 1:
        chosen += (
            " QUALIFY row_number() OVER (PARTITION BY unit, repetition ORDER BY "
            f"{deciding} IS NULL, CASE WHEN {deciding} IS NULL THEN -attempt ELSE attempt END) = 1"
        )
    if facts.max_repetition <= 1:
        return f"({chosen})"
    names = "".join(f"min(p{i}) AS p{i}, " for i in range(len(terms.partitions)))
    means = ", ".join(
        f"sum({fixed(v)})::DOUBLE / {SCALE} / nullif(count({v}), 0) AS {v}" for v in values
    )
    return f"(SELECT {names}{means} FROM ({chosen}) GROUP BY unit)"


def _by_unit(terms: Terms, facts: ArmFacts, reps: str) -> str:
    n_labels = len(terms.partitions)
    if facts.max_repetition <= 1:
        labels = "".join(f", p{i}" for i in range(n_labels))
        return (
            "SELECT unit, cluster, 1 AS planned, (value IS NOT NULL)::INT AS evaluable, "
            "value AS v, NULL::DOUBLE AS within, value AS lowest, value AS highest, "
            "value IS NULL OR value IN (0, 1) AS is_binary, tries, "
            f"coalesce(is_soft, false)::INT AS n_soft{labels} FROM {reps}"
        )
    labels = "".join(f", min(p{i}) AS p{i}" for i in range(n_labels))
    total, squares = f"sum({fixed('value')})", f"sum({fixed('value * value')})"
    n = "count(value)"
    within = (
        f"CASE WHEN {n} > 1 THEN CASE WHEN min(value) = max(value) THEN 0.0 ELSE greatest(0.0, "
        f"({squares}::DOUBLE / {SCALE} - ({total}::DOUBLE / {SCALE}) ^ 2 / {n}) / ({n} - 1)) "
        "END END"
    )
    return (
        "SELECT unit, min(cluster) AS cluster, count(*)::INT AS planned, "
        f"{n}::INT AS evaluable, {total}::DOUBLE / {SCALE} / nullif({n}, 0) AS v, "
        f"{within} AS within, min(value) AS lowest, max(value) AS highest, "
        "coalesce(bool_and(value IN (0, 1)), true) AS is_binary, sum(tries)::BIGINT AS tries, "
        f"count(*) FILTER (is_soft) AS n_soft{labels} FROM {reps} GROUP BY unit"
    )


def _refuse_unlabelled(
    con: duckdb.DuckDBPyConnection, terms: Terms, arm: ArmColumns, index: int
) -> None:
    for i, key in enumerate(terms.partitions):
        rows = con.execute(
            f"SELECT unit, count(*) OVER () FROM {unit_table(index)} WHERE p{i} IS NULL "
            "ORDER BY unit LIMIT 5"
        ).fetchall()
        if rows:
            ids = ", ".join(repr(row[0]) for row in rows)
            raise InputError(
                f"{rows[0][1]} units of arm {arm.name!r} have no label {key!r}: {ids}"
                + (" ..." if rows[0][1] > len(rows) else ""),
                wanted="every unit with the labels of the partitions",
                mend="add the labels to the source, or leave the key out of --partition",
                code="missing_label",
            )
