"""Texts of packets as a page shows them: escaped, each in its own direction, nothing unseen."""

import re
import unicodedata
from itertools import groupby

from markupsafe import Markup, escape

from equipoise.records.packet import Packet
from equipoise.records.unseen import UNSEEN

_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")
_RIGHT_TO_LEFT = frozenset(
    ("ar", "arc", "ckb", "dv", "fa", "he", "iw", "khw", "ks", "ps", "sd", "ug", "ur", "yi")
)
_LOOKED_AT = 5_000
_MARKS = "\u200e\u200f\u061c"
_JOINERS = "\u200c\u200d"
_SCRIPTS_THAT_JOIN = re.compile(
    "[\u0600-\u08ff\u0900-\u0dff\u0e00-\u0fff\u1000-\u109f\u1780-\u18af\ufb1d-\ufdff\ufe70-\ufefc"
    "\u2600-\u27bf\ufe0f\U0001f000-\U0001faff\U0001e900-\U0001e95f]"
)
_COMBINING = "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]"
_STACKED = re.compile(f"({_COMBINING}{{4}}){_COMBINING}+")
_RUN = re.compile(f"(?:{UNSEEN.pattern})+")
_WIDE_ONES = re.compile("[\u3040-\u9fff\U00020000-\U0003ffff]+")

_READ_PER_S = 100.0
"""Letters a second that nobody reads: four times a fast reader's 25."""

_LEAST_S = 1.5
_WIDE = 4
"""How many letters of an alphabet a Han character or kana counts for, in reading."""


def language(tag: str) -> str:
    """Gives the tag for the attribute ``lang``; empty where it is none."""
    return tag if _LANGUAGE.fullmatch(tag) else ""


def direction(text: str, tag: str = "") -> str:
    """Gives ``rtl`` or ``ltr``: what most letters of the text go by, or its language's if none do.

    >>> direction("سلام world"), direction("he said שלום and left"), direction("…", "ar")
    ('ltr', 'ltr', 'rtl')
    """
    n_right = n_left = 0
    for letter in text[:_LOOKED_AT]:
        kind = unicodedata.bidirectional(letter)
        n_right += kind in {"R", "AL"}
        n_left += kind == "L"
    if n_right == n_left:
        return "rtl" if tag.lower().split("-")[0] in _RIGHT_TO_LEFT else "ltr"
    return "rtl" if n_right > n_left else "ltr"


def shown(text: str) -> Markup:
    """Gives a text as HTML: what is unseen is spelt out and does not act; lines stay.

    Joiners inside scripts that need them, and direction marks in texts that go from right to left,
    are no tricks and stay as they are.
    """
    plain = _STACKED.sub(r"\1", text.replace("\r\n", "\n").replace("\r", "\n"))
    kept = "\n\t" + (_MARKS if direction(plain) == "rtl" else "")

    def spelt(found: re.Match[str]) -> str:
        if found.group() in _JOINERS and _joins(found):
            return found.group()
        runs = ((letter, len([*run])) for letter, run in groupby(found.group()))
        return "".join(letter * n if letter in kept else _spell(letter, n) for letter, n in runs)

    return Markup(_RUN.sub(spelt, str(escape(plain))))  # noqa: S704  escaped in this line


def is_too_fast(packet: Packet, seconds: float) -> bool:
    """Says whether nobody can have read a packet in so many seconds.

    The mark is 100 letters a second, a Han character or kana for four, and never under 1.5 s.
    """
    texts = [option.text for option in packet.options]
    n = sum(len(text) + (_WIDE - 1) * _n_wide(text) for text in texts)
    return seconds < max(_LEAST_S, n / _READ_PER_S)


def _n_wide(text: str) -> int:
    return sum(map(len, _WIDE_ONES.findall(text)))


def _joins(found: re.Match[str]) -> bool:
    text, start, end = found.string, found.start(), found.end()
    neighbours = text[max(0, start - 1) : start], text[end : end + 1]
    return all(_SCRIPTS_THAT_JOIN.match(letter) for letter in neighbours)


def _spell(letter: str, n: int) -> str:
    times = f"×{n}" if n > 1 else ""
    return f'<bdi class="unseen" dir="ltr">U+{ord(letter):04X}{times}</bdi>'
