"""Text as words and the parts of words, folded so that two ways to write one word are one."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import regex

from equipoise.terms import fold

_DASHES = "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"
_APOSTROPHES = f"'{fold.APOSTROPHES}"
_LIGHT = r"[\p{L}\p{M}\p{N}]+"
_WORD = regex.compile(f"{_LIGHT}(?:[{_DASHES}{_APOSTROPHES}]{_LIGHT})*")
_JOINT = re.compile(f"[{_DASHES}{_APOSTROPHES}]")
_SENTENCE_END = ".!?…"
_OPENING = '«„“"‘‚'
_QUOTES = " \t\n\r\u00a0\u202f\u2009»”" + _OPENING
_BETWEEN = " \t\n\r\u00a0\u202f»”’()[]{}*_'" + _OPENING + _DASHES
_SUFFIXES = frozenset(
    [
        "то",
        "ка",
        "таки",
        "де",
        "с",
        "сан",
        "сама",
        "кун",
        "тян",
        "чан",
        "сэмпай",
        "сенпай",
        "сэнсэй",
        "сенсей",
        "доно",
        "химэ",
        "гэ",
        "гэгэ",
        "цзе",
        "цзецзе",
        "мэй",
        "мэймэй",
        "ди",
        "диди",
        "шиди",
        "шисюн",
        "шицзе",
        "шимэй",
        "шифу",
        "лаоши",
        "ним",
        "сси",
        "хён",
        "нуна",
        "онни",
        "оппа",
    ]
)
"""Particles and honorifics that a hyphen joins to a word without making another word of it."""

_LOOKALIKES = str.maketrans(
    "АВЕКМНОРСТУХІЈЅавекмнорстухіјѕ",
    "ABEKMHOPCTYXIJSabekmhopctyxijs",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A piece of a word between hyphens or apostrophes.

    Attributes:
        text: as written, without ignorable characters.
        folded: lower case, ё as е.
    """

    text: str
    folded: str

    @property
    def skeleton(self) -> str:
        """What the part looks like: Cyrillic letters as the Latin ones of the same shape."""
        return self.text.translate(_LOOKALIKES).lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """A whole word.

    Attributes:
        parts: its pieces.
        joints: what joins them, ``-`` or ``'``; one fewer than the parts.
        start: where it begins in the text of :class:`Words`.
        end: where it ends.
    """

    parts: tuple[Part, ...]
    joints: str
    start: int
    end: int

    def cut_to(self, n_parts: int) -> "tuple[Part, ...] | None":
        """The first parts, where all that follows is a particle or honorific after a hyphen."""
        rest = zip(self.parts[n_parts:], self.joints[max(n_parts - 1, 0) :], strict=True)
        if len(self.parts) < n_parts or any(
            joint != "-" or part.text not in _SUFFIXES for part, joint in rest
        ):
            return None
        return self.parts[:n_parts]


@dataclass(frozen=True)
class Words:
    """A text in words; ``text`` is composed (NFC) and free of ignorable characters."""

    text: str
    words: tuple[Word, ...] = field(repr=False)

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """First part of a word, folded -> where such words stand."""
        return _index(word.parts[0].folded for word in self.words)

    @cached_property
    def shapes(self) -> dict[str, list[int]]:
        """First part of a word as it looks -> where such words stand."""
        return _index(word.parts[0].skeleton for word in self.words)

    def are_neighbours(self, first: int, count: int) -> bool:
        """Whether only white space and quotation marks stand between, and no blank line."""
        window = self.words[first : first + count]
        gaps = [self.text[a.end : b.start] for a, b in pairwise(window)]
        return len(window) == count and all(
            gap and not gap.strip(_QUOTES) and gap.count("\n") < 2 for gap in gaps
        )

    def begins_sentence(self, place: int) -> bool:
        """Whether the word is one that would have a capital in any case.

        It is the first of the text, of a sentence, of a quotation, or of a line after a line that
        ends with no letter and no comma.
        """
        before = self.text[: self.words[place].start]
        said = before.rstrip(_BETWEEN)
        gap = before[len(said) :]
        if not said or said[-1] in _SENTENCE_END or any(sign in gap for sign in _OPENING):
            return True
        return "\n" in gap and (gap.count("\n") > 1 or not (said[-1].isalpha() or said[-1] in ",;"))


def words_of(text: str) -> Words:
    """The words of a text.

    Letters, marks and digits make words; a single hyphen, dash or apostrophe between them joins.

    >>> [[part.folded for part in word.parts] for word in words_of("Д’Арк — всё-таки").words]
    [['д', 'арк'], ['все', 'таки']]
    """
    clean = fold.folded(text)
    return Words(text=clean, words=tuple(_words(clean)))


def folded(text: str) -> str:
    """Lower case, composed, with ё as е; й stays й.

    >>> folded("Ёж и Йод")
    'еж и йод'
    """
    return unicodedata.normalize("NFC", text).lower().replace("ё", "е")


def keeps_capitals(wanted: str, found: str) -> bool:
    """Whether each capital that both beginnings share is a capital in what was found.

    >>> keeps_capitals("Лев", "Льва"), keeps_capitals("Лев", "лев")
    (True, False)
    """
    for one, other in zip(wanted, found, strict=False):
        if folded(one) != folded(other):
            return True
        if one.isupper() and not other.isupper():
            return False
    return True


def _words(text: str) -> Iterator[Word]:
    for found in _WORD.finditer(text):
        pieces = _JOINT.split(found.group())
        joints = "".join("'" if j in _APOSTROPHES else "-" for j in _JOINT.findall(found.group()))
        parts = tuple(Part(text=piece, folded=folded(piece)) for piece in pieces)
        yield Word(parts=parts, joints=joints, start=found.start(), end=found.end())


def _index(keys: Iterator[str]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for place, key in enumerate(keys):
        found.setdefault(key, []).append(place)
    return found
