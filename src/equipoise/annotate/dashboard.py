"""What the dashboard shows: progress, checks, times, agreement; it knows no system."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median, quantiles

from equipoise.annotate.agreeing import AxisAgreement, agreements
from equipoise.annotate.campaign import Campaign
from equipoise.annotate.checks import Checked, checked, passed
from equipoise.annotate.pages import GUESSES
from equipoise.annotate.stamps import code
from equipoise.annotate.standing import stand
from equipoise.records.answer import Answer, AnswerKind, standing


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """One annotator: how far, how well, how fast. Times are None where nothing was measured."""

    name: str
    n_done: int
    n_all: int
    n_skipped: int
    n_undone: int
    is_closed: bool
    checks: dict[str, Checked]
    is_passed: bool
    median_s: float | None
    tenth_s: float | None
    n_fast: int
    last_at: str
    code_passed: str
    code_failed: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """The whole campaign."""

    people: tuple[Person, ...]
    axes: tuple[AxisAgreement, ...]
    n_done: int
    n_all: int
    n_silent: int
    need: int
    n_simulated: int = 0
    guesses: dict[str, int] = field(default_factory=dict)
    """What people think of who wrote the texts, once they handed in -> how many think so."""


def overview(campaign: Campaign, answers: Sequence[Answer], secret: bytes) -> Overview:
    """Gives what is known of a campaign now."""
    by_name: dict[str, list[Answer]] = {name: [] for name in campaign.lists}
    for one in answers:
        by_name.setdefault(one.annotator, []).append(one)
    people = tuple(_person(campaign, name, mine, secret) for name, mine in sorted(by_name.items()))
    return Overview(
        people=people,
        axes=agreements(campaign, answers),
        n_done=sum(person.n_done for person in people),
        n_all=sum(person.n_all for person in people),
        n_silent=campaign.rule.n_silent,
        need=campaign.rule.need,
        guesses=_guesses(answers),
        n_simulated=sum(one.is_simulated for one in answers),
    )


def _guesses(answers: Sequence[Answer]) -> dict[str, int]:
    """Counts what was picked; words of people's own are left to who collects the answers."""
    said = [one.guess or "" for one in answers if one.kind is AnswerKind.GUESSED]
    picked = [GUESSES.get(guess.partition(":")[0], "") for guess in said]
    return {words: picked.count(words) for words in GUESSES.values() if words in picked}


def _person(campaign: Campaign, name: str, answers: list[Answer], secret: bytes) -> Person:
    stands = stand(campaign, name, answers)
    held = [*standing(answers).values()]
    given = [one for one in held if one.kind is AnswerKind.GIVEN]
    times = [one.seconds for one in given if one.seconds is not None]
    return Person(
        name=name,
        n_done=stands.n_done,
        n_all=stands.n_all,
        n_skipped=sum(one.kind is AnswerKind.SKIPPED for one in held),
        n_undone=sum(one.kind is AnswerKind.UNDONE for one in answers),
        is_closed=stands.is_closed,
        checks=checked(campaign, name, answers),
        is_passed=passed(campaign, name, answers),
        median_s=median(times) if times else None,
        tenth_s=quantiles(times, n=10, method="inclusive")[0] if len(times) > 1 else None,
        n_fast=sum(one.is_fast for one in given),
        last_at=answers[-1].at if answers else "",
        code_passed=code(secret, name, passed=True),
        code_failed=code(secret, name, passed=False),
    )
