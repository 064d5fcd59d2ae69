"""Makes foreign text safe to look at: nothing unseen, nothing turned around, nothing endless."""

import json
import re

from equipoise.records.codec import digest
from equipoise.records.unseen import UNSEEN

ELLIPSIS = "…"
NAME_LIMIT = 64
QUOTE_LIMIT = 400

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_FIRST_ISOLATE, _END_ISOLATE = "\u2068", "\u2069"
_UNSEEN_IN_LINES = re.compile(f"(?![\n\t]){UNSEEN.pattern}")
_RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
_STACKED = re.compile("[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]{4,}")


def visible(text: str) -> str:
    """Gives the text with each unseen character spelt out, ``⟨U+202E⟩``.

    Spelt out are control characters, line ends, direction overrides, zero-width characters, lone
    surrogates and stacks of four or more combining marks. Two different texts stay different.
    """
    return _STACKED.sub(_spell_all, UNSEEN.sub(_spell, text))


def visible_lines(text: str) -> str:
    """Gives the text as `visible` does, with its line ends and tabs kept (for quotes)."""
    return _STACKED.sub(_spell_all, _UNSEEN_IN_LINES.sub(_spell, text.replace("\r\n", "\n")))


def shorten(text: str, limit: int = NAME_LIMIT) -> str:
    """Gives at most `limit` characters: head, ellipsis, tail, and a mark of the full text's hash.

    The mark keeps two long names apart that begin and end alike. Short text comes back unchanged.
    """
    if len(text) <= limit:
        return text
    mark = f" #{digest(text.encode(errors='surrogatepass'))[:8]}"
    room = limit - len(mark) - len(ELLIPSIS)
    tail = room // 3
    return f"{text[: room - tail]}{ELLIPSIS}{text[len(text) - tail :]}{mark}"


def label(text: str, limit: int = NAME_LIMIT) -> str:
    """Gives an id or name as it is shown inside a sentence: visible, short, direction kept in."""
    return isolated(shorten(visible(text), limit)) if text else "(empty name)"


def xml_text(text: str) -> str:
    """Gives the text with a replacement character for each that no XML document may hold."""
    return _NOT_XML.sub("\ufffd", text)


def quoted(text: str) -> str:
    """Gives the text in the first kind of quotation marks that it does not hold itself.

    >>> quoted('no answer'), quoted('{"id": 7}')
    ('"no answer"', '“{"id": 7}”')
    """
    for opening, closing in ('""', "“”", "«»"):
        if opening not in text and closing not in text:
            return f"{opening}{text}{closing}"
    return json.dumps(text, ensure_ascii=False)


def quotation(text: str, limit: int = QUOTE_LIMIT) -> str:
    """Gives a quote as it is shown: visible, its lines kept, cut with a count of what was cut."""
    shown = visible_lines(text) or "(empty quote)"
    if len(shown) <= limit:
        return isolated(shown)
    cut = len(shown) - limit
    return isolated(shown[:limit] + ELLIPSIS) + f" [{cut:,} more characters]"


def isolated(text: str) -> str:
    """Gives the text, set apart with isolates where it holds right-to-left letters."""
    if not text.isascii() and _RIGHT_TO_LEFT.search(text):
        return f"{_FIRST_ISOLATE}{text}{_END_ISOLATE}"
    return text


def _spell(found: re.Match[str]) -> str:
    return f"⟨U+{ord(found.group()):04X}⟩"


def _spell_all(found: re.Match[str]) -> str:
    return f"{found.group()[:1]}⟨{len(found.group()) - 1} more combining marks⟩"
