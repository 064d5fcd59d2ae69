"""Verdicts: one of five words, the rule that decided, and what would be needed to tell."""

from enum import StrEnum

import msgspec


class Word(StrEnum):
    """The five words; nothing else is ever said about a change."""

    BETTER = "better"
    WORSE = "worse"
    EQUIVALENT = "equivalent"
    CANNOT_TELL = "cannot tell"
    NOT_EVALUABLE = "not evaluable"


class Tag(StrEnum):
    """What a reader must know beside the word."""

    MEASURED = "measured"
    SOFT = "soft"
    UNDERPOWERED = "underpowered"
    SIMULATED = "simulated"
    EXPLORATORY = "exploratory"


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """The word for one comparison.

    `why` is one sentence with the numbers that decided; `needed` one sentence that says what would
    tell (empty where the word is decided); `survives_missing` is false when some assignment of the
    missing outcomes would change the word, null when nothing is missing.
    """

    comparison: str
    word: Word
    rule: str
    level: float
    why: str
    needed: str = ""
    tags: tuple[Tag, ...] = ()
    survives_missing: bool | None = None
    is_listed: bool = False
