"""Lays out the forest plot: one scale for all rows, each position a share of the plot's width."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from equipoise.records.estimate import Interval
from equipoise.records.verdict import Word
from equipoise.stages.report.numbers import MINUS, fixed, plain, span
from equipoise.stages.report.reading import Reading, Row
from equipoise.stages.report.sentences import criterion_name, margins

_SHARE_KEPT = 0.7
_WIDE = 2.0
_PAD = 0.06


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """A place on the axis (percent of the width) and what is printed there."""

    at: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """The scale of the plot; all places are percents of its width.

    `band` is the equivalence band (start, width); `margins` the lines of the superiority margin,
    none where it is 0; `zero` the line of no difference.
    """

    lo: float
    hi: float
    ticks: tuple[Tick, ...]
    zero: str
    band: tuple[str, str]
    margins: tuple[str, ...]
    left: str
    right: str

    def at(self, value: float) -> str:
        """Gives the place of a value, kept inside the plot."""
        share = (value - self.lo) / (self.hi - self.lo)
        return f"{min(1.0, max(0.0, share)) * 100:.2f}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One interval on the plot: its ends, its point, and which of them run off the scale.

    `inner` holds the ends of the equivalence interval where that one decided. `text` says in words
    what the drawing shows.
    """

    lo: str
    hi: str
    inner: tuple[str, str] | None
    point: str
    has_interval: bool
    is_point_cut: bool
    is_cut_left: bool
    is_cut_right: bool
    text: str


def axis_of(reading: Reading, rows: Sequence[Row]) -> Axis:
    """Gives a scale that holds zero, the margins, all that was decided, and most other intervals.

    The widest of the undecided would squeeze the others; they are drawn up to the edge with an
    arrow, and their limits stand in print beside them.
    """
    terms = reading.terms
    lo, hi = _range(reading, rows)
    return scale(
        lo, hi, band=terms.equivalence, margin=terms.margin, is_less_better=reading.is_lower_better
    )


def scale(lo: float, hi: float, *, band: float, margin: float, is_less_better: bool) -> Axis:
    """Gives the scale from `lo` to `hi`, a little wider, with the band and the margins on it."""
    pad = (hi - lo) * _PAD
    lo, hi = lo - pad, hi + pad
    bare = Axis(lo=lo, hi=hi, ticks=(), zero="", band=("", ""), margins=(), left="", right="")
    step = _step(hi - lo)
    first, last = math.ceil(lo / step), math.floor(hi / step)
    places = max(0, -math.floor(math.log10(step)))
    ticks = tuple(
        Tick(at=bare.at(i * step), text=fixed(i * step, places, sign=True) if i else "0")
        for i in range(first, last + 1)
    )
    start, end = bare.at(-band), bare.at(band)
    return Axis(
        lo=lo,
        hi=hi,
        ticks=ticks,
        zero=bare.at(0.0),
        band=(start, f"{float(end) - float(start):.2f}"),
        margins=tuple(bare.at(m) for m in (-margin, margin)) if margin else (),
        left="better" if is_less_better else "worse",
        right="worse" if is_less_better else "better",
    )


def bar_of(reading: Reading, row: Row, axis: Axis) -> Bar | None:
    """Gives the bar of a comparison; None where it has no difference to draw.

    The bar is the deciding interval (simultaneous where the family is larger than one).
    """
    comparison = row.comparison
    if comparison.delta is None:
        return None
    interval = comparison.interval
    lo = interval.lo if interval else comparison.delta
    hi = interval.hi if interval else comparison.delta
    is_equivalent = row.verdict.word is Word.EQUIVALENT
    inner = comparison.interval_equivalence if is_equivalent else None
    return Bar(
        lo=axis.at(lo),
        hi=axis.at(hi),
        inner=(axis.at(inner.lo), axis.at(inner.hi)) if inner else None,
        point=axis.at(comparison.delta),
        has_interval=interval is not None,
        is_point_cut=not axis.lo <= comparison.delta <= axis.hi,
        is_cut_left=lo < axis.lo,
        is_cut_right=hi > axis.hi,
        text=_in_words(reading, row),
    )


def describe(reading: Reading, axis: Axis) -> str:
    """Says in words what the axis shows, for who cannot see it."""
    terms = reading.terms
    margin = f"; dashed lines at the margin ±{plain(terms.margin)}" if terms.margin else ""
    return (
        f"Difference in {criterion_name(terms)}, arm minus baseline, from {fixed(axis.lo, 2)} to "
        f"{fixed(axis.hi, 2)}. Left is {axis.left}, right is {axis.right}. A solid line at "
        f"0{margin}; the shaded band is the equivalence band ±{plain(terms.equivalence)}."
    )


def _in_words(reading: Reading, row: Row) -> str:
    comparison = row.comparison
    shown = span(comparison.delta, comparison.interval, marks=margins(reading.terms))
    if comparison.interval is None:
        return f"difference {shown.value}, no interval"
    side = _side(comparison.interval, reading)
    return f"difference {shown.value}, interval {shown.brackets}, {side}"


def _side(bar: Interval, reading: Reading) -> str:
    margin = reading.terms.margin
    beyond = f"the margin {plain(margin)}" if margin else "zero"
    if bar.lo > margin:
        return f"wholly above {beyond}"
    if bar.hi < -margin:
        return f"wholly below {MINUS if margin else ''}{beyond}".replace(
            f"{MINUS}the margin ", f"the margin {MINUS}"
        )
    band = reading.terms.equivalence
    if -band < bar.lo and bar.hi < band:
        return "inside the equivalence band"
    return "holds zero" if bar.lo <= 0 <= bar.hi else f"does not clear {beyond}"


def _range(reading: Reading, rows: Sequence[Row]) -> tuple[float, float]:
    terms = reading.terms
    edge = max(terms.margin, terms.equivalence)
    bars = [(row, row.comparison.interval) for row in rows if row.comparison.interval]
    decided = [i for row, i in bars if i and (row.is_headline or row.is_finding)]
    others = sorted((i for _, i in bars if i and i not in decided), key=lambda i: i.hi - i.lo)
    points = [
        row.comparison.delta
        for row in rows
        if row.comparison.delta is not None and (row.is_headline or row.is_finding)
    ]
    lo = min([-edge, *points, *(i.lo for i in decided)])
    hi = max([edge, *points, *(i.hi for i in decided)])
    wide = _WIDE * (hi - lo)
    n_kept = max(int(len(others) * _SHARE_KEPT), sum(i.hi - i.lo <= wide for i in others))
    lo = min([lo, *(i.lo for i in others[:n_kept])])
    hi = max([hi, *(i.hi for i in others[:n_kept])])
    return (lo, hi) if hi > lo else (-1.0, 1.0)


def _step(width: float) -> float:
    raw = width / 6
    power = 10.0 ** math.floor(math.log10(raw))
    return next(m * power for m in (1, 2, 5, 10) if m * power >= raw * (1 - 1e-12))
