"""What a check found in one trial: a raw value, and the places that show it."""

from dataclasses import dataclass

from equipoise.records.grade import Evidence

Fault = tuple[str, tuple[Evidence, ...]]
"""What is wrong with what was left, in words, and where it shows."""


def plain(text: str) -> str:
    """Gives a text of somebody else on one line, without what would move a terminal."""
    return "".join(sign if sign.isprintable() else " " for sign in text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The raw value of a category, 0 or more, and its quotes; what cannot be said raises instead.

    `places` may be empty: of a lost value the archived record of the trial is quoted then. Where it
    `is_total`, the category is lost in full, whatever its maximum. `note` is kept with the grade.
    """

    raw: float
    places: tuple[Evidence, ...] = ()
    is_total: bool = False
    note: str = ""
