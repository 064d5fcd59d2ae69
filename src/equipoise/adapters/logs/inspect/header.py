"""What an Inspect log says about itself: task, model, status, and the metrics it declares."""

import math
from dataclasses import dataclass, field
from typing import Any

from equipoise.adapters.logs.table.fields import text


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One declared figure of one scorer; null where the log says NaN."""

    scorer: str
    name: str
    value: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The head of an Inspect log, of any version."""

    version: int | None = None
    status: str = ""
    task: str = ""
    model: str = ""
    n_total: int | None = None
    n_completed: int | None = None
    metrics: tuple[Metric, ...] = ()
    scorers: tuple[str, ...] = ()
    total_tokens: dict[str, int] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    is_invalidated: bool = False


def header_of(log: dict[str, Any]) -> Header:
    """Gives the head out of ``header.json``, ``_journal/start.json`` or the top of a JSON log."""
    spec, results = _object(log.get("eval")), _object(log.get("results"))
    metrics = tuple(_metrics(results))
    packages = _object(spec.get("packages"))
    versions = {text(name) or "?": text(value) or "" for name, value in packages.items()}
    if spec.get("task_version") is not None:
        versions["task"] = text(spec["task_version"]) or ""
    return Header(
        version=_whole(log.get("version")),
        status=text(log.get("status")) or "",
        task=text(spec.get("task")) or "",
        model=text(spec.get("model")) or "",
        n_total=_whole(results.get("total_samples")),
        n_completed=_whole(results.get("completed_samples")),
        metrics=metrics,
        scorers=tuple(dict.fromkeys(m.scorer for m in metrics)) or tuple(_planned(spec)),
        total_tokens=_tokens(_object(_object(log.get("stats")).get("model_usage"))),
        versions=versions,
        is_invalidated=log.get("invalidated") is True,
    )


def _metrics(results: dict[str, Any]) -> list[Metric]:
    """Both forms: a list of scores (version 2), one scorer with its metrics beside (version 1)."""
    listed = results.get("scores")
    if not isinstance(listed, list):
        scorer = text(_object(results.get("scorer")).get("name")) or ""
        return _of_scorer(scorer, _object(results.get("metrics")))
    found: list[Metric] = []
    for score in map(_object, listed):
        name = text(score.get("name")) or text(score.get("scorer")) or ""
        reducer = text(score.get("reducer"))
        name = f"{name}[{reducer}]" if reducer and len(listed) > 1 else name
        found += _of_scorer(name, _object(score.get("metrics")))
    return found


def _of_scorer(scorer: str, metrics: dict[str, Any]) -> list[Metric]:
    return [
        Metric(scorer=scorer, name=text(name) or "?", value=_figure(_object(metric).get("value")))
        for name, metric in metrics.items()
    ]


def _planned(spec: dict[str, Any]) -> list[str]:
    listed = spec.get("scorers")
    names = [text(_object(s).get("name")) for s in listed] if isinstance(listed, list) else []
    return [name for name in names if name]


def _tokens(usage: dict[str, Any]) -> dict[str, int]:
    totals = {
        text(model) or "?": _whole(_object(u).get("total_tokens")) for model, u in usage.items()
    }
    return {model: total for model, total in totals.items() if total is not None}


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _figure(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:
        return None
