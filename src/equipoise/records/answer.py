"""An answer: what one annotator chose in one packet. Answers are only ever appended."""

from enum import StrEnum

import msgspec


class AnswerKind(StrEnum):
    """What an answer does: gives a choice, takes the last one back, or says it cannot be told."""

    GIVEN = "given"
    UNDONE = "undone"
    SKIPPED = "skipped"


class Answer(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="record", tag="answer"
):
    """One act of an annotator, in the order in which the server acknowledged it (`seq`, from 1).

    `best` and `worst` are places in the packet counted from 0; in a packet of two the other one is
    the worst. The last answer to a packet that was not undone holds. `seconds` is the time spent,
    gaps between actions capped (null = not measured, an import); `attempt` counts the tries of a
    loud check. `guess` is what the annotator believed afterwards (who wrote it), null = not asked.
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
    is_simulated: bool = False
    source: str = ""
