"""The page of a history: one point per suite, broken where figures stop being comparable."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from equipoise.stages.report.frame import filled
from equipoise.stages.report.numbers import count, fixed, percent
from equipoise.stages.report.tables import Cell, Section, named, table
from equipoise.stages.report.text import label

_HEIGHT = 220.0
_TOP = 16.0
_BOTTOM = 28.0
_SURE = 1.96
_MOST_NAMED = 6
"""Points that are named where they stand; of more, on pointing at one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrendPoint:
    """One suite in a history.

    `score` and `se` are null where no score was reported. Two neighbours are comparable only if
    `catalog`, `mode`, `provenance` and `harness` agree.
    """

    date: str
    run_id: str
    arm: str
    catalog: str
    mode: str
    provenance: str
    harness: str
    score: float | None
    se: float | None
    completion: float
    n_listed: int | None

    @property
    def kind(self) -> tuple[str, str, str, str]:
        """Gives what must agree for two scores to be compared."""
        return (self.catalog, self.mode, self.provenance, self.harness)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """One point as drawn: place in percent of the width and in pixels, its bar, its text."""

    x: str
    y: str
    lo: str
    hi: str
    text: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """Neighbouring points that may be compared, and the segments that join them."""

    start: str
    title: str
    dots: tuple[Dot, ...]
    lines: tuple[tuple[str, str, str, str], ...]


def stretches(points: Sequence[TrendPoint]) -> list[list[TrendPoint]]:
    """Gives the points in runs of comparable neighbours; a change of kind begins a new run."""
    found: list[list[TrendPoint]] = []
    for point in points:
        if found and found[-1][-1].kind == point.kind:
            found[-1].append(point)
        else:
            found.append([point])
    return found


def to_trend_page(title: str, points: Sequence[TrendPoint], tool_version: str) -> bytes:
    """Gives history.html: the scores over time with their 95 % limits, and all rows as a table.

    Args:
        title: of the study.
        points: the history in order, oldest first.
        tool_version: of the program.
    """
    parts = stretches(points)
    top = _ceiling(points)
    order = {id(point): n for n, point in enumerate(points)}
    places = [_across(n, len(points)) for n in range(len(points))]
    drawn = [
        _stretch(part, [places[order[id(point)]] for point in part], top, is_first=n == 0)
        for n, part in enumerate(parts)
    ]
    return filled(
        "trend.html.j2",
        tool_version=tool_version,
        title=label(title, 160),
        stretches=drawn,
        n_points=len(points),
        n_without=sum(point.score is None for point in points),
        is_named=len(points) <= _MOST_NAMED,
        height=f"{_HEIGHT:.0f}",
        ticks=[(f"{_up(top * n / 4, top):.1f}", fixed(top * n / 4, 2)) for n in range(5)],
        section=_rows(points, parts),
    )


def _ceiling(points: Sequence[TrendPoint]) -> float:
    """Gives the top of the scale: a tenth that holds every point with its limits, at most 1."""
    highest = max(
        (p.score + _SURE * (p.se or 0.0) for p in points if p.score is not None), default=0.1
    )
    return min(1.0, max(0.1, -(-highest // 0.1) * 0.1))


def _across(n: int, n_points: int) -> float:
    return 8.0 + (88.0 * (n + 0.5) / n_points)


def _up(value: float, top: float) -> float:
    share = min(1.0, max(0.0, value / top))
    return _HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM)


def _stretch(
    part: Sequence[TrendPoint], places: Sequence[float], top: float, *, is_first: bool
) -> Stretch:
    half = places[1] - places[0] if len(places) > 1 else 0.0
    dots = [
        _dot(point, place, top)
        for point, place in zip(part, places, strict=True)
        if point.score is not None
    ]
    lines = tuple((a.x, a.y, b.x, b.y) for a, b in itertools.pairwise(dots))
    return Stretch(
        start="" if is_first else f"{places[0] - min(half / 2, 2.0) - 1.0:.2f}",
        title=label(f"{part[0].catalog}, mode {part[0].mode}, {part[0].provenance}", 60),
        dots=tuple(dots),
        lines=lines,
    )


def _dot(point: TrendPoint, place: float, top: float) -> Dot:
    assert point.score is not None
    half = _SURE * point.se if point.se is not None else 0.0
    known = f", 95 % ±{fixed(half, 3)}" if point.se is not None else ", no standard error"
    return Dot(
        x=f"{place:.2f}",
        y=f"{_up(point.score, top):.1f}",
        lo=f"{_up(point.score - half, top):.1f}",
        hi=f"{_up(point.score + half, top):.1f}",
        name=label(point.run_id, 28),
        text=f"{label(point.run_id)} on {label(point.date)}: loss {fixed(point.score, 3)}{known}",
    )


def _rows(points: Sequence[TrendPoint], parts: Sequence[Sequence[TrendPoint]]) -> Section:
    breaks = {id(part[0]) for part in parts[1:]}
    columns = ("Run", "Arm", "Date", "Catalog", "Mode", "#Score", "#Completed", "#Regressions")
    rows = [
        (
            named(point.run_id),
            named(point.arm),
            Cell(
                text=label(point.date),
                note="not comparable with the row before" if id(point) in breaks else "",
            ),
            Cell(text=label(point.catalog)),
            Cell(text=label(f"{point.mode}, {point.provenance}")),
            Cell(text="no score" if point.score is None else fixed(point.score, 3)),
            Cell(text=percent(point.completion)),
            Cell(text="not compared" if point.n_listed is None else count(point.n_listed)),
        )
        for point in points
    ]
    return Section(
        anchor="rows",
        title="Every suite",
        short="Suites",
        tables=(table("The history, oldest first", columns, rows),),
    )
