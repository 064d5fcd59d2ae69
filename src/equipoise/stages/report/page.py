"""The report as one HTML file: no network, complete without scripts, everything foreign escaped."""

from equipoise.stages.report.absences import missing_section, unit_sets_section
from equipoise.stages.report.claims import claims_section, notices_section
from equipoise.stages.report.details import details_of
from equipoise.stages.report.estimands import estimands_section
from equipoise.stages.report.findings import findings_section, partitions_section
from equipoise.stages.report.fitting import GENEROUS_TO_BARE, Fitting, Limits
from equipoise.stages.report.forest import axis_of, describe
from equipoise.stages.report.frame import filled
from equipoise.stages.report.glossary import WORDS
from equipoise.stages.report.method import method_of
from equipoise.stages.report.numbers import plain
from equipoise.stages.report.reading import Reading
from equipoise.stages.report.resources import resources_section
from equipoise.stages.report.sentences import UNSAID, better_side, criterion_name
from equipoise.stages.report.shown import asked, show, tally, title
from equipoise.stages.report.steadiness import steadiness_section
from equipoise.stages.report.tables import Section

MOST_BYTES = 1_000_000
_CROWD = 4


def to_html(reading: Reading) -> bytes:
    """Gives index.html, smaller than a megabyte.

    What does not fit is counted where it is left out, with the file that holds it.
    """
    sections = _sections(reading)
    page = b""
    for limits in GENEROUS_TO_BARE:
        page = _page(reading, sections, limits)
        if len(page) < MOST_BYTES:
            break
    return page


def _sections(reading: Reading) -> list[Section]:
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
    return [section for section in sections if section]


def _page(reading: Reading, sections: list[Section], limits: Limits) -> bytes:
    axis, headline_axis = axis_of(reading, reading.rows), axis_of(reading, reading.headlines)
    drawn = reading.rows[: limits.n_comparisons]
    targets = {f"#{row.anchor}" for row in drawn}
    fitting = Fitting(limits=limits, targets=targets)
    return filled(
        "page.html.j2",
        reading=reading,
        file=reading.result.file,
        tool_version=reading.result.file.tool_version,
        terms=reading.terms,
        title=title(reading),
        criterion=criterion_name(reading.terms),
        direction=better_side(reading.terms),
        asked=asked(reading),
        headlines=[show(reading, row, headline_axis) for row in reading.headlines],
        headline_axis=headline_axis,
        is_crowded=len(reading.headlines) > _CROWD,
        headline_tally=tally(reading.headlines),
        tally=tally(tuple(row for row in reading.rows if not row.is_headline)),
        bars=[show(reading, row, axis) for row in drawn],
        n_beyond=len(reading.rows) - len(drawn),
        targets=targets,
        has_p_only=any(r.is_finding and r.comparison.interval is None for r in drawn),
        axis=axis,
        margin=plain(reading.terms.margin),
        equivalence=plain(reading.terms.equivalence),
        axis_text=describe(reading, axis),
        sections=[fitting.section(section) for section in sections],
        details=details_of(reading, fitting),
        method=method_of(reading),
        words=WORDS,
        unsaid=UNSAID,
    )
