"""Amends a sealed study: dated, reasoned, appended, and shown in every report from then on."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
from pydantic import TypeAdapter, ValidationError

from equipoise.errors import InputError, nearest
from equipoise.pipeline.amendments import append_amendments, read_amendments
from equipoise.records.codec import encode
from equipoise.records.event import Amendment
from equipoise.records.plan import Plan
from equipoise.records.wanted import wanted
from equipoise.stages.plan.draft import BudgetDraft, StudyDraft
from equipoise.stats.power import least_units
from equipoise.studies.loss.promised import amended
from equipoise.studies.loss.sealed import sealed_plan

_FIELDS = {
    "mde": "mde",
    "rule": "rule",
    "paired": "paired",
    "double_rating": "double_rating_share",
    "title": "title",
    "question": "question",
}
"""Key of `study.yaml` -> field of the plan it changes."""

_LIMITS = ("max_usd", "max_minutes", "cell_timeout_s", "max_attempts", "concurrency")

AMENDABLE = (*_FIELDS, *_LIMITS)
"""What may be amended; for anything else a new study is begun."""


def amend_study(
    study: Path, *, reason: str, by: str, now: datetime, settings: Mapping[str, str] | None = None
) -> tuple[Amendment, ...]:
    """Appends an amendment for each setting, or a remark where there is none, and gives them.

    An amended mde changes `n_min` of every partition and the sample budget with it; units that
    were drawn stay drawn.

    Args:
        study: a sealed study folder.
        reason: why, in a sentence.
        by: who amends.
        now: the time.
        settings: key of `study.yaml` -> its new value as text.

    Raises:
        InputError: no reason, a key that may not be amended, or a value it cannot have.
        Blocked: the study is not sealed.
        Tampered: it was changed since.
    """
    if not reason.strip():
        raise InputError("an amendment without reason", wanted="--reason with a sentence")
    sealed, _, seal = sealed_plan(study)
    plan = amended(sealed, read_amendments(study, seal.plan_sha256))
    at = now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    changes: list[tuple[str, Any, Any]] = []
    for key, text in (settings or {}).items():
        for field, value in _changed(plan, key, text):
            changes.append((field, getattr(plan, field), value))
            plan = msgspec.structs.replace(plan, **{field: value})
    amendments = tuple(
        Amendment(
            at=at,
            by=by,
            reason=reason.strip(),
            field=field,
            was=encode(was).decode(),
            now=encode(value).decode(),
        )
        for field, was, value in changes
    ) or (Amendment(at=at, by=by, reason=reason.strip()),)
    append_amendments(study, seal.plan_sha256, amendments)
    return amendments


def _changed(plan: Plan, key: str, text: str) -> Iterator[tuple[str, Any]]:
    """Yields each field of the plan that a setting changes, with its new value."""
    key = key.removeprefix("budget.")
    if key in _LIMITS:
        value = _value(BudgetDraft, key, text)
        yield "limits", msgspec.structs.replace(plan.limits, **{key: value})
    elif key in _FIELDS:
        value = _value(StudyDraft, key, text)
        yield _FIELDS[key], getattr(value, "value", value)
        if key == "mde":
            partitions = tuple(
                msgspec.structs.replace(one, n_min=least_units(one.s, value))
                for one in plan.partitions
            )
            yield "partitions", partitions
            yield "sample_budget", sum(one.n_min for one in partitions)
    else:
        raise InputError(
            f"--set {key}",
            wanted=f"one of {', '.join(AMENDABLE)}",
            mend=nearest(key, list(AMENDABLE)) or "for anything else begin a new study",
        )


def _value(model: type[StudyDraft | BudgetDraft], key: str, text: str) -> Any:
    try:
        return TypeAdapter(model.model_fields[key].rebuild_annotation()).validate_python(text)
    except ValidationError as error:
        raise InputError(
            f"--set {key}={text}", wanted=wanted(error.errors(include_url=False)[0])
        ) from error
