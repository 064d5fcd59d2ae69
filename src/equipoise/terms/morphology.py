"""What a morphological dictionary says of a Russian word, where one is installed (pymorphy3)."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any

from equipoise.errors import Blocked
from equipoise.terms.paradigms import Signature

PROPER = frozenset({"Name", "Surn", "Patr", "Geox", "Orgn", "Trad"})
"""Grammemes of proper nouns; possessives of names ("Poss") are no common words either."""

_CLASSES = PROPER | {"Poss"}
_MERGED = {"gen1": "gent", "gen2": "gent", "acc2": "accs", "loc1": "loct", "loc2": "loct"}
_GENDERS = {"masc": "m", "femn": "f", "neut": "n", "ms-f": ""}
_ADJECTIVES = frozenset({"ADJF", "PRTF"})
_LEFT_OUT = frozenset({"Arch", "Erro", "Dist", "Slng"})
"""Grammemes of forms that nobody writes in a translation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """A form of a word.

    Attributes:
        text: in lower case, with its ё.
        signature: case and number; a case or number that it does not have is empty.
        gender: ``m``, ``f``, ``n``; empty where it has none or is of both.
    """

    text: str
    signature: Signature
    gender: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One thing that a written word may be.

    Attributes:
        form: the form that it is.
        is_noun: a noun.
        is_adjective: an adjective or participle in its full form.
        is_numeral: a numeral such as "three".
        classes: which kinds of proper noun it is, of ``PROPER``; or a possessive of one, ``Poss``.
        is_known: it stands in the dictionary; else it was guessed from its ending.
        lexeme: all forms of the word.
    """

    form: Form
    is_noun: bool
    is_adjective: bool
    is_numeral: bool
    classes: frozenset[str]
    is_known: bool
    lexeme: tuple[Form, ...]

    @property
    def stays(self) -> bool:
        """It has one form only."""
        return len({form.text for form in self.lexeme}) < 2


class Morphology:
    """The dictionary, loaded at the first word; words are looked up once."""

    @staticmethod
    def is_there() -> bool:
        """Whether the optional package is installed."""
        return find_spec("pymorphy3") is not None

    @property
    def versions(self) -> dict[str, str]:
        """The package and the dictionary -> their versions."""
        return {part: _version(part) for part in ("pymorphy3", "pymorphy3-dicts-ru")}

    @property
    def name(self) -> str:
        """The same for print."""
        return " ".join(f"{part} {number}" for part, number in self.versions.items())

    @cached_property
    def _analyzer(self) -> Any:
        try:
            return import_module("pymorphy3").MorphAnalyzer()
        except (ImportError, OSError, ValueError) as error:
            raise Blocked(
                "pymorphy3 is not installed, so nothing declines words that have no stored forms; "
                "mend: pip install 'equipoise[translation]', or store the forms of each term"
            ) from error

    def readings(self, word: str) -> tuple[Reading, ...]:
        """What the word may be, likeliest first; empty where nothing is known.

        Raises:
            Blocked: the package is not installed.
        """
        return _readings(self._analyzer, word.lower())

    def is_common(self, word: str) -> bool:
        """Whether the word in lower case is one of the dictionary that is no proper noun."""
        return any(reading.is_known and not reading.classes for reading in self.readings(word))


@lru_cache(maxsize=200_000)
def _readings(analyzer: Any, word: str) -> tuple[Reading, ...]:
    return tuple(_reading(parse) for parse in analyzer.parse(word) if parse.tag.POS)


def _reading(parse: Any) -> Reading:
    tag = parse.tag
    return Reading(
        form=_form(parse.word, tag),
        is_noun=tag.POS == "NOUN",
        is_adjective=tag.POS in _ADJECTIVES and "Fixd" not in tag.grammemes,
        is_numeral=tag.POS == "NUMR",
        classes=_CLASSES & tag.grammemes,
        is_known=bool(parse.is_known),
        lexeme=tuple(_forms(parse.lexeme)),
    )


def _forms(lexeme: Iterable[Any]) -> Iterable[Form]:
    for parse in lexeme:
        if not parse.tag.grammemes & _LEFT_OUT and parse.tag.case:
            yield _form(parse.word, parse.tag)


def _form(word: str, tag: Any) -> Form:
    case = _MERGED.get(tag.case, tag.case) or ""
    gender = _GENDERS.get(tag.gender or "", "") if tag.number != "plur" else ""
    return Form(text=word, signature=(case, tag.number or ""), gender=gender)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "(unknown version)"
