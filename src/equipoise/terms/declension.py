"""How an approved target declines: for each of its words the forms, each with case and number.

The nominative reading of the term decides: of which gender and number it is, which of its words
decline with its head and which stay as they are. Names have the singular alone, except surnames.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from equipoise.terms.morphology import Morphology, Reading
from equipoise.terms.paradigms import (
    CASES,
    Paradigm,
    Signature,
    of_a_family,
    of_the_other_gender,
    paradigms,
)
from equipoise.terms.words import Part, Word, folded, words_of

ANY = frozenset((case, number) for case in (*CASES, "voct") for number in ("sing", "plur"))
"""The signature of what does not decline: it fits everywhere."""

_PLACE = frozenset({"Geox"})

Forms = dict[str, frozenset[Signature]]
"""A folded form -> the cases and numbers that it may be."""


class Kind(StrEnum):
    """What a target is: a first or full name, a surname, a place, or any other term."""

    NAME = "name"
    SURNAME = "surname"
    PLACE = "place"
    TERM = "term"


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A part of a target.

    Attributes:
        part: as it stands in the target.
        forms: its forms, folded; the part itself always among them.
        of_other_gender: forms of the same surname borne by the other gender; empty without.
    """

    part: Part
    forms: Forms
    of_other_gender: Forms = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """A target word by word, each a tuple of its slots, with the ``joints`` of each word."""

    words: tuple[tuple[Slot, ...], ...]
    joints: tuple[str, ...]

    @property
    def slots(self) -> tuple[Slot, ...]:
        """All slots in order."""
        return tuple(slot for word in self.words for slot in word)

    def signatures(self, parts: Sequence[Part]) -> frozenset[Signature]:
        """The cases and numbers in which the parts agree as this target; empty where in none."""
        found = ANY
        for slot, part in zip(self.slots, parts, strict=True):
            found &= slot.forms.get(part.folded, frozenset())
        return found

    def fits_other_gender(self, parts: Sequence[Part]) -> bool:
        """Whether the parts are as well a form of the surname of the other gender."""
        found = ANY
        for slot, part in zip(self.slots, parts, strict=True):
            forms = slot.of_other_gender
            found &= forms.get(part.folded, frozenset()) if forms else _staying(slot, part)
        return bool(found) and any(slot.of_other_gender for slot in self.slots)


def as_written(text: str) -> Pattern:
    """The pattern of a form as it is stored: nothing of it declines."""
    words = words_of(text).words
    return Pattern(
        words=tuple(tuple(_fixed(part) for part in word.parts) for word in words),
        joints=tuple(word.joints for word in words),
    )


def declined(text: str, kind: Kind, gender: str, morphology: Morphology) -> Pattern:
    """The pattern of a target in all its forms.

    Args:
        text: the target in the nominative.
        kind: what it is.
        gender: ``m``, ``f``, or empty where it is not known.
        morphology: the dictionary.

    Raises:
        Blocked: the dictionary is not installed.
    """
    words = words_of(text).words
    if kind in (Kind.NAME, Kind.SURNAME):
        by_word = _name_words(words, kind, gender, morphology)
    else:
        by_word = _phrase(words, kind, morphology)
    return Pattern(words=tuple(by_word), joints=tuple(word.joints for word in words))


def _name_words(
    words: Sequence[Word], kind: Kind, gender: str, morphology: Morphology
) -> list[tuple[Slot, ...]]:
    """The words of a name; in one of foreign make all but the last may stay as they are."""
    by_word = [[_name(part, kind, gender, morphology) for part in word.parts] for word in words]
    is_foreign = any(not is_known for word in by_word for _, is_known in word)
    found: list[tuple[Slot, ...]] = []
    for place, word in enumerate(by_word):
        is_last = place == len(by_word) - 1
        found.append(
            tuple(
                _may_stay(slot)
                if len(word) > 1
                or (not is_last and (not is_known or (is_foreign and _is_short(slot.part))))
                else slot
                for slot, is_known in word
            )
        )
    return found


def _may_stay(slot: Slot) -> Slot:
    return replace(slot, forms=slot.forms | {slot.part.folded: ANY})


def _is_short(part: Part) -> bool:
    return sum(letter in "аеиоуыэюя" for letter in part.folded) < 2


def _name(part: Part, kind: Kind, gender: str, morphology: Morphology) -> tuple[Slot, bool]:
    """The slot, and whether a dictionary of names gave it."""
    if not _is_cyrillic(part):
        return _fixed(part), True
    readings = [
        one
        for one in morphology.readings(part.text)
        if one.form.signature == ("nomn", "sing") and _fits(one, gender)
    ]
    word, is_surname = part.text.lower(), kind is Kind.SURNAME
    by_rule = _by_rule(paradigms(word, gender=gender, is_surname=is_surname))
    wanted = _wanted(kind, readings)
    known = [one for one in readings if one.is_known and one.classes & wanted]
    if known:
        forms = _lexemes(known, is_plural_too=is_surname)
        if all(one.stays for one in known):
            forms = _merged([forms, by_rule])
        other = _surnames_of_other_gender(known)
        return Slot(part=part, forms=_own(part, forms), of_other_gender=other), True
    common = [one for one in readings if one.is_known and (not one.classes or not by_rule)]
    family = _by_rule(of_a_family(word)) if is_surname else {}
    forms = _merged([_lexemes(common, is_plural_too=False), by_rule, family])
    other = _by_rule(of_the_other_gender(word)) if is_surname else {}
    slot = Slot(part=part, forms=_own(part, forms, is_any=not forms), of_other_gender=other)
    return slot, False


def _wanted(kind: Kind, readings: Sequence[Reading]) -> frozenset[str]:
    """The classes of proper nouns that a name of the kind is taken from, where known."""
    if kind is Kind.SURNAME and any(one.is_known and "Surn" in one.classes for one in readings):
        return frozenset({"Surn"})
    return frozenset({"Name", "Surn", "Patr"})


def _surnames_of_other_gender(readings: Iterable[Reading]) -> Forms:
    forms: dict[str, set[Signature]] = {}
    for one in readings:
        if "Surn" not in one.classes or one.form.gender not in ("m", "f"):
            continue
        other = {"m": "f", "f": "m"}[one.form.gender]
        for form in one.lexeme:
            if form.gender == other:
                forms.setdefault(folded(form.text), set()).add(form.signature)
    return {form: frozenset(found) for form, found in forms.items()}


def _phrase(words: Sequence[Word], kind: Kind, morphology: Morphology) -> list[tuple[Slot, ...]]:
    parts = [part for word in words for part in word.parts]
    readings = [morphology.readings(part.text) if _is_cyrillic(part) else () for part in parts]
    head = _head(readings)
    if readings and _is_counted(readings):
        slots = [_counted(part, found) for part, found in zip(parts, readings, strict=True)]
    elif head is None:
        slots = [_alone(part, found) for part, found in zip(parts, readings, strict=True)]
    else:
        heads = _nominatives(readings[head], is_noun=True)
        places = [one for one in heads if kind is Kind.PLACE and one.classes & _PLACE]
        heads = places or heads
        slots = [
            _beside(part, found, heads, is_after=index > head)
            for index, (part, found) in enumerate(zip(parts, readings, strict=True))
        ]
        slots[head] = _head_slot(parts[head], heads, kind)
    return _by_words(words, slots)


def _is_counted(readings: Sequence[Sequence[Reading]]) -> bool:
    """Whether a numeral in the nominative begins the phrase, with what is counted after it."""
    return len(readings) > 1 and any(
        one.is_numeral and one.form.signature[0] == "nomn" for one in readings[0]
    )


def _counted(part: Part, readings: Sequence[Reading]) -> Slot:
    """A numeral, or what it counts: beside its plural the form that the numeral asks for."""
    numerals = [one for one in readings if one.is_numeral]
    things = [
        one
        for one in readings
        if (one.is_noun or one.is_adjective) and one.form.signature[0] in ("nomn", "gent")
    ]
    if numerals:
        forms = _lexemes(numerals, is_plural_too=True)
        return Slot(part=part, forms={form: _both(found) for form, found in forms.items()})
    if not things:
        return _fixed(part)
    forms = {
        form: frozenset(one for one in found if one[1] == "plur")
        for form, found in _lexemes(things, is_plural_too=True).items()
    }
    asked = frozenset({("nomn", "plur"), ("accs", "plur")})
    return Slot(part=part, forms=_merged([forms, {part.folded: asked}]))


def _both(signatures: Iterable[Signature]) -> frozenset[Signature]:
    return frozenset((case, number) for case, _ in signatures for number in ("sing", "plur"))


def _head(readings: Sequence[Sequence[Reading]]) -> int | None:
    """Where the noun stands that the phrase is named by: the first that is no adjective of one."""
    for index, found in enumerate(readings):
        nouns = _nominatives(found, is_noun=True)
        if not nouns:
            continue
        following = readings[index + 1] if index + 1 < len(readings) else ()
        adjectives = _nominatives(found, is_noun=False)
        if any(_agree(a, b) for a in adjectives for b in _nominatives(following)):
            continue
        return index
    return None


def _head_slot(part: Part, heads: list[Reading], kind: Kind) -> Slot:
    is_plural = any(one.form.signature[1] == "plur" for one in heads)
    forms = _lexemes(heads, is_plural_too=kind is Kind.TERM or is_plural)
    if not any(one.is_known for one in heads):
        forms = _merged([forms, _unknown(part)])
    return Slot(part=part, forms=_own(part, forms, is_any=kind is Kind.PLACE))


def _beside(
    part: Part, readings: Sequence[Reading], heads: Sequence[Reading], *, is_after: bool
) -> Slot:
    """An adjective of the head, or after it a noun in apposition; what agrees declines."""
    agreeing = [
        one
        for one in _nominatives(readings)
        if any(_agree(one, head) for head in heads) and (one.is_adjective or is_after)
    ]
    adjectives = [one for one in agreeing if one.is_adjective]
    if adjectives:
        genders = {head.form.gender for head in heads}
        return Slot(
            part=part, forms=_own(part, _lexemes(adjectives, is_plural_too=True, genders=genders))
        )
    if agreeing:
        return Slot(
            part=part, forms=_own(part, _lexemes(agreeing, is_plural_too=True), is_any=True)
        )
    return _fixed(part)


def _alone(part: Part, readings: Sequence[Reading]) -> Slot:
    """A part of a phrase without a noun: an adjective used as one, or a word nobody knows."""
    adjectives = _nominatives(readings, is_noun=False)
    if adjectives:
        return Slot(part=part, forms=_own(part, _lexemes(adjectives, is_plural_too=True)))
    if not _is_cyrillic(part):
        return _fixed(part)
    return Slot(part=part, forms=_own(part, _unknown(part), is_any=True))


def _unknown(part: Part) -> Forms:
    return _by_rule(paradigms(part.text.lower(), gender="", is_place=True))


def _nominatives(readings: Iterable[Reading], *, is_noun: bool | None = None) -> list[Reading]:
    found = [
        one
        for one in readings
        if one.form.signature[0] == "nomn"
        and (one.is_noun if is_noun else one.is_adjective if is_noun is False else True)
        and (one.is_noun or one.is_adjective)
    ]
    known = [one for one in found if one.is_known]
    singular = [one for one in known or found if one.form.signature[1] == "sing"]
    return singular or known or found


def _agree(one: Reading, other: Reading) -> bool:
    if one.form.signature != other.form.signature:
        return False
    if one.is_noun and other.is_noun:
        return True
    genders = {one.form.gender, other.form.gender}
    return "" in genders or len(genders) == 1


def _lexemes(
    readings: Iterable[Reading], *, is_plural_too: bool, genders: set[str] | None = None
) -> Forms:
    """All forms of the gender of each reading, or of the genders given."""
    forms: dict[str, set[Signature]] = {}
    for one in readings:
        fitting = genders or {one.form.gender}
        for form in one.lexeme:
            if form.signature[1] == "plur" and not is_plural_too:
                continue
            if form.gender in fitting or not form.gender or "" in fitting:
                forms.setdefault(folded(form.text), set()).add(form.signature)
    return {form: frozenset(found) for form, found in forms.items()}


def _by_rule(found: Iterable[Paradigm]) -> Forms:
    forms: dict[str, set[Signature]] = {}
    for paradigm in found:
        for form, signature in paradigm.forms():
            forms.setdefault(folded(form), set()).add(signature)
    return {form: frozenset(signatures) for form, signatures in forms.items()}


def _merged(all_forms: Iterable[Forms]) -> Forms:
    merged: Forms = {}
    for forms in all_forms:
        for form, signatures in forms.items():
            merged[form] = merged.get(form, frozenset()) | signatures
    return merged


def _own(part: Part, forms: Forms, *, is_any: bool = False) -> Forms:
    """The forms with the part itself: in the nominative, or in all cases where it may stay."""
    own = ANY if is_any else frozenset({("nomn", "sing"), ("nomn", "plur")})
    return forms | {part.folded: forms.get(part.folded, frozenset()) | own}


def _fits(reading: Reading, gender: str) -> bool:
    return not gender or not reading.form.gender or reading.form.gender in (gender, "n")


def _is_cyrillic(part: Part) -> bool:
    return any("а" <= letter <= "я" or letter == "ё" for letter in part.text.lower())


def _fixed(part: Part) -> Slot:
    return Slot(part=part, forms={part.folded: ANY})


def _staying(slot: Slot, part: Part) -> frozenset[Signature]:
    """What a slot without another gender allows: only what does not decline at all."""
    return ANY if slot.forms.get(part.folded) == ANY else frozenset()


def _by_words(words: Sequence[Word], slots: Sequence[Slot]) -> list[tuple[Slot, ...]]:
    found: list[tuple[Slot, ...]] = []
    at = 0
    for word in words:
        found.append(tuple(slots[at : at + len(word.parts)]))
        at += len(word.parts)
    return found
