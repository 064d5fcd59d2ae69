"""How annotators did in checks: counted for the dashboard and the code, never told to them."""

from collections.abc import Sequence
from dataclasses import dataclass

from equipoise.annotate.campaign import Campaign
from equipoise.records.answer import Answer, AnswerKind, standing


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """Checks of one kind: how many were answered, how many of them right, and wrong tries."""

    n: int
    n_right: int
    n_wrong_tries: int


def checked(campaign: Campaign, annotator: str, answers: Sequence[Answer]) -> dict[str, Checked]:
    """Gives what an annotator's answers to checks come to, by kind of check.

    A check that is told counts as right only at the first try, for afterwards it was told. A set in
    which any choice is right (one text twice) tells nothing yet, and is not counted.
    """
    held = standing(answers)
    found = {}
    for kind in ("tutorial", "loud", "silent"):
        n = n_right = n_wrong = 0
        for packet, check in campaign.checks.items():
            one = held.get((annotator, packet))
            if check.kind != kind or one is None or check.is_open:
                continue
            tries = [a for a in answers if a.packet == packet and a.kind is AnswerKind.GIVEN]
            wrong = [a for a in tries if not check.is_right(a)]
            n += 1
            n_right += check.is_right(one) and (kind == "silent" or not wrong)
            n_wrong += len(wrong)
        found[kind] = Checked(n=n, n_right=n_right, n_wrong_tries=n_wrong)
    return found


def passed(campaign: Campaign, annotator: str, answers: Sequence[Answer]) -> bool:
    """Says whether on every axis as many silent checks are right as the plan asks for."""
    held = standing(answers)
    right: dict[str, int] = {}
    for packet in campaign.lists.get(annotator, ()):
        check, one = campaign.checks.get(packet), held.get((annotator, packet))
        if check is not None and check.kind == "silent" and not check.is_open:
            axis = campaign.packets[packet].axis
            right[axis] = right.get(axis, 0) + (one is not None and check.is_right(one))
    return all(n >= campaign.rule.need for n in right.values()) and (
        bool(right) or not campaign.rule.need
    )
