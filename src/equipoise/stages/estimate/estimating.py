"""The estimating stage as a whole: columns of trials in, every number of a comparison out."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import duckdb

from equipoise.records.estimate import ArmEstimate, CellKey, Comparison, UnitSets
from equipoise.records.notice import Notice
from equipoise.records.result import CellLines, Estimates
from equipoise.records.terms import Terms
from equipoise.stages.estimate.alarms import constant_alarm, missing_alarm, uncounted_alarm
from equipoise.stages.estimate.arms import arm_estimates
from equipoise.stages.estimate.by_criterion import by_criterion
from equipoise.stages.estimate.columns import ArmColumns, ArmFacts, check_terms, held
from equipoise.stages.estimate.contrast import Side, comparisons
from equipoise.stages.estimate.family import Family, cell_family, headline_family
from equipoise.stages.estimate.lines import flaky_units, moved_units
from equipoise.stages.estimate.moments import ArmMoments
from equipoise.stages.estimate.samples import Met, is_paired, meet
from equipoise.stages.estimate.unit_notices import retried, set_notices, uneven
from equipoise.stages.estimate.unit_sets import join_units, label_conflicts, unit_sets
from equipoise.stages.estimate.units import read_units
from equipoise.stages.estimate.versions import Versions, check_versions, versions_of


@dataclass(slots=True, kw_only=True)
class _Arm:
    """One arm as far as it has been read."""

    columns: ArmColumns
    index: int
    facts: ArmFacts
    moments: dict[CellKey, ArmMoments]
    estimates: tuple[ArmEstimate, ...]
    sets: UnitSets | None = None
    met: dict[CellKey, Met] = field(default_factory=dict)
    versions: Versions = field(default_factory=dict)
    refusal: str = ""

    @property
    def side(self) -> Side:
        """Gives what a comparison is told about this arm."""
        return Side(
            name=self.columns.name,
            estimates={e.cell: e for e in self.estimates},
            refusal=self.refusal,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The estimates, and whether any trial was simulated or any grade soft."""

    estimates: Estimates
    is_simulated: bool
    is_soft: bool


def estimate(
    con: duckdb.DuckDBPyConnection,
    terms: Terms,
    columns: Sequence[ArmColumns],
    evidence: Sequence[str] = (),
) -> Reading:
    """Gives every estimate of the comparison; the first of `columns` is the baseline.

    Args:
        con: a connection for temporary tables; nothing is written elsewhere.
        terms: what was asked.
        columns: the trials of the baseline, then of each arm in the order of the terms.
        evidence: Parquet files of evidence of the archives.

    Raises:
        InputError: terms that the data cannot answer (unknown criterion, label, arm, filter).
    """
    check_terms(terms, {arm.name: held(con, arm.path) for arm in columns})
    arms = [_read(con, terms, arm, i) for i, arm in enumerate(columns)]
    base, others = arms[0], arms[1:]
    notices: list[Notice] = []
    for arm in others:
        _meet(con, terms, base, arm)
        notices += _told(con, terms, base, arm)
    families = (headline_family(terms), _cells(con, terms, base, others))
    compared = [
        comparison
        for arm in others
        for comparison in comparisons(terms, (base.side, arm.side), arm.met, families)
    ]
    flaky, beyond = flaky_units(con, [(arm.columns.name, arm.index) for arm in arms])
    criteria = tuple(
        one for arm in arms for one in by_criterion(con, terms, arm.columns, arm.facts)
    )
    return Reading(
        estimates=Estimates(
            arms=tuple(e for arm in arms for e in arm.estimates),
            comparisons=tuple(compared),
            unit_sets=tuple(arm.sets for arm in others if arm.sets is not None),
            criteria=criteria,
            flaky=flaky,
            n_flaky_beyond=beyond,
            lines=_lines(con, terms, base, others, compared, evidence),
            notices=tuple(
                notices
                + [told for arm in arms for told in constant_alarm(arm.side.estimates)]
                + uncounted_alarm(terms, criteria)
                + uneven(con, [(arm.columns.name, arm.index) for arm in arms])
                + retried([(arm.columns.name, arm.moments[CellKey()]) for arm in arms])
            ),
        ),
        is_simulated=any(arm.facts.n_simulated for arm in arms),
        is_soft=any(m.n_soft for arm in arms for m in arm.moments.values()),
    )


def _told(con: duckdb.DuckDBPyConnection, terms: Terms, base: _Arm, arm: _Arm) -> list[Notice]:
    """Gives what a reader must know about an arm and the baseline; keeps a refusal, if any."""
    assert arm.sets is not None
    names = (base.columns.name, arm.columns.name)
    versions = check_versions(terms, (names[0], base.versions), (names[1], arm.versions))
    arm.refusal = versions.refusal
    whole = CellKey()
    return [
        *set_notices(terms, arm.sets),
        *versions.notices,
        *missing_alarm(base.side.estimates[whole], arm.side.estimates[whole]),
        *label_conflicts(con, terms, (names[0], base.index), (names[1], arm.index)),
    ]


def _read(con: duckdb.DuckDBPyConnection, terms: Terms, columns: ArmColumns, index: int) -> _Arm:
    facts = read_units(con, terms, columns, index)
    moments, estimates = arm_estimates(con, terms, columns, index, has_clusters=facts.has_clusters)
    return _Arm(
        columns=columns,
        index=index,
        facts=facts,
        moments=moments,
        estimates=estimates,
        versions=versions_of(con, terms, columns),
    )


def _meet(con: duckdb.DuckDBPyConnection, terms: Terms, base: _Arm, arm: _Arm) -> None:
    join_units(con, terms, base.index, arm.index)
    arm.sets = unit_sets(con, (base.columns.name, base.index), (arm.columns.name, arm.index))
    arm.met = meet(
        con,
        terms,
        arm.sets,
        (base.index, arm.index),
        (base.moments, arm.moments),
        has_clusters=base.facts.has_clusters and arm.facts.has_clusters,
    )


def _cells(
    con: duckdb.DuckDBPyConnection, terms: Terms, base: _Arm, others: Sequence[_Arm]
) -> Family:
    deltas = {
        (arm.index, key): met.pair.difference.mean if met.pair else 0.0
        for arm in others
        for key, met in sorted(arm.met.items(), key=lambda item: (item[0].label, item[0].value))
        if key.label
    }
    paired = {
        arm.index: base.index
        for arm in others
        if arm.sets is not None and is_paired(terms, arm.sets) and arm.sets.n_shared
    }
    return cell_family(con, terms, deltas, paired)


def _lines(
    con: duckdb.DuckDBPyConnection,
    terms: Terms,
    base: _Arm,
    others: Sequence[_Arm],
    compared: Sequence[Comparison],
    evidence: Sequence[str],
) -> tuple[CellLines, ...]:
    found: list[CellLines] = []
    for arm in others:
        if arm.sets is None or not (is_paired(terms, arm.sets) and arm.sets.n_shared):
            continue
        ids = {c.cell: c.id for c in compared if c.arm == arm.columns.name}
        both = ((base.index, base.columns), (arm.index, arm.columns))
        found += moved_units(con, terms, both, ids, evidence)
    return tuple(found)
