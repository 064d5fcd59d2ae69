"""What a reader must know about the units of the arms before believing a comparison of them."""

from collections.abc import Sequence

import duckdb

from equipoise.records.estimate import UnitSets
from equipoise.records.notice import Notice, Severity
from equipoise.records.terms import Pairing, Terms
from equipoise.stages.estimate.moments import ArmMoments
from equipoise.stages.estimate.samples import is_paired
from equipoise.stages.estimate.units import unit_table


def set_notices(terms: Terms, sets: UnitSets) -> list[Notice]:
    """Tells when the arms did not run the same units, and what was done about it.

    Args:
        terms: pairing as asked.
        sets: how the unit ids of the arm and the baseline relate.
    """
    found = []
    if sets.n_only_base or sets.n_only_new:
        found.append(_differing(terms, sets))
    return found


def _differing(terms: Terms, sets: UnitSets) -> Notice:
    here, there = sets.baseline, sets.arm
    n_apart = sets.n_only_base + sets.n_only_new
    apart = f"{sets.n_only_base:,} units only in {here!r}, {sets.n_only_new:,} only in {there!r}"
    if is_paired(terms, sets):
        message = f"{apart}: only the {sets.n_shared:,} in both are compared"
    elif sets.n_shared and terms.pairing is Pairing.AUTO:
        message = (
            f"{apart}, {sets.n_shared:,} in both: too few to speak for either, so the arms are "
            f"compared unpaired, as different units; are ids spelt in two ways ({_some(sets)})? "
            "--pair compares those in both alone"
        )
    else:
        message = f"{apart}: the arms are compared unpaired, as different units"
    return Notice(code="unit_sets_differ", message=message, count=n_apart)


def _some(sets: UnitSets) -> str:
    return " and ".join(repr(ids[0]) for ids in (sets.only_base, sets.only_new) if ids)


def uneven(con: duckdb.DuckDBPyConnection, arms: Sequence[tuple[str, int]]) -> list[Notice]:
    """Tells when the units of an arm were planned with unequal numbers of repetitions.

    Args:
        con: holds the tables of units.
        arms: name and index of each arm.
    """
    notices = []
    for name, index in arms:
        row = con.execute(f"SELECT min(planned), max(planned) FROM {unit_table(index)}").fetchone()
        if row is not None and row[0] != row[1]:
            notices.append(
                Notice(
                    code="uneven_repetitions",
                    message=f"units of arm {name!r} have {row[0]} to {row[1]} "
                    "repetitions; each unit counts once, whatever its number",
                )
            )
    return notices


def retried(arms: Sequence[tuple[str, ArmMoments]]) -> list[Notice]:
    """Tells when repetitions were tried more than once.

    Args:
        arms: name of each arm and its moments over all units.
    """
    return [
        Notice(
            code="attempts",
            message=f"arm {name!r} has {one.tries - one.planned} attempts beyond the "
            "first; the first attempt with an outcome counts, no attempt is a repetition",
            severity=Severity.INFO,
            count=one.tries - one.planned,
        )
        for name, one in arms
        if one.tries > one.planned
    ]
