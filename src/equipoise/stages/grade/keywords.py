"""Finds keywords in a text, case and inflection aside, without knowing what the text means."""

from collections.abc import Sequence

from equipoise.stages.grade.written import words

_ENDINGS = ("ings", "ing", "ies", "ied", "es", "ed", "s", "e", "y")
_LATER = frozenset(
    {
        *("", "e", "es", "ed", "er", "ers", "ing", "ings", "s", "y", "ies", "ied", "ly"),
        *("ion", "ions", "ation", "ations", "al", "ally", "ily", "able"),
    }
)
_LEAST = 3
"""A stem has so many letters at least; a shorter word is taken as it is."""


def has_keyword(text: Sequence[str], keyword: str) -> bool:
    """Says whether the words of a keyword stand in a text, one after the other.

    A word stands for its inflections: ``round`` is found in ``rounded`` and ``rounding``, not in
    ``ground``. Identifiers and numbers are taken as they are.

    Args:
        text: the words of the text, as `words` gives them.
        keyword: a word, or several.
    """
    wanted = words(keyword)
    n = len(wanted)
    return n > 0 and any(
        all(_is_form(text[at + i], wanted[i]) for i in range(n)) for at in range(len(text) - n + 1)
    )


def _is_form(word: str, of: str) -> bool:
    if word == of:
        return True
    if not of.isalpha() or not word.isalpha():
        return False
    stem = _stem(of)
    if not word.startswith(stem) or len(stem) < _LEAST:
        return False
    rest = word[len(stem) :]
    return rest in _LATER or (rest[:1] == stem[-1] and rest[1:] in _LATER - {""})


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST:
            return word.removesuffix(ending)
    return word
