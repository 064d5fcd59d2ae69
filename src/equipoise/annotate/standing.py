"""Where an annotator stands: which packet is next, which try it is, and what can be taken back."""

from collections.abc import Sequence
from dataclasses import dataclass

from equipoise.annotate.campaign import Campaign
from equipoise.records.answer import Answer, AnswerKind, standing


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What follows from an annotator's answers so far.

    Attributes:
        turn: how many answers there are; the next one carries this number.
        n_done: packets that are done.
        n_all: packets that were assigned.
        packet: the packet to show; None when all are done.
        attempt: which try at it the next answer is.
        told: what a wrong answer to a tutorial or loud check is told; it is asked again.
        praised: the answer before this packet was practice, and right.
        last: the answer that undo takes back; None where there is none.
        before: what was chosen for the packet before that was undone; None = nothing.
        guess: who the annotator thinks wrote the texts; None = not asked yet.
    """

    turn: int
    n_done: int
    n_all: int
    packet: str | None
    attempt: int
    told: str
    praised: bool
    last: Answer | None
    before: Answer | None
    guess: str | None

    @property
    def is_closed(self) -> bool:
        """The annotator has said that this is the end: all is read-only."""
        return self.packet is None and self.guess is not None


def stand(campaign: Campaign, annotator: str, answers: Sequence[Answer]) -> Standing:
    """Gives where an annotator stands after `answers`, his own in their order."""
    held = {packet: one for (_, packet), one in standing(answers).items()}
    mine = campaign.lists.get(annotator, ())
    open_ones = [packet for packet in mine if not is_done(campaign, held.get(packet))]
    packet = open_ones[0] if open_ones else None
    acts = [one for one in answers if packet and one.packet == packet]
    tries = [one for one in acts if one.kind is AnswerKind.GIVEN]
    wrong = held.get(packet) if packet else None
    ended = [one for one in held.values() if is_done(campaign, one)]
    last = max(ended, key=lambda one: one.seq, default=None)
    check = campaign.checks.get(last.packet) if last else None
    guesses = [one.guess for one in answers if one.kind is AnswerKind.GUESSED]
    return Standing(
        turn=len(answers),
        n_done=len(mine) - len(open_ones),
        n_all=len(mine),
        packet=packet,
        attempt=len(tries) + 1,
        told=campaign.checks[wrong.packet].warning or _TOLD if wrong else "",
        praised=last is not None
        and last is answers[-1]
        and check is not None
        and check.kind == "tutorial"
        and check.is_right(last),
        last=last,
        before=tries[-1] if tries and acts[-1].kind is AnswerKind.UNDONE else None,
        guess=guesses[-1] if guesses else None,
    )


def is_done(campaign: Campaign, held: Answer | None) -> bool:
    """Says whether an answer that holds ends its packet; a wrong one that is told does not."""
    if held is None:
        return False
    check = campaign.checks.get(held.packet)
    return (
        check is None
        or check.kind == "silent"
        or held.kind is AnswerKind.SKIPPED
        or check.is_right(held)
    )


_TOLD = "This is not what a careful reader chooses here. Please read the texts again."
