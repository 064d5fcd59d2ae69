"""The report as one HTML file: no network, complete without scripts, everything foreign escaped."""

import base64
import hashlib
from collections import Counter
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined

from equipoise.records.estimate import Comparison
from equipoise.records.verdict import Word
from equipoise.stages.report.absences import missing_section, unit_sets_section
from equipoise.stages.report.claims import claims_section, notices_section
from equipoise.stages.report.details import details_of
from equipoise.stages.report.estimands import estimands_section
from equipoise.stages.report.findings import findings_section, partitions_section
from equipoise.stages.report.forest import Axis, Bar, axis_of, bar_of, describe
from equipoise.stages.report.glossary import WORDS
from equipoise.stages.report.method import method_of
from equipoise.stages.report.numbers import Span, count, counted, p_value, span
from equipoise.stages.report.reading import Reading, Row
from equipoise.stages.report.resources import resources_section
from equipoise.stages.report.sentences import (
    UNSAID,
    better_side,
    cell_name,
    criterion_name,
    is_paired,
    margins,
    missing_beside,
    needed,
    sentence,
)
from equipoise.stages.report.steadiness import steadiness_section
from equipoise.stages.report.text import label, visible

_ROOM = "equipoise.stages.report"
_MOST_BARS = 150
_GRAVEST_FIRST = (Word.WORSE, Word.BETTER, Word.EQUIVALENT, Word.CANNOT_TELL, Word.NOT_EVALUABLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One comparison as the page shows it in the verdicts and in the forest plot."""

    row: Row
    cell: str
    arm: str
    sentence: str
    needed: str
    missing: str
    n_units: str
    met: str
    span: Span
    inner: Span
    p: str
    bar: Bar | None


def to_html(reading: Reading) -> bytes:
    """Gives index.html."""
    axis, headline_axis = axis_of(reading, reading.rows), axis_of(reading, reading.headlines)
    sections = (
        findings_section(reading),
        partitions_section(reading),
        estimands_section(reading),
        unit_sets_section(reading),
        missing_section(reading),
        steadiness_section(reading),
        resources_section(reading),
        claims_section(reading),
        notices_section(reading),
    )
    script = _asset("open.js")
    page = (
        _environment()
        .get_template("page.html.j2")
        .render(
            reading=reading,
            file=reading.result.file,
            terms=reading.terms,
            title=visible(reading.result.file.title) or _title(reading),
            criterion=criterion_name(reading.terms),
            direction=better_side(reading.terms),
            headlines=[_shown(reading, row, headline_axis) for row in reading.headlines],
            headline_axis=headline_axis,
            tally=_tally(reading),
            bars=[_shown(reading, row, axis) for row in reading.rows[:_MOST_BARS]],
            n_bars_beyond=max(0, len(reading.rows) - _MOST_BARS),
            axis=axis,
            axis_text=describe(reading, axis),
            sections=[section for section in sections if section],
            details=details_of(reading),
            method=method_of(reading),
            words=WORDS,
            unsaid=UNSAID,
            style=_asset("page.css"),
            script=script,
            script_hash=_csp_hash(script),
        )
    )
    return page.encode(errors="replace")


def _shown(reading: Reading, row: Row, axis: Axis) -> Shown:
    comparison = row.comparison
    marks = margins(reading.terms)
    is_equivalent = row.verdict.word is Word.EQUIVALENT
    return Shown(
        row=row,
        cell=cell_name(row),
        arm=label(row.comparison.arm),
        sentence=sentence(reading, row),
        needed=needed(row),
        missing=missing_beside(row),
        n_units=_n_units(comparison),
        met=_met(comparison),
        span=span(comparison.delta, comparison.interval, marks=marks),
        inner=span(None, comparison.interval_equivalence if is_equivalent else None, marks=marks),
        p="" if comparison.adjusted_p is None else p_value(comparison.adjusted_p),
        bar=bar_of(reading, row, axis),
    )


def _n_units(comparison: Comparison) -> str:
    if is_paired(comparison):
        return count(comparison.n_pairs)
    return f"{count(comparison.n_units_base)} / {count(comparison.n_units_new)}"


def _met(comparison: Comparison) -> str:
    met = "paired" if is_paired(comparison) else "unpaired"
    clusters = comparison.n_clusters
    return f"{met}, {counted(clusters, 'cluster')}" if clusters else met


def _tally(reading: Reading) -> tuple[tuple[int, str], ...]:
    """Counts each word among the comparisons inside partitions."""
    told = Counter(row.verdict.word for row in reading.rows if not row.is_headline)
    return tuple((told[word], word.value) for word in _GRAVEST_FIRST if told[word])


def _title(reading: Reading) -> str:
    names = reading.terms.arms
    arms = label(names[0]) if len(names) == 1 else counted(len(names), "arm")
    return f"{arms} against {label(reading.terms.baseline)}"


def _csp_hash(script: str) -> str:
    digest = hashlib.sha256(script.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


@cache
def _asset(name: str) -> str:
    return files(_ROOM).joinpath("templates", name).read_text(encoding="utf-8").strip()


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader(_ROOM),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters["name"] = label
    environment.filters["visible"] = visible
    return environment
