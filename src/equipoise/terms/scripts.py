"""Which script a character is of, and how many letters a key has."""

from enum import StrEnum
from functools import lru_cache

import regex

_HAN = r"\p{Han}"
_HIRAGANA = r"\p{Hiragana}\u3099\u309A"
_KATAKANA = r"\p{Katakana}\u30FC\uFF70\uFF9E\uFF9F"
_SCRIPT = regex.compile(
    rf"(?P<han>[{_HAN}])|(?P<hiragana>[{_HIRAGANA}])|(?P<katakana>[{_KATAKANA}])"
    r"|(?P<latin>\p{Latin})|(?P<cyrillic>\p{Cyrillic})"
)
_KANA = regex.compile(rf"[{_HIRAGANA}{_KATAKANA}]")


class Script(StrEnum):
    """The scripts that are told apart; digits, marks and all else are `other`."""

    HAN = "han"
    HIRAGANA = "hiragana"
    KATAKANA = "katakana"
    LATIN = "latin"
    CYRILLIC = "cyrillic"
    OTHER = "other"


@lru_cache(maxsize=65_536)
def script_of(sign: str) -> Script:
    """Gives the script of one character.

    Han is the script on all planes, with 々, 〇 and 〻. The long mark ー, which Unicode gives to
    both kana, counts as katakana, and so do half-width kana with their voice marks. The dots ・ and
    ゠ that join names are no letters.

    >>> [str(script_of(sign)) for sign in "漢かカーR・"]
    ['han', 'hiragana', 'katakana', 'katakana', 'latin', 'other']
    """
    found = _SCRIPT.match(sign)
    return Script(str(found.lastgroup)) if found else Script.OTHER


def is_kana(sign: str) -> bool:
    """Whether a character is hiragana or katakana, with the long mark and without ・."""
    return bool(sign) and _KANA.match(sign) is not None


def scripts_of(text: str) -> frozenset[Script]:
    """Gives the scripts of the letters of a text, without `other`.

    >>> sorted(scripts_of("メロス・ディオニス"))
    [<Script.KATAKANA: 'katakana'>]
    """
    return frozenset({script_of(sign) for sign in set(text)} - {Script.OTHER})


def significant_length(text: str) -> int:
    """Gives the number of letters (the Unicode categories L), whatever stands between them.

    >>> significant_length("Anne-Marie 2"), significant_length("メロス・ディオニス")
    (9, 8)
    """
    return sum(map(str.isalpha, text))
