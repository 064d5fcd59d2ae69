"""Whether the arms were run and graded under the same versions of everything that says so."""

import json
from collections import defaultdict
from dataclasses import dataclass

import duckdb

from equipoise.records.notice import Notice, Severity
from equipoise.records.terms import Terms
from equipoise.stages.estimate.columns import ArmColumns
from equipoise.stages.estimate.units import trials_of

GRADING = ("harness", "grader", "scorer", "judge", "benchmark", "evaluator", "dataset", "task")
"""A version key with one of these words names what sets or grades the task, not the system."""

_SHOWN = 3
Versions = dict[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionCheck:
    """What the versions of two arms mean: something to tell, and a refusal ("" = none)."""

    notices: tuple[Notice, ...] = ()
    refusal: str = ""


def versions_of(con: duckdb.DuckDBPyConnection, terms: Terms, arm: ArmColumns) -> Versions:
    """Gives key -> the versions the trials of an arm were recorded under, sorted."""
    rows = con.execute(
        f"SELECT DISTINCT versions FROM {trials_of(terms, arm)} AND versions IS NOT NULL"
    ).fetchall()
    found: dict[str, set[str]] = defaultdict(set)
    for (text,) in rows:
        for key, value in json.loads(text).items():
            found[key].add(value)
    return {key: tuple(sorted(values)) for key, values in sorted(found.items())}


def check_versions(
    terms: Terms, base: tuple[str, Versions], new: tuple[str, Versions]
) -> VersionCheck:
    """Compares the versions of an arm with those of the baseline.

    Every key that differs is told. Where it names what sets or grades the task (see `GRADING`) the
    arms may not be compared, unless `terms.mixed_versions` says so: grade the older runs again
    under the newer version instead.
    """
    keys = sorted({*base[1], *new[1]})
    apart = [key for key in keys if _differs(base[1].get(key, ()), new[1].get(key, ()))]
    notices = tuple(_notice(key, base, new) for key in apart)
    grading = [key for key in apart if _is_grading(key) and key in base[1] and key in new[1]]
    if not grading or terms.mixed_versions:
        return VersionCheck(notices=notices)
    key = grading[0]
    return VersionCheck(
        notices=notices,
        refusal=f"{key} {_text(base[1], key)} graded {base[0]!r}, {key} {_text(new[1], key)} "
        f"graded {new[0]!r}: the difference may be the {key}'s; grade both under one version, "
        "or compare all the same with --mixed-versions",
    )


def _differs(base: tuple[str, ...], new: tuple[str, ...]) -> bool:
    return base != new or len(base) > 1


def _is_grading(key: str) -> bool:
    return any(word in key.lower() for word in GRADING)


def _text(versions: Versions, key: str) -> str:
    values = versions.get(key, ())
    shown = ", ".join(values[:_SHOWN]) or "not recorded"
    return shown + (f" and {len(values) - _SHOWN} more" if len(values) > _SHOWN else "")


def _notice(key: str, base: tuple[str, Versions], new: tuple[str, Versions]) -> Notice:
    return Notice(
        code="versions_differ",
        message=f"versions differ: {key} {_text(base[1], key)} in {base[0]!r}, "
        f"{_text(new[1], key)} in {new[0]!r}; a difference may come from there",
        severity=Severity.WARNING,
    )
