"""A grade: what one trial is worth under one criterion, with its evidence."""

from enum import StrEnum

import msgspec

OUTCOME = "outcome"
"""The criterion of runs that come with a single result."""


class How(StrEnum):
    """Whether a grade was measured mechanically or judged."""

    MEASURED = "measured"
    SOFT = "soft"


class Evidence(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A verbatim quote and the place where it stands in a stored document.

    `start` and `end` are byte offsets in the document whose sha256 is `document`; the bytes there
    are the UTF-8 bytes of `quote`. `line` counts from 1.
    """

    document: str
    start: int
    end: int
    quote: str
    name: str = ""
    line: int | None = None


class Grade(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="record", tag="grade"
):
    """The value of a trial under a criterion, in [0,1], or the reason why there is none.

    Exactly one of `value` and `not_evaluable` is set. `note` says what a reader of the value has
    to know: that it was clipped, that its quote is withheld and where it stands. A grade of a later
    `round` takes the place of those before it: more raters have spoken since. `is_simulated`: it
    rests on what a judge said that is a stand-in.
    """

    trial: str
    criterion: str = OUTCOME
    value: float | None = None
    not_evaluable: str = ""
    how: How = How.MEASURED
    by: str = ""
    evidence: tuple[Evidence, ...] = ()
    note: str = ""
    round: int = 0
    is_simulated: bool = False
