"""The check `regex`: whether an expression is found in a document, and where."""

from functools import lru_cache
from typing import Any

import regex

from equipoise.errors import NotEstimable
from equipoise.stages.grade.check_specs import RegexSpec
from equipoise.stages.grade.finding import Found
from equipoise.stages.grade.json_queries import PATTERN_SECONDS
from equipoise.stages.grade.material import Material, page, values
from equipoise.stages.grade.quoting import MOST_QUOTES, cited, quoted
from equipoise.stages.grade.templates import as_literal, filled, has_places


def check_regex(spec: RegexSpec, material: Material) -> Found:
    """Gives 1 where the expression's presence, or absence, is the fault; the matches if counted.

    Raises:
        NotEstimable: there is no such document, the unit lacks what the expression names, or the
            expression takes too long.
    """
    seen = page(material, spec.document)
    pattern = spec.pattern
    if has_places(pattern):
        pattern = filled(pattern, values(material), as_literal)
    expression = _compiled(pattern, ignore_case=spec.ignore_case)
    try:
        if spec.count:
            spans = [m.span() for m in expression.finditer(seen.text, timeout=PATTERN_SECONDS)]
        else:
            first = expression.search(seen.text, timeout=PATTERN_SECONDS)
            spans = [first.span()] if first else []
    except TimeoutError as error:
        raise NotEstimable(
            f"the expression took more than {PATTERN_SECONDS:g} s in {spec.document}",
            code="pattern_timeout",
        ) from error
    places = tuple(place for span in spans[:MOST_QUOTES] for place in quoted(seen, *span))
    is_lost = bool(spans) == (spec.lost_when == "found")
    if not is_lost:
        return Found(raw=0.0, places=places)
    raw = float(len(spans)) if spec.count else 1.0
    return Found(raw=raw, places=places or cited(material, spec.cite, spec.document))


@lru_cache(maxsize=4096)
def _compiled(pattern: str, *, ignore_case: bool) -> Any:
    return regex.compile(pattern, regex.IGNORECASE if ignore_case else 0)
