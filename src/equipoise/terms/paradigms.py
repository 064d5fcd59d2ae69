"""How Russian names decline that stand in no dictionary: by their last letters."""

from collections.abc import Iterable
from dataclasses import dataclass

Signature = tuple[str, str]
"""Case and number: ``("gent", "sing")``."""

CASES = ("nomn", "gent", "datv", "accs", "ablt", "loct")

_VOWELS = "аеёиоуыэюя"
_HUSHING = "гкхжшчщ"
_SOFT_IN_ABLATIVE = "жшчщц"
_KINDS_OF_SURNAME = ("ов", "ев", "ёв", "ин", "ын")


@dataclass(frozen=True, slots=True, kw_only=True)
class Paradigm:
    """One number of one name: ``endings`` of the six cases on a ``stem``, several joined by /."""

    stem: str
    endings: tuple[str, str, str, str, str, str]
    number: str = "sing"

    def forms(self) -> Iterable[tuple[str, Signature]]:
        """Each form with its case."""
        for case, endings in zip(CASES, self.endings, strict=True):
            for ending in endings.split("/"):
                yield self.stem + ending, (case, self.number)


def paradigms(
    word: str, *, gender: str, is_surname: bool = False, is_place: bool = False
) -> list[Paradigm]:
    """The singulars that a name in the nominative may have; none where it does not decline.

    Several where letters alone do not tell, as for a man's name and a woman's surname in -ова.

    Args:
        word: the name in lower case.
        gender: ``m``, ``f``, or empty where it is not known.
        is_surname: the ablative of -ов and -ин is -ым then, never -ом.
        is_place: -ово and -ино decline as neuters then.

    Source: Zaliznyak, Grammatical Dictionary of Russian, appendix on proper names, as summed up in
    the rules of spelling of 1956 and 2006: names in a consonant, -ь and -й decline for men, those
    in -а and -я for both, those in any other vowel for nobody.

    >>> [form for form, _ in paradigms("фан", gender="m")[0].forms()]
    ['фан', 'фана', 'фану', 'фана', 'фаном', 'фане']
    >>> paradigms("фан", gender="f")
    []
    """
    if len(word) < 2 or word.endswith(("ых", "их")):
        return []
    if word[-1] in "аяьй" or word[-1] not in _VOWELS:
        found = _of_men(word, is_surname=is_surname) if gender != "f" else []
        found += _of_women(word) if gender != "m" else []
        return [*found, *_of_both(word)]
    if is_place and word.endswith(("ово", "ево", "ёво", "ино", "ыно")):
        return [Paradigm(stem=word[:-1], endings=("о", "а", "у", "о", "ом", "е"))]
    return []


def of_the_other_gender(word: str) -> list[Paradigm]:
    """How the surname declines for a woman where it is a man's, and the other way round.

    >>> [form for form, _ in of_the_other_gender("зверьков")[0].forms()][:2]
    ['зверькова', 'зверьковой']
    """
    if word.endswith(_KINDS_OF_SURNAME):
        return [Paradigm(stem=word, endings=("а", "ой", "ой", "у", "ой/ою", "ой"))]
    if word[:-1].endswith(_KINDS_OF_SURNAME) and word.endswith("а"):
        return [Paradigm(stem=word[:-1], endings=("", "а", "у", "а", "ым", "е"))]
    return []


def of_a_family(word: str) -> list[Paradigm]:
    """The plural of a surname in -ов, -ин and their like, from either gender.

    >>> [form for form, _ in of_a_family("зверьков")[0].forms()][:2]
    ['зверьковы', 'зверьковых']
    """
    stem = word.removesuffix("а")
    if not stem.endswith(_KINDS_OF_SURNAME):
        return []
    endings = ("ы", "ых", "ым", "ых", "ыми", "ых")
    return [Paradigm(stem=stem, endings=endings, number="plur")]


def _of_men(word: str, *, is_surname: bool) -> list[Paradigm]:
    stem, last = word[:-1], word[-1]
    if word.endswith(("ый", "ой", "ий")) and len(word) > 3:
        return _adjectives(word)
    if last == "ь":
        return [Paradigm(stem=stem, endings=("ь", "я", "ю", "я", "ем", "е"))]
    if last == "й":
        return [Paradigm(stem=stem, endings=("й", "я", "ю", "я", "ем", "е"))]
    if last in "ая":
        return []
    if word.endswith(_KINDS_OF_SURNAME) and is_surname:
        return [Paradigm(stem=word, endings=("", "а", "у", "а", "ым", "е"))]
    instrumental = "ем/ом" if last in _SOFT_IN_ABLATIVE else "ом"
    if word.endswith(_KINDS_OF_SURNAME):
        instrumental = "ом/ым"
    return [Paradigm(stem=word, endings=("", "а", "у", "а", instrumental, "е"))]


def _adjectives(word: str) -> list[Paradigm]:
    stem, before = word[:-2], word[-3]
    found = [Paradigm(stem=stem, endings=(word[-2:], "ого", "ому", "ого", "ым/им", "ом"))]
    if word.endswith("ий") and before not in _HUSHING:
        found = [Paradigm(stem=stem, endings=("ий", "его", "ему", "его", "им", "ем"))]
    if word.endswith("ий"):
        found.append(Paradigm(stem=stem, endings=("ий", "ия", "ию", "ия", "ием", "ии")))
    if word.endswith("ой"):
        found.append(Paradigm(stem=stem, endings=("ой", "оя", "ою", "оя", "оем", "ое")))
    return found


def _of_women(word: str) -> list[Paradigm]:
    stem = word[:-1]
    if word.endswith("ь"):
        return [Paradigm(stem=stem, endings=("ь", "и", "и", "ь", "ью", "и"))]
    if word.endswith(("ова", "ева", "ёва", "ина", "ына")):
        return [Paradigm(stem=stem, endings=("а", "ой", "ой", "у", "ой/ою", "ой"))]
    if word.endswith("ая") and len(word) > 3:
        return [Paradigm(stem=word[:-2], endings=("ая", "ой/ей", "ой/ей", "ую", "ой/ою", "ой/ей"))]
    if word.endswith("яя") and len(word) > 3:
        return [Paradigm(stem=word[:-2], endings=("яя", "ей", "ей", "юю", "ей/ею", "ей"))]
    return []


def _of_both(word: str) -> list[Paradigm]:
    stem, last = word[:-1], word[-1]
    if last == "а":
        of = "и" if stem[-1] in _HUSHING else "ы"
        with_ = "ой/ою/ей/ею" if stem[-1] in _SOFT_IN_ABLATIVE else "ой/ою"
        return [Paradigm(stem=stem, endings=("а", of, "е", "у", with_, "е"))]
    if last == "я":
        to = "и/е" if stem.endswith("и") else "е"
        return [Paradigm(stem=stem, endings=("я", "и", to, "ю", "ей/ею", to))]
    return []
