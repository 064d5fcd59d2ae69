"""From trials to units under a catalog: the first evaluable attempt, averaged over repetitions."""

from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

import duckdb
import numpy as np

from equipoise.errors import InputError
from equipoise.records.catalog import Catalog
from equipoise.records.plan import Plan
from equipoise.stages.estimate.columns import held, literal, quoted
from equipoise.stages.estimate.units import SCALE, fixed

_PARTITION = attrgetter("partition")
_REPETITIONS = attrgetter("repetitions")
_IS_ADVERSARIAL = attrgetter("is_adversarial")


@dataclass(frozen=True, slots=True, kw_only=True)
class LossTrials:
    """The trials of one run: their Parquet files, the run's arm, and what the arm was promised.

    `is_cut`: the plan ends at a look, and trials of other units are of later ones.
    """

    results: Path
    evidence: Path
    arm: str
    plan: Plan
    catalog: Catalog
    is_cut: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """One category with a place in the tables: column ``c<place>``; `criterion` null if ungraded.

    A category that no trial was graded under is `unbewertbar` everywhere, never 0.
    """

    place: int
    id: str
    weight: float
    is_judged: bool
    criterion: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitTable:
    """The tables made of one run: ``<name>_planned``, ``<name>_chosen``, ``<name>_units``.

    `parts` are the partitions' texts in the plan's order; the tables name them by their place.
    """

    name: str
    parts: tuple[str, ...]
    categories: tuple[Weighed, ...]

    @property
    def planned(self) -> str:
        """Gives the name of the table of planned units."""
        return f"{self.name}_planned"

    @property
    def chosen(self) -> str:
        """Gives the name of the table of chosen trials: one row per repetition."""
        return f"{self.name}_chosen"

    @property
    def units(self) -> str:
        """Gives the name of the table of units.

        One row per planned unit: ``unit``, ``part``, ``is_adversarial``, ``reps``
        planned, ``cluster``,
        ``n_run`` repetitions with a trial, ``n_carried`` that ended with an outcome, ``n_value``
        with a loss, ``n_lost`` with a loss above 0, ``v`` the mean loss (null without any),
        ``within`` the sum of squares of its repetitions, ``covered`` the share of catalog weight
        evaluated over the planned repetitions, and ``c0..`` the mean of each category.
        """
        return f"{self.name}_units"


def weighed(con: duckdb.DuckDBPyConnection, trials: LossTrials) -> tuple[Weighed, ...]:
    """Gives the catalog's categories, each with the criterion it was graded under.

    Raises:
        InputError: the run was not graded under this catalog.
    """
    catalog, graded = trials.catalog, held(con, trials.results).criteria
    found = tuple(
        Weighed(
            place=place,
            id=category.id,
            weight=category.weight,
            is_judged=category.type == "model_judged",
            criterion=name if (name := catalog.criterion(category.id)) in graded else None,
        )
        for place, category in enumerate(catalog.categories)
    )
    if not any(category.criterion for category in found):
        versions = sorted({name.partition(":")[0] for name in graded if ":" in name})
        raise InputError(
            f"the run of arm {trials.arm!r} is not graded under catalog {catalog.version}",
            wanted=f"grades under {catalog.version}; there are some under "
            f"{', '.join(versions) or 'none'}",
            mend="grade its archive under this catalog; nothing has to be executed for that",
            code="not_graded",
        )
    return found


def read_units(con: duckdb.DuckDBPyConnection, trials: LossTrials, name: str) -> UnitTable:
    """Creates the tables of one run.

    Raises:
        InputError: the run was not graded under this catalog.
    """
    table = UnitTable(
        name=name,
        parts=tuple(part.text for part in trials.plan.partitions),
        categories=weighed(con, trials),
    )
    _put_planned(con, trials.plan, table)
    [most] = con.execute(
        f"SELECT coalesce(max(repetition), 0), coalesce(max(attempt), 0) FROM {_of_arm(trials)}"
    ).fetchall()
    kind = "VIEW" if most[1] <= 1 else "TABLE"
    chosen = _chosen(trials, table, most[1])
    con.execute(f"CREATE OR REPLACE TEMP {kind} {table.chosen} AS {chosen}")
    if most[0] > 1:
        by_unit = _by_unit(table)
    else:
        by_unit = _of_one(table, table.chosen if most[1] > 1 else f"({_valued(trials, table)})")
    con.execute(f"CREATE OR REPLACE TEMP TABLE {table.units} AS {by_unit}")
    return table


def n_strangers(con: duckdb.DuckDBPyConnection, trials: LossTrials, table: UnitTable) -> int:
    """Counts the trials of units that the plan does not name; they count for nothing."""
    [counts] = con.execute(
        f"SELECT (SELECT count(*) FROM {_of_arm(trials)}), (SELECT sum(n_run) FROM {table.units})"
    ).fetchall()
    if trials.is_cut or counts[0] == counts[1]:
        return 0
    [row] = con.execute(
        f"SELECT count(*) FROM {_of_arm(trials)} AND unit NOT IN (SELECT unit FROM {table.planned})"
    ).fetchall()
    return int(row[0])


def _of_arm(trials: LossTrials) -> str:
    path, arm = literal(str(trials.results)), literal(trials.arm)
    return f"read_parquet({path}) WHERE arm = {arm}"


def _put_planned(con: duckdb.DuckDBPyConnection, plan: Plan, table: UnitTable) -> None:
    units, n = plan.units, len(plan.units)
    place_of = {text: place for place, text in enumerate(table.parts)}.__getitem__
    con.register(
        "planned_now",
        {
            "unit": np.array([unit.id for unit in units], dtype=object),
            "part": np.fromiter(map(place_of, map(_PARTITION, units)), np.int32, n),
            "reps": np.fromiter(map(_REPETITIONS, units), np.int32, n),
            "is_adversarial": np.fromiter(map(_IS_ADVERSARIAL, units), np.bool_, n),
        },
    )
    con.execute(
        f"CREATE OR REPLACE TEMP TABLE {table.planned} AS SELECT unit::VARCHAR AS unit, part, "
        "reps, is_adversarial FROM planned_now"
    )
    con.unregister("planned_now")


def _chosen(trials: LossTrials, table: UnitTable, max_attempt: int) -> str:
    """Gives SQL with one row per planned repetition: its first evaluable attempt, else the first.

    A later attempt never replaces an outcome: choosing among outcomes would be fishing.
    """
    query = (
        "SELECT v.*, part, reps, is_adversarial "
        f"FROM ({_valued(trials, table)}) v JOIN {table.planned} USING (unit) "
        "WHERE repetition <= reps"
    )
    if max_attempt <= 1:
        return query
    return (
        f"SELECT * FROM ({query}) QUALIFY row_number() OVER (PARTITION BY unit, repetition "
        "ORDER BY v IS NULL, NOT is_carried, attempt) = 1"
    )


def _valued(trials: LossTrials, table: UnitTable) -> str:
    """Gives SQL with one row per trial of the arm: its loss and the values it comes from."""
    values = ", ".join(
        f"{quoted('value:' + c.criterion) if c.criterion else 'NULL::DOUBLE'} AS c{c.place}"
        for c in table.categories
    )
    lost = " + ".join(f"{c.weight!r} * coalesce(c{c.place}, 0.0)" for c in table.categories)
    weight = " + ".join(
        f"CASE WHEN c{c.place} IS NULL THEN 0.0 ELSE {c.weight!r} END" for c in table.categories
    )
    whole = " + ".join(f"{c.weight!r}::DOUBLE" for c in table.categories)
    kept = ", ".join(f"c{c.place}" for c in table.categories)
    return (
        "SELECT trial, unit, repetition, attempt, cluster, "
        "ending IN ('completed', 'budget', 'refused') AS is_carried, "
        f"CASE WHEN weight > 0 THEN least(1.0, lost / weight) END AS v, weight / ({whole}) "
        f"AS covered, {kept} FROM (SELECT *, ({lost})::DOUBLE AS lost, ({weight})::DOUBLE AS "
        f"weight FROM (SELECT trial, unit, repetition, attempt, ending, cluster, {values} "
        f"FROM {_of_arm(trials)}))"
    )


def _of_one(table: UnitTable, trials: str) -> str:
    """Gives SQL with one row per planned unit where no unit has more than one trial."""
    kept = ", ".join(f"c{c.place}" for c in table.categories)
    return (
        "SELECT p.unit, p.part, p.is_adversarial, p.reps, t.cluster, "
        "(t.unit IS NOT NULL)::INT AS n_run, "
        "coalesce(is_carried, false)::INT AS n_carried, (v IS NOT NULL)::INT AS n_value, "
        "(coalesce(v, 0) > 0)::INT AS n_lost, v, 0.0 AS within, "
        f"coalesce(covered, 0.0) / p.reps AS covered, {kept} "
        f"FROM {table.planned} p LEFT JOIN {trials} t USING (unit)"
    )


def _by_unit(table: UnitTable) -> str:
    """Gives SQL with one row per planned unit: the means over its repetitions."""
    means = ", ".join(f"{_mean(f'c{c.place}')} AS c{c.place}" for c in table.categories)
    kept = ", ".join(f"c{c.place}" for c in table.categories)
    squares = (
        "CASE WHEN count(v) < 2 OR min(v) = max(v) THEN 0.0 ELSE greatest(0.0, "
        f"sum({fixed('v * v')})::DOUBLE / {SCALE} - (sum({fixed('v')})::DOUBLE / {SCALE}) ^ 2 "
        "/ count(v)) END"
    )
    return (
        "SELECT p.unit, p.part, p.is_adversarial, p.reps, cluster, "
        "coalesce(n_run, 0)::INT AS n_run, "
        "coalesce(n_carried, 0)::INT AS n_carried, coalesce(n_value, 0)::INT AS n_value, "
        "coalesce(n_lost, 0)::INT AS n_lost, v, coalesce(within, 0.0) AS within, "
        f"coalesce(covered, 0.0) / p.reps AS covered, {kept} FROM {table.planned} p LEFT JOIN ("
        "SELECT unit, min(cluster) AS cluster, count(*) AS n_run, "
        "count(*) FILTER (is_carried) AS n_carried, "
        "count(v) AS n_value, count(*) FILTER (v > 0) AS n_lost, "
        f"{_mean('v')} AS v, {squares} AS within, "
        f"sum({fixed('covered')})::DOUBLE / {SCALE} AS covered, {means} "
        f"FROM {table.chosen} GROUP BY unit) t USING (unit)"
    )


def _mean(column: str) -> str:
    return f"sum({fixed(column)})::DOUBLE / {SCALE} / nullif(count({column}), 0)"
