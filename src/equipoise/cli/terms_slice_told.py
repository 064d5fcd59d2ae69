"""A slice told in the terminal: lengths, echo, coverage and precision, what was left out."""

from collections.abc import Iterator

from equipoise.cli.terms_figures import share_told, tags_told
from equipoise.records.counted import counted
from equipoise.records.slice import LengthCoefficient, LengthRatio, Slice, TermFigure

_SHOWN = 12
_RECURRING = 8
"""Terms in two chapters or more that an evaluation of a memory needs."""


def told(found: Slice) -> str:
    """Gives the text that the command prints."""
    lines = [
        f"{found.folder}: {counted(len(found.chapters), 'chapter')}, corpus {found.corpus_sha256}",
        "",
    ]
    lines += [line for one in found.lengths for line in _length(one)]
    lines += _echo(found)
    lines += _figure("coverage", found.coverage, "due terms rendered", "not rendered", found)
    lines += _figure("precision", found.precision, "renderings due", "without a source", found)
    lines += _besides(found)
    return "\n".join(lines).rstrip() + "\n"


def _length(one: LengthCoefficient) -> Iterator[str]:
    yield f"length       {one.unit}, target / source: {_ratio(one.full)}"
    if one.clean.n_chunks != one.full.n_chunks:
        yield f"             without echo: {_ratio(one.clean)}"
    if one.far:
        yield f"             far from the other chapters: {_names(one.far)}"


def _ratio(one: LengthRatio) -> str:
    counts = f"{one.target:,} / {one.source:,}, {counted(one.n_chunks, 'chapter')}"
    if one.value is None:
        return f"not evaluable: {one.why}; {counts}"
    limits = (
        f"(no limits: {one.why})"
        if one.lo is None or one.hi is None
        else f"[{one.lo:.3f}, {one.hi:.3f}]"
    )
    return f"{one.value:.3f} {limits}, {counts}{tags_told(one.tags)}"


def _echo(found: Slice) -> Iterator[str]:
    if found.echo is not None:
        n = sum(bool(one.echo) for one in found.chapters)
        yield (
            f"echo         {n:,} of {counted(len(found.chapters), 'chapter')}: "
            f"{share_told(found.echo, '')}{tags_told(found.echo.tags)}"
        )
    if found.echo_why:
        yield f"             {found.echo_why}"
    for one in [one for one in found.chapters if one.echo][:_SHOWN]:
        yield f"             {one.name}: {one.echo}, {counted(len(one.cut), 'line')} cut"


def _figure(
    name: str, one: TermFigure | None, what: str, against: str, found: Slice
) -> Iterator[str]:
    head = f"{name:<12} "
    if one is None:
        yield f"{head}not evaluable: {found.terms_why}"
        return
    yield f"{head}{share_told(one.full, what)}{tags_told(one.full.tags)}"
    if any(chapter.echo for chapter in found.chapters):
        yield f"             without echo: {share_told(one.clean, what)}"
    if one.against:
        yield f"             {against}: {_names(one.against)}"


def _besides(found: Slice) -> Iterator[str]:
    yield ""
    if found.n_terms is not None and found.n_due is not None and found.n_recurring is not None:
        few = f" (a memory is evaluated on {_RECURRING} or more)"
        yield (
            f"{counted(found.n_terms, 'term')}, {found.n_due:,} due in a chapter, "
            f"{found.n_recurring:,} in two or more{few if found.n_recurring < _RECURRING else ''}"
        )
        yield f"morphology: {found.morphology or 'not asked; stored forms alone'}"
    if found.numbered_by == "order":
        yield "chapters are numbered in the order of their names: not each name has a number in it"
    for names, what in (
        (found.flagged, "renderings may be another word: covered, and not in the precision"),
        (found.without_target, "sources without a translation"),
        (found.without_source, "translations without a source"),
        (found.empty, "chapters without text on one side"),
        (found.ignored, "files belong to nothing"),
    ):
        if names:
            yield f"{len(names):,} {what}: {_names(names)}"


def _names(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - _SHOWN:,} more (--json)" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
