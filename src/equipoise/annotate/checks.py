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


def checked(
    campaign: Campaign, annotator: str, answers: Sequence[Answer], axis: str | None = None
) -> dict[str, Checked]:
    """Gives what an annotator's answers to checks come to, by kind of check.

    A loud check counts as right at the first try only, for afterwards it was told. Two equal texts
    have no right answer and are not counted. `axis` looks at one axis alone.
    """
    held = standing(answers)
    found = {}
    for kind in ("tutorial", "loud", "silent"):
        n = n_right = n_wrong = 0
        for packet, check in campaign.checks.items():
            one = held.get((annotator, packet))
            if check.kind != kind or one is None or not check.has_answer:
                continue
            if axis not in {None, campaign.packets[packet].axis}:
                continue
            tries = [a for a in answers if a.packet == packet and a.kind is AnswerKind.GIVEN]
            wrong = [a for a in tries if not check.is_right(a)]
            n += 1
            n_right += check.is_right(one) and (kind != "loud" or not wrong)
            n_wrong += len(wrong)
        found[kind] = Checked(n=n, n_right=n_right, n_wrong_tries=n_wrong)
    return found


def passed(campaign: Campaign, annotator: str, answers: Sequence[Answer]) -> bool:
    """Says whether, on every axis, no more silent checks were missed than the plan allows."""
    allowed = campaign.rule.n_silent - campaign.rule.need
    axes = {campaign.packets[packet].axis for packet in campaign.lists.get(annotator, ())}
    silent = [checked(campaign, annotator, answers, axis)["silent"] for axis in axes]
    return not campaign.rule.n_silent or all(one.n - one.n_right <= allowed for one in silent)
