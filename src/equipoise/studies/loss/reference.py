"""The frozen reference set: trials whose values are known, graded again before every grading."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from equipoise.errors import Blocked, InputError, Tampered
from equipoise.records.brief import Brief
from equipoise.records.catalog import Catalog
from equipoise.records.codec import digest
from equipoise.records.holdout import Holdout
from equipoise.records.plan import Mode, Plan
from equipoise.records.trial import Trial
from equipoise.stages.grade.checking import grade_trial, ready
from equipoise.stages.grade.material import Material, Stored
from equipoise.stages.grade.programs import Programs

_FIELDS = {"id", "documents", "raw", "expected", "brief", "labels", "exit_code"}
_NEAR = 1e-9
_MOST_TOLD = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One trial of the set: what its checks see, and its raw value in some categories.

    `raw` is null in a category that has to be not evaluable.
    """

    id: str
    where: str
    material: Material
    raw: Mapping[str, float | None]


def check_reference(root: Path, plan: Plan, catalog: Catalog) -> int:
    """Grades the plan's reference set and gives how many values are as they were frozen.

    Nothing is checked (0) where the plan has no such set, or the catalog none of its categories.
    Categories that raters find are left out.

    Raises:
        Blocked: the file is not there, or a value has drifted: the same documents are worth
            something else than when the set was frozen, so that no score would be comparable.
        Tampered: the file is not the one that was sealed.
        InputError: a line is no example.
    """
    if not plan.reference_set:
        return 0
    path = root / plan.reference_set
    try:
        content = path.read_bytes()
    except OSError as error:
        raise Blocked(
            f"the reference set {path} cannot be read: {error.strerror}; mend: put it back"
        ) from error
    if digest(content) != plan.reference_sha256:
        raise Tampered(
            f"the reference set {path} was changed after sealing: its sha256 is "
            f"{digest(content)[:16]}…, sealed was {plan.reference_sha256[:16]}…; mend: put the "
            "sealed file back; a new reference set is a new plan"
        )
    with Programs(root) as programs:
        examples = list(_examples(content, plan.reference_set, programs))
        n_same, drifts = _held(examples, catalog)
    if drifts:
        more = len(drifts) - _MOST_TOLD
        told = "".join(f"\n  {drift}" for drift in drifts[:_MOST_TOLD])
        raise Blocked(
            f"the reference set has drifted: {len(drifts)} of {len(drifts) + n_same} values are "
            f"not what they were when it was frozen:{told}"
            + (f"\n  and {more} more" if more > 0 else "")
            + "\nnothing is graded; mend: undo what changed in the checks or their programs, or "
            "plan anew with a reference set frozen under the new ones"
        )
    return n_same


def _held(examples: list[Example], catalog: Catalog) -> tuple[int, list[str]]:
    checks = {check.category.id: check for check in ready(catalog)}
    n_same, drifts = 0, []
    for example in examples:
        wanted = {name: raw for name, raw in example.raw.items() if name in checks}
        found = grade_trial(tuple(checks[name] for name in wanted), example.material, Mode.A)
        for name, raw in wanted.items():
            largest = checks[name].category.max
            value = None if raw is None else min(raw, largest) / largest
            given = found[name].value
            if value is None or given is None:
                is_same = value is given
            else:
                is_same = abs(value - given) <= _NEAR
            n_same += is_same
            if not is_same:
                now = f"{given:g}" if given is not None else found[name].not_evaluable
                was = f"{value:g}" if value is not None else "not evaluable"
                drifts.append(f"{example.where}: {example.id}, {name}: was {was}, is {now}")
    return n_same, drifts


def _examples(content: bytes, name: str, programs: Programs) -> Iterator[Example]:
    for number, line in enumerate(content.split(b"\n"), start=1):
        if line.strip():
            yield _example(line, f"{name}:{number}", programs)


def _example(line: bytes, where: str, programs: Programs) -> Example:
    try:
        record: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise _refused(where, "no JSON") from error
    if not isinstance(record, dict):
        raise _refused(where, "no JSON object")
    fault = next(_faults(record), "")
    if fault:
        raise _refused(where, fault)
    trial = Trial(
        id=str(record["id"]),
        unit=str(record["id"]),
        arm="reference",
        exit_code=record.get("exit_code"),
        labels=record.get("labels", {}),
    )
    documents = {key: _stored(key, text.encode()) for key, text in record["documents"].items()}
    return Example(
        id=trial.id,
        where=where,
        raw=record["raw"],
        material=Material(
            trial=trial,
            documents=documents,
            brief=Brief(unit=trial.unit, content=record.get("brief", {}), labels=trial.labels),
            holdout=Holdout(unit=trial.unit, expected=record.get("expected", {})),
            programs=programs,
        ),
    )


def _faults(record: dict[str, Any]) -> Iterator[str]:
    yield from (f"no field {key!r}" for key in record.keys() - _FIELDS)
    yield from (f"{key} is missing" for key in ("id", "documents", "raw") if key not in record)
    for key in ("documents", "raw", "expected", "brief", "labels"):
        if not isinstance(record.get(key, {}), dict):
            yield f"{key} is {record[key]!r}; wanted an object"[:200]
            return
    if not all(isinstance(text, str) for text in record.get("documents", {}).values()):
        yield "documents holds something that is no text"
    for key, raw in record.get("raw", {}).items():
        if raw is not None and (isinstance(raw, bool) or not isinstance(raw, int | float)):
            yield f"raw.{key} is {raw!r}; wanted a number or null"[:200]


def _stored(name: str, content: bytes) -> Stored:
    return Stored(name=name, sha256=digest(content), read=lambda: content)


def _refused(where: str, fault: str) -> InputError:
    return InputError(
        fault,
        wanted='{"id", "documents": {name: text}, "raw": {category: number or null}, ...}',
        where=where,
        code="reference",
    )
