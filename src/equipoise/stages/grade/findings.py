"""Reads what reviewers and model judges found: ``findings/*.jsonl``, one finding on each line."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from equipoise.errors import InputError, nearest
from equipoise.records.catalog import MODEL_JUDGED, Catalog
from equipoise.records.roles import efficiency_fields

_FIELDS: dict[str, type | tuple[type, ...]] = {
    "trial": str,
    "unit": str,
    "repetition": int,
    "arm": str,
    "category": str,
    "raw": (int, float),
    "rater": str,
    "log": str,
    "line": int,
    "quote": str,
    "about": str,
}
_MOST_TOLD = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one rater found in one trial under one category; `where` is the line it stands on.

    `note` is kept with the grade: the counts behind a value. `is_simulated`: a stand-in found it.
    """

    trial: str
    category: str
    raw: float
    rater: str
    where: str
    log: str = ""
    line: int | None = None
    quote: str = ""
    note: str = ""
    is_simulated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """The trials of a study: trial id -> arm, and unit, repetition and arm -> trial id.

    `arms` are the arms that have trials.
    """

    arms: tuple[str, ...]
    arm_of: Mapping[str, str]
    trial_of: Mapping[tuple[str, int, str], str]


def read_findings(
    files: Iterable[tuple[str, bytes]], catalog: Catalog, known: Known
) -> list[Finding]:
    """Gives all findings in order.

    Args:
        files: name and bytes of each file.
        catalog: the catalog whose categories they name.
        known: the trials there are.

    Raises:
        InputError: a line is no finding: no JSON, a field that is unknown, missing or wrong, a
            weight (weights stand in the catalog and nowhere else), a trial or category that there
            is not, or one that is found by a check. All such lines are named at once.
    """
    found: list[Finding] = []
    faults: list[str] = []
    first: dict[tuple[str, str, str], str] = {}
    for name, content in files:
        for number, line in enumerate(content.split(b"\n"), start=1):
            if not line.strip():
                continue
            where = f"{name}:{number}"
            record, told = _parsed(line)
            if record is not None:
                told = [*_field_faults(record), *_category_faults(record, catalog)]
                trial, why = _trial(record, known)
                told += [why] if why else []
            faults += [f"{where}: {fault}" for fault in told]
            if record is None or told:
                continue
            finding = _finding(record, trial, where)
            key = (finding.trial, finding.category, finding.rater)
            if first.setdefault(key, where) != where:
                faults.append(
                    f"{where}: rater {finding.rater!r} has said this of the trial at {first[key]} "
                    "already; one finding for each rater, trial and category"
                )
            found.append(finding)
    if faults:
        more = len(faults) - _MOST_TOLD
        told = faults[:_MOST_TOLD] + ([f"and {more} more"] if more > 0 else [])
        raise InputError(
            f"{len(faults)} faults in the findings:" + "".join(f"\n  {fault}" for fault in told),
            wanted="records as docs/reference/checks.md has them",
            code="findings",
        )
    return found


def _parsed(line: bytes) -> tuple[dict[str, Any] | None, list[str]]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None, ["no JSON"]
    if not isinstance(record, dict):
        return None, ["no JSON object"]
    return record, []


def _field_faults(record: dict[str, Any]) -> list[str]:
    told = []
    for field, value in record.items():
        if field == "weight":
            told.append(
                "a field 'weight': a reviewer assigns categories, never weights; they stand in the "
                "catalog; mend: leave it out"
            )
        elif field not in _FIELDS and efficiency_fields({field: value}):
            told.append(
                f"a field {field!r}: a rater says how good an output is, the runner what it took "
                "to make; mend: leave it out"
            )
        elif field not in _FIELDS:
            hint = nearest(field, list(_FIELDS)) or f"the fields are {', '.join(_FIELDS)}"
            told.append(f"no field {field!r}; {hint}")
        elif isinstance(value, bool) or not isinstance(value, _FIELDS[field]):
            told.append(f"{field} is {value!r}"[:120])
    told += [f"{field} is missing" for field in ("category", "raw", "rater") if field not in record]
    raw = record.get("raw")
    if isinstance(raw, int | float) and not 0 <= raw < float("inf"):
        told.append(f"raw is {raw}; wanted a number, 0 or more")
    if isinstance(raw, int | float) and raw > 0:
        told += [
            f"{f} is missing: a finding is quoted" for f in ("log", "quote") if f not in record
        ]
    if record.get("rater") == "":
        told.append("rater is empty")
    if isinstance(record.get("line"), int) and record["line"] < 1:
        told.append("line is below 1")
    return told


def _category_faults(record: dict[str, Any], catalog: Catalog) -> list[str]:
    name = record.get("category")
    if not isinstance(name, str):
        return []
    for category in catalog.categories:
        if category.id == name:
            if category.type != MODEL_JUDGED and category.check:
                return [f"category {name!r} is found by its check, not by reviewers"]
            return []
    names = [category.id for category in catalog.categories]
    hint = nearest(name, names) or f"catalog {catalog.version} has {', '.join(names)}"
    return [f"no category {name!r}; {hint}"]


def _trial(record: dict[str, Any], known: Known) -> tuple[str, str]:
    """Gives the trial that a finding is about, or what is wrong with how it says so."""
    trial, unit = record.get("trial"), record.get("unit")
    if (trial is None) == (unit is None):
        return "", "wanted one of trial, or unit with its repetition"
    if trial is not None:
        if trial in known.arm_of:
            return str(trial), ""
        return "", f"no trial {trial!r} in the study's archives"
    arm = record.get("arm", known.arms[0] if len(known.arms) == 1 else None)
    if arm is None:
        return "", f"which arm? wanted arm, one of {', '.join(known.arms)}"
    key = (str(unit), record.get("repetition", 1), str(arm))
    found = known.trial_of.get(key) if isinstance(key[1], int) else None
    if found is None:
        return "", f"no trial of unit {unit!r}, repetition {key[1]}, arm {arm!r}"
    return found, ""


def _finding(record: dict[str, Any], trial: str, where: str) -> Finding:
    return Finding(
        trial=trial,
        category=record["category"],
        raw=float(record["raw"]),
        rater=record["rater"],
        where=where,
        log=record.get("log", ""),
        line=record.get("line"),
        quote=record.get("quote", ""),
    )
