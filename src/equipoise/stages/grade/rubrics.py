"""Reads a rubric, whose criteria a test passes or fails, as a catalog; and says when it passes."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from equipoise.errors import InputError, nearest
from equipoise.records.catalog import DETERMINISTIC, MODEL_JUDGED, Catalog, Category
from equipoise.records.grade import Grade
from equipoise.stages.grade.deciding import undecidable

_VERSION = re.compile(r"v(?:0|[1-9][0-9]*)", re.ASCII)
_ID = re.compile(r"\w[\w.-]*")
_SCRIPT, _JUDGE = "deterministic", "llm-judge"
_TOP = ("version", "title", "criteria")
_KEYS = ("id", "description", "check", "weight", "applies_to", "policy")
_CHECK = ("type", "script", "judge_prompt", "lost_when", "metric", "over")


@dataclass(frozen=True, slots=True, kw_only=True)
class RubricOutcome:
    """What one trial came to under a rubric.

    `passes` says whether all criteria of weight 1 are met; null = one could not be evaluated and
    none is failed. `n_violations` counts violations of policy: with any, the arm is disqualified on
    the test, whether it passes or not.
    """

    passes: bool | None
    n_violations: int

    @property
    def is_disqualified(self) -> bool:
        """Says whether policy was violated."""
        return self.n_violations > 0


def is_rubric(parsed: Mapping[str, Any]) -> bool:
    """Says whether the JSON of a catalog's file is a rubric."""
    return "criteria" in parsed


def rubric_catalog(parsed: Mapping[str, Any], file: str) -> Catalog:
    """Gives the rubric as a catalog: a criterion that is not met is lost.

    Args:
        parsed: the JSON of the file.
        file: its name, for messages.

    Raises:
        InputError: it breaks a rule of a rubric; every fault is named at once.
    """
    faults = list(_faults(parsed))
    if faults:
        told = "; ".join(faults) if len(faults) == 1 else "".join(f"\n  {one}" for one in faults)
        count = "" if len(faults) == 1 else f"{len(faults)} faults:"
        raise InputError(f"{count}{told}", where=file, code="rubric")
    entries = [one for one in parsed["criteria"] if _weight(one) > 0]
    return Catalog(
        version=str(parsed.get("version", "v1")),
        categories=tuple(_category(one) for one in entries),
        is_rubric=True,
    )


def outcome(catalog: Catalog, grades: Mapping[str, Grade]) -> RubricOutcome:
    """Gives what a trial came to; `grades` by criterion.

    A criterion that does not apply to the trial's arm has no grade that counts.
    """
    met: list[bool | None] = []
    n_violations = 0
    for category in catalog.categories:
        grade = grades.get(category.id)
        if grade is not None and grade.not_evaluable == NOT_APPLIED:
            continue
        value = None if grade is None else grade.value
        if category.is_policy:
            n_violations += bool(value)
        elif category.weight == 1.0:
            met.append(None if value is None else value == 0.0)
    passes = False if False in met else None if None in met else True
    return RubricOutcome(passes=passes, n_violations=n_violations)


NOT_APPLIED = "the criterion is not for this arm"
"""Why a criterion with `applies_to` has no grade in another arm."""


def _faults(parsed: Mapping[str, Any]) -> Iterator[str]:
    for key in parsed.keys() - set(_TOP):
        yield f"{key} is no field of a rubric; {nearest(key, list(_TOP)) or f'wanted {_TOP}'}"
    version = parsed.get("version", "v1")
    if not isinstance(version, str) or not _VERSION.fullmatch(version):
        yield f"version is {version!r}; wanted 'v' and a number, such as 'v1'"
    entries = parsed["criteria"]
    if not isinstance(entries, list) or not entries:
        yield f"criteria is {_short(entries)}; wanted a list of at least one criterion"
        return
    first: dict[str, int] = {}
    for number, entry in enumerate(entries):
        where = f"criteria[{number}]"
        if not isinstance(entry, dict):
            yield f"{where} is {_short(entry)}; wanted an object"
            continue
        yield from _criterion(entry, where)
        name = str(entry.get("id"))
        if first.setdefault(name, number) != number:
            yield f"{where}.id {name!r} is that of criteria[{first[name]}] already"
    if not any(isinstance(one, dict) and _weight(one) > 0 for one in entries):
        yield "no criterion has a weight above 0; wanted one that decides"


def _criterion(entry: dict[str, Any], where: str) -> Iterator[str]:
    for key in entry.keys() - set(_KEYS):
        yield f"{where}.{key} is no field; {nearest(key, list(_KEYS)) or f'wanted {_KEYS}'}"
    name = entry.get("id")
    if not isinstance(name, str) or not _ID.fullmatch(name):
        yield f"{where}.id is {_short(name)}; wanted letters, digits, _ . -"
    if not isinstance(entry.get("description"), str) or not entry["description"].strip():
        yield f"{where}.description is missing"
    weight = _weight(entry)
    if not 0 <= weight <= 1:
        yield f"{where}.weight is {_short(entry.get('weight'))}; wanted 0 (diagnostic) to 1"
    arms = entry.get("applies_to", [])
    if not isinstance(arms, list) or not all(isinstance(arm, str) and arm for arm in arms):
        yield f"{where}.applies_to is {_short(arms)}; wanted a list of names of arms"
    if not isinstance(entry.get("policy", False), bool):
        yield f"{where}.policy is {_short(entry['policy'])}; wanted true or false"
    check = entry.get("check")
    if not isinstance(check, dict):
        yield f"{where}.check is {_short(check)}; wanted an object with type"
        return
    yield from _check(check, f"{where}.check", weight)


def _check(check: dict[str, Any], where: str, weight: float) -> Iterator[str]:
    for key in check.keys() - set(_CHECK):
        yield f"{where}.{key} is no field; {nearest(key, list(_CHECK)) or f'wanted {_CHECK}'}"
    kind = check.get("type")
    needed = {_SCRIPT: "script", _JUDGE: "judge_prompt"}
    if kind not in needed:
        hint = nearest(str(kind), list(needed))
        yield f"{where}.type is {_short(kind)}; wanted {_SCRIPT!r} or {_JUDGE!r}" + (
            f"; {hint}" if hint else ""
        )
        return
    own = needed[kind]
    other = next(key for key in needed.values() if key != own)
    if not isinstance(check.get(own), str) or not check[own].strip():
        yield f"{where}: {kind} without {own}; mend: write what finds the criterion"
    if check.get(other) is not None:
        yield f"{where}: {kind} with {other}; mend: leave it out, or null"
    if check.get("lost_when", "absent") not in {"absent", "found"}:
        yield f"{where}.lost_when is {_short(check['lost_when'])}; wanted 'absent' or 'found'"
    why = undecidable(str(check.get("metric") or ""), str(check.get("over") or ""))
    if why and weight > 0:
        yield f"{where}: {why}; mend: weight 0 keeps it as a diagnostic"


def _weight(entry: Mapping[str, Any]) -> float:
    weight = entry.get("weight", 1)
    if isinstance(weight, bool) or not isinstance(weight, int | float | Decimal):
        return -1.0
    return float(weight)


def _category(entry: Mapping[str, Any]) -> Category:
    check = entry["check"]
    is_script = check["type"] == _SCRIPT
    is_fault = check.get("lost_when", "absent") == "found"
    spec = {"script": check["script"], "lost_when": check.get("lost_when", "absent")}
    return Category(
        id=entry["id"],
        weight=_weight(entry),
        type=DETERMINISTIC if is_script else MODEL_JUDGED,
        max=1.0,
        check={"script": spec} if is_script else {},
        about=entry["description"] if is_script else check["judge_prompt"],
        is_wanted=not is_fault,
        is_policy=entry.get("policy", False),
        applies_to=tuple(entry.get("applies_to", ())),
    )


def _short(value: Any) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= 80 else f"{text[:77]}..."
