"""Trials with documents for the tests of the checks, and the grade that a check gives them."""

from typing import Any

from equipoise.records.brief import Brief
from equipoise.records.codec import digest
from equipoise.records.grade import Evidence, Grade
from equipoise.records.holdout import Holdout
from equipoise.records.plan import Mode
from equipoise.records.trial import Trial
from equipoise.stages.grade.checking import grade_category, ready, record_page
from equipoise.stages.grade.material import Material, Stored
from equipoise.stages.grade.programs import Programs
from stages.grade.made_catalogs import catalog, category


def stored(name: str, content: bytes) -> Stored:
    return Stored(name=name, sha256=digest(content), read=lambda: content)


def material(
    documents: dict[str, str | bytes] | None = None,
    *,
    expected: dict[str, Any] | None = None,
    outages: dict[str, str] | None = None,
    may_quote: bool = True,
    programs: Programs | None = None,
    **trial: Any,
) -> Material:
    """A trial with these documents; texts are UTF-8."""
    held = {
        name: stored(name, content.encode() if isinstance(content, str) else content)
        for name, content in (documents or {}).items()
    }
    return Material(
        trial=Trial(**({"id": "t1", "unit": "u1", "arm": "new"} | trial)),
        documents=held,
        brief=Brief(unit="u1", content={"text": "please"}, labels={}),
        holdout=Holdout(unit="u1", expected=expected or {}, may_quote=may_quote),
        outages=outages or {},
        programs=programs,
    )


def grade(check: dict[str, Any], made: Material, *, mode: Mode = Mode.A, **fields: Any) -> Grade:
    """What the trial is worth in a category with this check; every quote is looked up."""
    (only,) = ready(catalog(category(check=check, **fields)))
    given = grade_category(only, made, mode)
    for place in given.evidence:
        assert bytes_of(place, made)[place.start : place.end] == place.quote.encode()
        lines = bytes_of(place, made)[: place.start].count(b"\n")
        assert place.line == lines + 1
    return given


def quotes(given: Grade) -> list[tuple[str, int | None, str]]:
    """Document, line and text of every quote of a grade."""
    return [(place.name, place.line, place.quote) for place in given.evidence]


def bytes_of(place: Evidence, made: Material) -> bytes:
    contents = [one.read() for one in made.documents.values()] + [record_page(made).content]
    return next(content for content in contents if digest(content) == place.document)
