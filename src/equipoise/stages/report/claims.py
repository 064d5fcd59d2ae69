"""What the sources say of themselves and does not follow, and what a reader must be told."""

from equipoise.records.counted import counted
from equipoise.records.notice import Notice, Severity
from equipoise.records.result import HeadlineCheck
from equipoise.stages.report.numbers import count, fixed
from equipoise.stages.report.reading import Reading
from equipoise.stages.report.sentences import UNSAID
from equipoise.stages.report.tables import Cell, Section, named, table
from equipoise.stages.report.text import label

_SEVEREST_FIRST = (Severity.LOST, Severity.REFUSED, Severity.WARNING, Severity.INFO)
_MEANS = {
    Severity.LOST: "could not be read",
    Severity.REFUSED: "refused as invalid",
    Severity.WARNING: "changes what may be concluded",
    Severity.INFO: "worth knowing",
}


def claims_section(reading: Reading) -> Section | None:
    """Sets each declared figure beside the same from the rows; None where nothing is declared."""
    checks = reading.result.estimates.headlines
    if not checks:
        return None
    wrong = [c for c in checks if c.follows is False]
    lead = (
        f"{counted(len(wrong), 'declared figure')} of {count(len(checks))} "
        f"{'does' if len(wrong) == 1 else 'do'} not follow from the rows. The rows are what is "
        "compared here."
        if wrong
        else "No declared figure contradicts its rows."
    )
    ordered = sorted(checks, key=lambda c: {False: 0, None: 1, True: 2}[c.follows])
    return Section(
        anchor="declared",
        title="Figures the sources declare",
        short="Declared",
        leads=(lead,),
        tables=(
            table(
                "Declared figures, checked against the rows",
                ("Figure", "Arm", "#Declared", "#From the rows", "Follows", "Where", "Note"),
                [_check_cells(check) for check in ordered],
            ),
        ),
    )


def notices_section(reading: Reading) -> Section | None:
    """Lists what was lost, refused, mended or found odd, gravest first; None where nothing was."""
    notices = reading.result.estimates.notices
    if not notices:
        return None
    ordered = sorted(notices, key=lambda n: _SEVEREST_FIRST.index(n.severity))
    return Section(
        anchor="notices",
        title="Notices about the sources",
        short="Notices",
        tables=(
            table(
                "Things that could not be read, were mended or found odd",
                ("Kind", "What", "Where", "#Times", "Code"),
                [_notice_cells(notice) for notice in ordered],
            ),
        ),
    )


def _check_cells(check: HeadlineCheck) -> tuple[Cell, ...]:
    headline = check.headline
    return (
        named(headline.metric),
        named(headline.arm) if headline.arm else Cell(text="the whole source"),
        Cell(text="not a number" if headline.value is None else fixed(headline.value, 4)),
        Cell(text=UNSAID if check.from_rows is None else fixed(check.from_rows, 4)),
        Cell(text={True: "yes", False: "no", None: "cannot be checked"}[check.follows]),
        Cell(text=label(headline.where, 80) if headline.where else "not recorded"),
        Cell(text=label(check.note, 300) if check.note else "none"),
    )


def _notice_cells(notice: Notice) -> tuple[Cell, ...]:
    return (
        Cell(text=f"{notice.severity}", note=_MEANS[notice.severity]),
        Cell(text=label(notice.message, 500)),
        Cell(text=label(notice.where, 80) if notice.where else "the whole source"),
        Cell(text=count(notice.count)),
        named(notice.code),
    )
