"""An answer: what one annotator chose in one packet. Answers are only ever appended."""

from collections.abc import Iterable
from enum import StrEnum

import msgspec


class AnswerKind(StrEnum):
    """What an answer does. Only `GIVEN` holds a choice."""

    GIVEN = "given"
    UNDONE = "undone"  # takes back what was answered to this packet; it is open again
    SKIPPED = "skipped"  # it cannot be told, or it was practice
    GUESSED = "guessed"  # belongs to no packet: after the last one, who the annotator thinks wrote


class Answer(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="record", tag="answer"
):
    """One act of an annotator, in the order in which the server acknowledged it (`seq`, from 1).

    `best` and `worst` are places in the packet counted from 0; in a packet of two the other one is
    the worst. The last answer to a packet that was not undone holds. `seconds` is the time spent,
    gaps between actions capped (null = not measured, an import); `attempt` counts the tries of a
    loud check; `is_fast` says that nobody can have read the packet in that time. `guess` is what
    the annotator believed afterwards (who wrote it), null = not asked.
    """

    seq: int
    annotator: str
    packet: str
    kind: AnswerKind = AnswerKind.GIVEN
    best: int | None = None
    worst: int | None = None
    at: str = ""
    seconds: float | None = None
    n_actions: int | None = None
    attempt: int = 1
    is_fast: bool = False
    guess: str | None = None
    is_simulated: bool = False
    source: str = ""


def standing(answers: Iterable[Answer]) -> dict[tuple[str, str], Answer]:
    """Gives what holds of some answers, by annotator and packet; their order does not matter.

    What was undone and not answered again is not in it, nor is a guess. A skipped packet is.
    """
    held: dict[tuple[str, str], Answer] = {}
    for one in sorted(answers, key=lambda answer: answer.seq):
        if one.kind is AnswerKind.UNDONE:
            held.pop((one.annotator, one.packet), None)
        elif one.kind is not AnswerKind.GUESSED:
            held[one.annotator, one.packet] = one
    return held
