"""Topics on terms in translated text: declension, keys in kana, repeated glossaries."""

from functools import cache
from typing import Any, Literal

import msgspec

from equipoise.cli.topics import Topic
from equipoise.terms.declension import Kind
from equipoise.terms.echo import echo_of
from equipoise.terms.kana import Boundary, disposition, fires, length_of
from equipoise.terms.matching import Matcher, State, Target
from equipoise.terms.morphology import Morphology
from equipoise.terms.words import words_of

_LEAST = (2, 3, 4)


class Declined(msgspec.Struct):
    """A target and a Russian text in which it may stand in any form.

    Attributes:
        term: the target, in the nominative.
        text: the text.
        type: what the target is.
        case: whether a capital of the target has to be a capital in the text.
        gender: m or f, where it is known.
        forms: its stored forms, which decide where there are any.
    """

    term: str
    text: str
    type: Kind = Kind.TERM
    case: Literal["sensitive", "insensitive"] = "sensitive"
    gender: Literal["m", "f", ""] = ""
    forms: tuple[str, ...] = ()


class Kana(msgspec.Struct):
    """A key in kana and a text in which a matcher may find it.

    Attributes:
        key: the name in kana.
        text: the text.
    """

    key: str
    text: str


class Echoed(msgspec.Struct):
    """What a model answered, and what of its prompt it may have repeated.

    Attributes:
        output: all of the answer.
        glossary: source key -> target, as they stood in the prompt.
        source: the text that was to be translated.
        forms: target -> its stored forms, which decide where there are any.
    """

    output: str
    glossary: dict[str, str]
    source: str = ""
    forms: dict[str, tuple[str, ...]] = {}


@cache
def _morphology() -> Morphology:
    return Morphology()


def _state(target: Target, text: str) -> State:
    dictionary = None if target.forms else _morphology()
    return Matcher(target, dictionary).match(words_of(text)).state


def _declined(given: Declined) -> str:
    target = Target(
        text=given.term,
        kind=given.type,
        gender=given.gender,
        is_case_sensitive=given.case == "sensitive",
        forms=given.forms,
    )
    return _state(target, given.text).value


def _kana(given: Kana) -> dict[str, Any]:
    length = length_of(given.key)
    found = {least: fires(given.key, given.text) and length >= least for least in _LEAST}
    return {
        "substring_fires": {str(least): is_found for least, is_found in found.items()},
        "disposition_if_fires": {
            str(least): disposition(length, least).value
            for least, is_found in found.items()
            if is_found
        },
        "katakana_run_boundary_fires": fires(given.key, given.text, Boundary.KATAKANA),
    }


def _echoed(given: Echoed) -> dict[str, Any]:
    found = echo_of(given.output, given.glossary, source=given.source)
    return {
        "echo": found.is_echo,
        "echo_kind": found.kind.value if found.kind else None,
        "body": found.body,
        "in_clean_aggregate": not found.is_echo,
        "rendered_in_body": [
            text
            for text in given.glossary.values()
            if _state(_named(text, given.forms.get(text, ())), found.body) is State.MATCH
        ],
    }


def _named(text: str, forms: tuple[str, ...]) -> Target:
    return Target(text=text, kind=Kind.NAME, forms=forms)


TOPICS = {
    "declension": Topic(
        says="Whether a target stands in a Russian text in any correct form.",
        takes=Declined,
        gives={"value": "match, no_match, or ambiguous: it may be another word of the same form"},
        compute=_declined,
    ),
    "kana_trap": Topic(
        says="Whether matchers of kana keys find a key in a text, by their least key length.",
        takes=Kana,
        gives={
            "substring_fires": "for a least key length of 2, 3 and 4 whether the key is found",
            "disposition_if_fires": "CONFIRMED, or AMBIGUOUS where the key is of the least length",
            "katakana_run_boundary_fires": "whether a key of katakana is found where none may "
            "stand next to it",
        },
        compute=_kana,
    ),
    "echo": Topic(
        says="The translation in an answer without the glossary or source that it repeats.",
        takes=Echoed,
        gives={
            "echo": "whether something is repeated",
            "echo_kind": "glossary_preamble, glossary_postamble or source_echo; null = none",
            "body": "what is left, trimmed",
            "in_clean_aggregate": "whether the answer counts where echoes are left out",
            "rendered_in_body": "targets that stand in the body in any form, in the glossary's "
            "order",
        },
        compute=_echoed,
    ),
}
