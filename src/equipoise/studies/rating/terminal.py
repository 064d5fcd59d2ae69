"""Lets one person rate a campaign in a terminal, by the keyboard, each answer kept at once."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from equipoise.annotate.campaign import Campaign
from equipoise.annotate.choosing import LONGEST_GAP_S
from equipoise.annotate.standing import Standing, stand
from equipoise.annotate.store import Overtaken, Store
from equipoise.annotate.texts import is_too_fast
from equipoise.records.answer import Answer, AnswerKind
from equipoise.records.packet import Packet

SOURCE = "terminal"
_OF_TWO = "  1 or 2   the first text is better, or the second\n"
_OF_MORE = "  1 {n}      the first text is best, the {th} worst\n"
_ORDINALS = {3: "third", 4: "fourth", 5: "fifth", 6: "sixth"}
_HELP = """\
  u        take the last answer back
  s        skip practice, or say that it cannot be told
  ?        this help
  q        leave; everything is kept, and you go on where you were
"""

Ask = Callable[[str], str | None]
"""Shows a prompt and gives a line that was typed; null at the end of the input."""
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Choice:
    best: int
    worst: int


def rate(
    campaign: Campaign,
    store: Store,
    who: str,
    *,
    ask: Ask,
    tell: Tell,
    clock: Callable[[], datetime],
) -> Literal["done", "left"]:
    """Shows the sets that are left, one after the other, and keeps what is chosen.

    Every answer is on the disk before the next set is shown. The time a set takes is the time
    between two lines that were typed, each gap counted up to a minute.
    """
    while True:
        stands = stand(campaign, who, store.of(who))
        if stands.packet is None:
            tell(f"all {stands.n_all:,} sets are done; thank you\n")
            return "done"
        packet = campaign.packets[stands.packet]
        check = campaign.checks.get(packet.id)
        is_practice = check is not None and check.kind == "tutorial"
        tell("".join(f"{line}\n" for line in _shown(packet, stands, is_practice=is_practice)))
        act, seconds, n_actions = _act(packet, ask, tell, clock)
        if act == "quit":
            tell(f"{stands.n_done:,} of {stands.n_all:,} done; you go on here next time\n")
            return "left"
        given = _answer(who, packet, stands, (act, seconds, n_actions), clock)
        if given is None:
            tell("there is nothing to take back\n")
            continue
        try:
            store.append(stands.turn, given)
        except Overtaken:
            tell("this was answered meanwhile, in a browser or another terminal; you go on here\n")


def _answer(
    who: str,
    packet: Packet,
    stands: Standing,
    did: tuple["_Choice | Literal['undo', 'skip']", float, int],
    clock: Callable[[], datetime],
) -> Answer | None:
    """Gives what is kept of an act; null where there is nothing to take back."""
    act, seconds, n_actions = did
    at = clock().isoformat(timespec="milliseconds")
    if act == "undo":
        last = stands.last
        if last is None:
            return None
        return Answer(
            seq=0, annotator=who, packet=last.packet, kind=AnswerKind.UNDONE, at=at, source=SOURCE
        )
    is_choice = isinstance(act, _Choice)
    return Answer(
        seq=0,
        annotator=who,
        packet=packet.id,
        kind=AnswerKind.GIVEN if is_choice else AnswerKind.SKIPPED,
        best=act.best if isinstance(act, _Choice) else None,
        worst=act.worst if isinstance(act, _Choice) else None,
        at=at,
        seconds=round(seconds, 1),
        n_actions=n_actions,
        attempt=stands.attempt,
        is_fast=is_choice and is_too_fast(packet, seconds),
        source=SOURCE,
    )


def _shown(packet: Packet, stands: Standing, *, is_practice: bool) -> Iterator[str]:
    yield ""
    if stands.told:
        yield f"! {stands.told}"
    elif stands.praised:
        yield "That is right."
    if is_practice:
        yield "practice: it does not count, and s skips it"
    yield f"set {stands.n_done + 1:,} of {stands.n_all:,} ({packet.axis}): {packet.ask}"
    if packet.prompt:
        yield f"  asked: {packet.prompt}"
    for doc in packet.docs:
        yield f"  {doc.name}: {doc.text}"
    for number, option in enumerate(packet.options, start=1):
        yield ""
        yield f"  {number}  {option.text}"
    yield ""


def _act(
    packet: Packet, ask: Ask, tell: Tell, clock: Callable[[], datetime]
) -> tuple["_Choice | Literal['quit', 'undo', 'skip']", float, int]:
    """Gives what the person does, the seconds that took, and how many lines were typed."""
    prompt = "better: " if len(packet.options) == 2 else "best worst: "
    seconds, n_lines, before = 0.0, 0, clock()
    while True:
        line = ask(prompt)
        now = clock()
        seconds += min(max((now - before).total_seconds(), 0.0), LONGEST_GAP_S)
        before, n_lines = now, n_lines + 1
        if line is None or line.strip() == "q":
            return "quit", seconds, n_lines
        if line.strip() in {"u", "s"}:
            return ("undo" if line.strip() == "u" else "skip"), seconds, n_lines
        chosen = _choice(line, len(packet.options))
        if isinstance(chosen, _Choice):
            return chosen, seconds, n_lines
        tell(f"{chosen}\n" if line.strip() != "?" else _help(len(packet.options)))


def _help(n: int) -> str:
    """Gives what can be typed at a set of so many texts."""
    first = _OF_TWO if n == 2 else _OF_MORE.format(n=n, th=_ORDINALS.get(n, f"{n}th"))
    return first + _HELP


def _choice(line: str, n: int) -> "_Choice | str":
    """Reads a choice; gives why it is none."""
    digits = [letter for letter in line if not letter.isspace()]
    wanted = {1, 2} if n == 2 else {2}
    if len(digits) not in wanted or not all(d.isascii() and d.isdigit() for d in digits):
        example = "1 or 2" if n == 2 else f"1 {n}"
        return f"write {example}, u, s, q or ?"
    places = [int(digit) - 1 for digit in digits]
    if any(not 0 <= place < n for place in places):
        return f"there are texts 1 to {n}"
    if len(places) == 1:
        return _Choice(best=places[0], worst=1 - places[0])
    if places[0] == places[1]:
        return "one text cannot be both the best and the worst"
    return _Choice(best=places[0], worst=places[1])
