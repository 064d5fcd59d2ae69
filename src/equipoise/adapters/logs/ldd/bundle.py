"""Reads an LDD bundle: per skill, the violated rubric items without and with the skill."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from equipoise.adapters.logs.json_text import BadJson, decode
from equipoise.adapters.logs.noticing import Noticer
from equipoise.adapters.logs.opened import chunks
from equipoise.adapters.logs.table.fields import text
from equipoise.errors import UnreadableSource
from equipoise.records.grade import Grade
from equipoise.records.notice import Headline
from equipoise.records.trial import Trial, trial_id

WITHOUT, WITH = "without skill", "with skill"
_MAX_BYTES = 64 * 1024 * 1024
_ROUNDING = 0.0006


def read_bundle(path: Path, noticer: Noticer) -> Iterator[Trial | Grade | Headline]:
    """Yields two trials per skill (loss = violated items / items) and the declared mean.

    Raises:
        UnreadableSource: it is no bundle, or says itself that its figures are synthetic.
    """
    bundle = _bundle(path, noticer)
    reductions: list[float] = []
    for index, skill in enumerate(bundle["per_skill"]):
        where = f"{path.name}:per_skill[{index}]"
        counts = _counts(skill)
        if counts is None:
            noticer.refused("bad_skill", "a skill without name or counts", where)
            continue
        name, red, green, items = counts
        reductions.append((red - green) / items)
        declared = (skill.get("delta_normalized"), f"reduction/{name}", where)
        yield from _headline(declared, reductions[-1:], noticer)
        status = text(skill.get("status"))
        for arm, violated in ((WITHOUT, red), (WITH, green)):
            trial = trial_id(name, arm, None, 1, 1)
            yield Trial(
                id=trial,
                unit=name,
                arm=arm,
                labels={"status": status} if status else {},
                source=where,
            )
            yield Grade(trial=trial, value=violated / items)
    declared = (bundle.get("bundle_mean"), "mean_reduction", path.name)
    yield from _headline(declared, reductions, noticer)


def _bundle(path: Path, noticer: Noticer) -> dict[str, Any]:
    held = b""
    for piece in chunks(path, noticer):
        held += piece
        if len(held) > _MAX_BYTES:
            raise UnreadableSource(f"{path.name} is too large for a bundle", code="no_ldd")
    try:
        found = decode(held).value
    except BadJson as error:
        raise UnreadableSource(f"{path.name} is no JSON: {error}", code="bad_json") from error
    if isinstance(found, dict) and "synthetic" in str(found.get("data_mode", "")):
        raise UnreadableSource(
            f"{path.name} says that its figures are synthetic",
            wanted="measured losses",
            code="synthetic",
        )
    if not isinstance(found, dict) or not isinstance(found.get("per_skill"), list):
        raise UnreadableSource(
            f"{path.name} is no LDD bundle (it has no list 'per_skill')",
            wanted="aggregate.json or a trace.log",
            code="no_ldd",
        )
    return found


def _counts(skill: Any) -> tuple[str, float, float, float] | None:
    if not isinstance(skill, dict):
        return None
    name = text(skill.get("name"))
    numbers = [skill.get(key) for key in ("red", "green", "rubric_max")]
    if name is None or not all(
        isinstance(n, int | float) and not isinstance(n, bool) for n in numbers
    ):
        return None
    red, green, items = (float(n) for n in numbers if n is not None)
    return (name, red, green, items) if 0 <= red <= items and 0 <= green <= items > 0 else None


def _headline(
    declared: tuple[Any, str, str], reductions: list[float], noticer: Noticer
) -> Iterator[Headline]:
    """The declared mean reduction of the loss, checked against the counts."""
    value, metric, where = declared
    if not isinstance(value, int | float) or isinstance(value, bool) or not reductions:
        return
    if not math.isfinite(value):
        value = math.nan
    yield Headline(metric=metric, value=None if math.isnan(value) else float(value), where=where)
    mean = sum(reductions) / len(reductions)
    if not abs(value - mean) <= _ROUNDING:
        noticer.warn(
            "headline_does_not_follow",
            f"{metric} is declared as {value:g}, the counts give {mean:.4g}",
            where,
        )
