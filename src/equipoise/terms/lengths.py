"""How long a text is: in characters, and in words where there are words."""

import regex

from equipoise.terms.fold import folded

_KANA_AND_HAN = r"\p{Han}\p{Hiragana}\p{Katakana}\u30FC\uFF70"
_UNITS = regex.compile(
    rf"(?V1)[{_KANA_AND_HAN}]"
    rf"|[[\p{{L}}\p{{M}}\p{{N}}]--[{_KANA_AND_HAN}]]++(?:['\-][[\p{{L}}\p{{M}}\p{{N}}]--[{_KANA_AND_HAN}]]++)*+"
)
_SPACES = regex.compile(r"\s+")


def n_characters(text: str) -> int:
    """Gives the number of characters, without white space and signs that nobody sees.

    >>> n_characters("阿Q 正传。"), n_characters("Он жил там.")
    (6, 9)
    """
    return len(_SPACES.sub("", folded(text)))


def n_units(text: str) -> int:
    """Gives the number of units: words, and each Han character and kana for itself.

    It stands for tokens where no tokenizer is named. Punctuation does not count; an apostrophe or a
    hyphen joins a word.

    >>> n_units("阿Q 正传。"), n_units("Кто-то сказал: don't!")
    (4, 3)
    """
    return sum(1 for _ in _UNITS.finditer(folded(text)))
