"""Amends a sealed rating study: a remark, or another threshold than the one that was locked."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

import msgspec

from equipoise.archive.durable import replace_file
from equipoise.archive.manifest import PLAN
from equipoise.errors import Blocked, InputError, as_word
from equipoise.pipeline.amendments import append_amendments
from equipoise.records.codec import decode, digest, pretty
from equipoise.records.event import Amendment
from equipoise.records.validation import LockedThreshold
from equipoise.studies.rating.reading import SEAL, THRESHOLD

_KEY = "threshold."


def amend_rating(
    study: Path, *, reason: str, by: str, now: datetime, settings: Mapping[str, str]
) -> tuple[Amendment, ...]:
    """Appends what is amended; a threshold is changed in its file as well.

    Args:
        study: the folder of a sealed rating study.
        reason: why, in a sentence.
        by: who amends.
        now: the time.
        settings: ``threshold.AXIS`` -> the new threshold; none for a remark.

    Raises:
        Blocked: the study is not sealed, or no threshold was locked.
        InputError: no reason, another key, an axis without a threshold, or no number from 0 to 1.
        Tampered: earlier amendments were changed.
    """
    if not reason.strip():
        raise InputError("an amendment without reason", wanted="--reason with a sentence")
    if not study.joinpath(SEAL).is_file():
        raise Blocked(f"{study} is not sealed; mend: change study.yaml and plan it again")
    plan_sha256 = digest(study.joinpath(PLAN).read_bytes())
    at = now.strftime("%Y-%m-%dT%H:%M:%SZ")
    if not settings:
        made = (Amendment(at=at, by=by, reason=reason),)
        append_amendments(study, plan_sha256, made)
        return made
    path = study / THRESHOLD
    if not path.is_file():
        raise Blocked(
            f"{study} has no {THRESHOLD}; mend: equipoise compare {as_word(study)} locks one"
        )
    held = {one.axis: one for one in decode(path.read_bytes(), tuple[LockedThreshold, ...])}
    found = []
    for key, text in settings.items():
        axis = key.removeprefix(_KEY)
        if not key.startswith(_KEY) or axis not in held:
            raise InputError(
                f"--set {key}",
                wanted=f"one of {', '.join(_KEY + name for name in sorted(held))}",
                mend="what else the plan says of a rating study is changed by a new plan",
                code="not_amendable",
            )
        s = _share(key, text)
        was = held[axis].s
        found.append(Amendment(at=at, by=by, reason=reason, field=key, was=repr(was), now=repr(s)))
        held[axis] = msgspec.structs.replace(held[axis], s=s)
    append_amendments(study, plan_sha256, found)
    replace_file(path, pretty(tuple(held.values())))
    return tuple(found)


def _share(key: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= 1.0:
        raise InputError(f"--set {key}={text}", wanted="a number from 0 to 1", code="not_a_share")
    return value
