"""The check `dom`: whether a page has elements that a CSS selector chooses."""

from itertools import islice

import regex

from equipoise.errors import NotEstimable
from equipoise.records.grade import Evidence
from equipoise.stages.grade.check_specs import DomSpec
from equipoise.stages.grade.finding import Found
from equipoise.stages.grade.json_queries import PATTERN_SECONDS
from equipoise.stages.grade.material import Material, Page, page, values
from equipoise.stages.grade.pages import MISSING, Element, can_read_pages, elements, escaped
from equipoise.stages.grade.quoting import MOST_QUOTES, cited, quoted
from equipoise.stages.grade.templates import as_literal, as_text, filled

MOST_ELEMENTS = 100_000


def check_dom(spec: DomSpec, material: Material) -> Found:
    """Gives 1 where such an element's presence, or absence, is the fault; their number if counted.

    Raises:
        NotEstimable: the libraries or the page are not there, the unit lacks what the selector
            names, or the page cannot be read.
    """
    if not can_read_pages():
        raise NotEstimable(MISSING, code="no_library")
    seen = page(material, spec.document)
    known = values(material)
    selector = filled(spec.selector, known, lambda value: escaped(as_text(value)))
    wanted = regex.compile(filled(spec.text, known, as_literal))
    try:
        found = [
            one
            for one in islice(elements(seen.text, selector), MOST_ELEMENTS)
            if not spec.text or wanted.search(one.text, timeout=PATTERN_SECONDS)
        ]
    except TimeoutError as error:
        raise NotEstimable(
            f"the expression took more than {PATTERN_SECONDS:g} s in {spec.document}",
            code="pattern_timeout",
        ) from error
    except ValueError as error:
        raise NotEstimable(f"{spec.document} cannot be asked: {error}", code="no_page") from error
    places = tuple(place for one in found[:MOST_QUOTES] for place in _quoted(seen, one))
    if bool(found) != (spec.lost_when == "found"):
        return Found(raw=0.0, places=places)
    raw = float(len(found)) if spec.count else 1.0
    return Found(raw=raw, places=places or cited(material, spec.cite, spec.document))


def _quoted(seen: Page, one: Element) -> tuple[Evidence, ...]:
    """Quotes the line of the element's start tag, or the element's beginning in a long line."""
    if one.start is None:
        return ()
    end = seen.text.find("\n", one.start)
    return quoted(seen, one.start, len(seen.text) if end < 0 else end)
