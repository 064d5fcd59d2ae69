"""Verbatim quotes: from a place in a document to evidence that anyone can look up."""

import regex

from equipoise.errors import NotEstimable
from equipoise.records.grade import Evidence
from equipoise.records.quote import place_of
from equipoise.stages.grade.json_queries import PATTERN_SECONDS
from equipoise.stages.grade.material import Material, Page, page, values
from equipoise.stages.grade.spec_base import Cite
from equipoise.stages.grade.templates import as_literal, filled

MOST_BYTES = 500
"""Longest quote, in bytes."""

MOST_QUOTES = 5
"""Most quotes that one grade carries."""

_SURROGATES = regex.compile(r"[\ud800-\udfff]+")


def quoted(seen: Page, start: int, end: int) -> tuple[Evidence, ...]:
    """Gives the evidence for a span of the page's text: its whole line where that is short.

    Empty where there is nothing to quote: an empty line, or bytes that are no UTF-8.

    Args:
        seen: the document.
        start: where the span begins, in characters of `seen.text`.
        end: where it ends.
    """
    text = seen.text
    left = text.rfind("\n", 0, start) + 1
    right = text.find("\n", max(start, end - 1))
    right = len(text) if right < 0 else right
    line = text[left:right]
    if line.strip() and len(line.encode("utf-8", "surrogateescape")) <= MOST_BYTES:
        start, end = left + len(line) - len(line.lstrip()), right - len(line) + len(line.rstrip())
    return exactly(seen, start, end)


def line_quoted(seen: Page, number: int) -> tuple[Evidence, ...]:
    """Gives the evidence for a line, counted from 1; empty where the page has no such line."""
    start = 0
    for _ in range(number - 1):
        start = seen.text.find("\n", start) + 1
        if start == 0:
            return ()
    end = seen.text.find("\n", start)
    return quoted(seen, start, len(seen.text) if end < 0 else end)


def last_line(seen: Page) -> tuple[Evidence, ...]:
    """Gives the evidence for the last line with anything in it."""
    end = len(seen.text.rstrip())
    if end == 0:
        return ()
    start = seen.text.rfind("\n", 0, end) + 1
    return quoted(seen, start, end)


def cited(material: Material, cite: Cite | None, document: str = "") -> tuple[Evidence, ...]:
    """Gives what to quote where a check has no place of its own: where something is absent.

    The place that `cite` names comes first, then the last line of the check's own document. Empty
    where neither has anything in it; the archived record of the trial is quoted then.
    """
    for name, pattern in ((cite.document, cite.pattern) if cite else ("", ""), (document, "")):
        if not name:
            continue
        try:
            seen = page(material, name)
        except NotEstimable:
            continue
        found = _matching_line(material, seen, pattern) or last_line(seen)
        if found:
            return found
    return ()


def stands(evidence: Evidence, content: bytes) -> bool:
    """Says whether the bytes at the evidence's place in its document are those of its quote."""
    return content[evidence.start : evidence.end] == evidence.quote.encode() != b""


def find_quote(seen: Page, quote: str, line: int | None) -> Evidence | None:
    """Gives the evidence for a quote that somebody else names; null where it does not stand there.

    Args:
        seen: the document.
        quote: the quote, verbatim.
        line: the line in which it begins, from 1; null = anywhere.
    """
    place = place_of(seen.content, quote, line)
    if place is None or place[1] - place[0] > MOST_BYTES * 8:
        return None
    start, end, number = place
    return Evidence(
        document=seen.sha256, start=start, end=end, quote=quote, name=seen.name, line=number
    )


def _matching_line(material: Material, seen: Page, pattern: str) -> tuple[Evidence, ...]:
    if not pattern:
        return ()
    expression = regex.compile(filled(pattern, values(material), as_literal))
    try:
        found = expression.search(seen.text, timeout=PATTERN_SECONDS)
    except TimeoutError:
        return ()
    return quoted(seen, *found.span()) if found else ()


def exactly(seen: Page, start: int, end: int) -> tuple[Evidence, ...]:
    """Gives the span as evidence, shortened to `MOST_BYTES` and to what is UTF-8."""
    text = seen.text[start:end]
    if not seen.text.isascii():
        piece = max(_SURROGATES.splititer(text), key=len)
        start += text.index(piece)
        text = piece
    text = text.encode()[:MOST_BYTES].decode(errors="ignore")
    if not text.strip():
        return ()
    at = start if seen.text.isascii() else len(seen.text[:start].encode("utf-8", "surrogateescape"))
    return (
        Evidence(
            document=seen.sha256,
            start=at,
            end=at + len(text.encode()),
            quote=text,
            name=seen.name,
            line=seen.content.count(b"\n", 0, at) + 1,
        ),
    )
