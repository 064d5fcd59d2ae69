"""Whether an approved target occurs in a text: by stored forms, by morphology, and naively.

Stored forms decide where there are any; morphology is the cross-check beside them, and decides
where only the base form is known. What a naive tool would say stands beside both.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from equipoise.errors import Blocked
from equipoise.terms.declension import Kind, Pattern, as_written, declined
from equipoise.terms.morphology import Morphology
from equipoise.terms.words import Part, Words, keeps_capitals

_NUMERAL = frozenset("ivxlcdm")


class State(StrEnum):
    """What is said of a target in a text; `ambiguous` may be another word of the same form."""

    MATCH = "match"
    AMBIGUOUS = "ambiguous"
    NO_MATCH = "no_match"


class Why(StrEnum):
    """Why an occurrence is ambiguous, or what was seen where there is none."""

    OTHER_GENDER = "other_gender"
    COMMON_WORD = "common_word"
    NUMERAL_LOOKALIKE = "numeral_lookalike"
    MIXED_SCRIPT = "mixed_script"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """An approved target.

    Attributes:
        text: in the nominative.
        kind: what it is.
        gender: ``m``, ``f``, or empty where it is not known.
        is_case_sensitive: a capital of the target has to be a capital in the text.
        forms: its stored forms; the base need not be among them; empty where none is stored.
    """

    text: str
    kind: Kind = Kind.TERM
    gender: str = ""
    is_case_sensitive: bool = True
    forms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What one method says: its state, the occurrences as written, and why it doubts them.

    A base form is taken even where its capital shows nothing; the doubt stands beside it.
    """

    state: State
    occurrences: tuple[str, ...] = ()
    whys: tuple[Why, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Matched:
    """What all methods say of one target in one text.

    Attributes:
        state: what is decided.
        by: ``stored forms``, ``morphology`` or, without either, ``base form``.
        stored: what the stored forms say; null where none are stored.
        morphology: what the dictionary says; null where it is not asked.
        is_base_whole: the base form stands there as whole words, as naive tools look for it.
        is_substring: the base form stands there as a piece of text.
    """

    state: State
    by: str
    stored: Seen | None
    morphology: Seen | None
    is_base_whole: bool
    is_substring: bool

    @property
    def is_disputed(self) -> bool:
        """Stored forms and morphology say different things."""
        if self.stored is None or self.morphology is None:
            return False
        return self.stored.state is not self.morphology.state


class Matcher:
    """One target made ready for many texts.

    Args:
        target: the target.
        morphology: the dictionary; None where it is not to be asked.

    Raises:
        Blocked: there are no stored forms and no dictionary: nothing would decline.
    """

    def __init__(self, target: Target, morphology: Morphology | None) -> None:
        self._target = target
        self._morphology = morphology
        self._base = as_written(target.text)
        self._stored = [as_written(form) for form in dict.fromkeys((target.text, *target.forms))]
        self._declined: Pattern | None = None
        if morphology is not None:
            self._declined = declined(target.text, target.kind, target.gender, morphology)
        elif not target.forms:
            raise Blocked(
                f"the target {target.text!r} has no stored forms and morphology is not asked, so "
                "only its base form could be found; mend: store its forms, or ask morphology "
                "(pip install 'equipoise[translation]')"
            )

    def match(self, text: Words) -> Matched:
        """What all methods say of the target in the text."""
        stored = self._seen_stored(text) if self._target.forms else None
        by_dictionary = self._seen_declined(text) if self._declined is not None else None
        decided = stored or by_dictionary
        assert decided is not None
        return Matched(
            state=decided.state,
            by="stored forms" if stored else "morphology",
            stored=stored,
            morphology=by_dictionary,
            is_base_whole=any(_windows(self._base, text)),
            is_substring=self._target.text in text.text,
        )

    def _seen_stored(self, text: Words) -> Seen:
        found = {
            at: _written(text, pattern, at)
            for pattern in self._stored
            for at, parts in _windows(pattern, text)
            if self._has_capitals(pattern, parts)
        }
        written = tuple(found[at] for at in sorted(found))
        return Seen(state=State.MATCH if found else State.NO_MATCH, occurrences=written)

    def _seen_declined(self, text: Words) -> Seen:
        assert self._declined is not None
        pattern = self._declined
        found = [
            (at, self._is_base(parts), self._doubt(text, at, parts))
            for at, parts in _windows(pattern, text)
            if self._has_capitals(pattern, parts)
        ]
        if not found:
            return _lookalike(pattern, text)
        is_sure = any(is_base or why is None for _, is_base, why in found)
        return Seen(
            state=State.MATCH if is_sure else State.AMBIGUOUS,
            occurrences=tuple(_written(text, pattern, at) for at, _, _ in found),
            whys=tuple(sorted({why for _, _, why in found if why is not None})),
        )

    def _is_base(self, parts: Sequence[Part]) -> bool:
        slots = self._base.slots
        return all(s.part.folded == part.folded for s, part in zip(slots, parts, strict=True))

    def _doubt(self, text: Words, at: int, parts: Sequence[Part]) -> Why | None:
        assert self._declined is not None
        if not self._is_base(parts) and self._declined.fits_other_gender(parts):
            return Why.OTHER_GENDER
        return Why.COMMON_WORD if self._has_lost_its_capital(text, at, parts) else None

    def _has_lost_its_capital(self, text: Words, at: int, parts: Sequence[Part]) -> bool:
        """A single name whose capital shows nothing, and which is a common word too."""
        assert self._morphology is not None
        target = self._target
        if not target.is_case_sensitive or len(parts) > 1 or not target.text[:1].isupper():
            return False
        word = parts[0].text
        is_loud = len(word) > 1 and word.isupper() and not target.text.isupper()
        return (text.begins_sentence(at) or is_loud) and self._morphology.is_common(word)

    def _has_capitals(self, pattern: Pattern, parts: Sequence[Part]) -> bool:
        wanted = [slot.part.text for slot in pattern.slots]
        return not self._target.is_case_sensitive or all(
            keeps_capitals(one, part.text) for one, part in zip(wanted, parts, strict=True)
        )


def _windows(pattern: Pattern, text: Words) -> Iterator[tuple[int, tuple[Part, ...]]]:
    """Where the pattern stands in the text, with the parts found there."""
    for at in _places(text.places, pattern.slots[0].forms):
        parts = _parts_at(pattern, text, at)
        if parts is not None and pattern.signatures(parts):
            yield at, parts


def _places(index: dict[str, list[int]], firsts: Iterable[str]) -> list[int]:
    return sorted({at for form in firsts for at in index.get(form, ())})


def _parts_at(pattern: Pattern, text: Words, at: int) -> tuple[Part, ...] | None:
    if not text.are_neighbours(at, len(pattern.words)):
        return None
    found: list[Part] = []
    window = text.words[at : at + len(pattern.words)]
    for slots, joints, word in zip(pattern.words, pattern.joints, window, strict=True):
        parts = word.cut_to(len(slots))
        if parts is None or word.joints[: len(joints)] != joints:
            return None
        found += parts
    return tuple(found)


def _lookalike(pattern: Pattern, text: Words) -> Seen:
    """What looks like the target but is spelt with letters of another script."""
    shapes = [{_skeleton(slot.part, form) for form in slot.forms} for slot in pattern.slots]
    for at in _places(text.shapes, shapes[0]):
        parts = _parts_at(pattern, text, at)
        if parts is None or any(
            part.skeleton not in shape for part, shape in zip(parts, shapes, strict=True)
        ):
            continue
        odd = [
            slot.part
            for slot, part in zip(pattern.slots, parts, strict=True)
            if part.folded not in slot.forms
        ]
        if not odd:
            continue
        is_numeral = all(set(part.folded) <= _NUMERAL for part in odd)
        return Seen(
            state=State.AMBIGUOUS if is_numeral else State.NO_MATCH,
            occurrences=(_written(text, pattern, at),),
            whys=(Why.NUMERAL_LOOKALIKE if is_numeral else Why.MIXED_SCRIPT,),
        )
    return Seen(state=State.NO_MATCH)


def _skeleton(part: Part, form: str) -> str:
    written = form[:1].upper() + form[1:] if part.text[:1].isupper() else form
    return Part(text=part.text if form == part.folded else written, folded=form).skeleton


def _written(text: Words, pattern: Pattern, at: int) -> str:
    last = text.words[min(at + len(pattern.words), len(text.words)) - 1]
    return text.text[text.words[at].start : last.end]
