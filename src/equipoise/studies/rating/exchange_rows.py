"""Answers given elsewhere, held row by row against the campaign they claim to be about."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from equipoise.annotate.campaign import Campaign
from equipoise.errors import InputError
from equipoise.records.answer import Answer, AnswerKind
from equipoise.records.packet import Packet
from equipoise.records.roles import efficiency_fields

FAULTS = {
    "unknown_packet": "packets of this campaign",
    "unknown_annotator": "annotators of the plan",
    "other_rater": "the annotator whose packet it is",
    "incomplete_choice": "a best and a worst; of two texts the better one",
    "choice_not_in_set": "a text of the packet: A, B, … or 1, 2, …",
    "best_equals_worst": "two different texts",
    "item_twice": "each text of the set once",
    "never_shown": "only texts that the packet shows",
    "answered_twice": "one answer for each packet",
    "efficiency_in_rating": "how good the outputs are, not what they took",
    "bad_value": "numbers as numbers, kinds as they are called here",
}
"""Why a row is refused -> what was wanted."""

_SHOWN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What one row of a foreign file says.

    Attributes:
        where: file and line or task, for messages.
        packet: id of the packet; empty for a guess.
        annotator: who; empty = the one whose packet it is.
        best, worst: a letter or a number from 1; empty = not given.
        options: the texts of the set as the file lists them; None = it does not.
        facts: what else it says of the answer, by the names of `Answer`.
        raw: everything the row has.
    """

    where: str
    packet: str
    annotator: str = ""
    best: str = ""
    worst: str = ""
    options: tuple[str, ...] | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    raw: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sorted:
    """Rows told apart.

    Attributes:
        answers: sound ones, in the order of the file; `seq` and `attempt` are not set yet.
        refused: (fault, where) of the others.
    """

    answers: tuple[Answer, ...]
    refused: tuple[tuple[str, str], ...]

    def told(self) -> str:
        """Gives the refusals by type with their numbers and the first places."""
        counts = Counter(code for code, _ in self.refused)
        parts = []
        for code, n in sorted(counts.items()):
            places = [where for one, where in self.refused if one == code]
            more = ", …" if len(places) > _SHOWN else ""
            parts.append(f"{n:,} {code} ({', '.join(places[:_SHOWN])}{more})")
        return "; ".join(parts)


def sorted_rows(rows: Iterable[Row], campaign: Campaign, *, source: str) -> Sorted:
    """Tells sound rows from faulty ones."""
    owners = {packet: name for name, packets in campaign.lists.items() for packet in packets}
    answers: list[Answer] = []
    refused: list[tuple[str, str]] = []
    for row in rows:
        found = _read(row, campaign, owners, source)
        if isinstance(found, str):
            refused.append((found, row.where))
        else:
            answers.append(found)
    return Sorted(answers=tuple(answers), refused=tuple(refused))


def refuse_rows(found: Sorted, n_rows: int) -> None:
    """Does nothing where no row is faulty.

    Raises:
        InputError: some are; says how many for each reason, and what was wanted. The code is that
            of the first.
    """
    if not found.refused:
        return
    codes = sorted({code for code, _ in found.refused})
    raise InputError(
        f"{len(found.refused):,} of {n_rows:,} answers are refused: {found.told()}",
        wanted="; ".join(f"{code}: {FAULTS[code]}" for code in codes),
        mend="correct them; or --drop-faulty takes the others and keeps the count. Nothing was "
        "taken",
        code=found.refused[0][0],
    )


def place_of(text: str, n: int) -> int | None:
    """Gives the place, from 0, that a letter or a number from 1 names; null where there is none.

    >>> place_of("B", 4), place_of("2", 4), place_of("E", 4), place_of("0", 4)
    (1, 1, None, None)
    """
    told = text.strip().upper()
    if len(told) == 1 and "A" <= told <= "Z":
        place = ord(told) - ord("A")
    elif told.isascii() and told.isdigit() and len(told) < 3:
        place = int(told) - 1
    else:
        return None
    return place if 0 <= place < n else None


def _read(row: Row, campaign: Campaign, owners: Mapping[str, str], source: str) -> Answer | str:
    """Gives the answer of a row, or the name of its fault."""
    if fault := _fault(row, campaign, owners):
        return fault
    facts = {"source": source} | dict(row.facts)
    kind = AnswerKind(facts.pop("kind", AnswerKind.GIVEN))
    best = worst = None
    if kind is AnswerKind.GIVEN:
        chosen = _chosen(row, campaign.packets[row.packet])
        if isinstance(chosen, str):
            return chosen
        best, worst = chosen
    who = row.annotator or owners[row.packet]
    return Answer(
        seq=0, annotator=who, packet=row.packet, kind=kind, best=best, worst=worst, **facts
    )


def _fault(row: Row, campaign: Campaign, owners: Mapping[str, str]) -> str:
    """Gives why a row is not about this campaign; empty where it is."""
    kind = row.facts.get("kind", AnswerKind.GIVEN.value)
    is_guess = kind == AnswerKind.GUESSED.value
    who = row.annotator or owners.get(row.packet, "")
    faults = {
        "efficiency_in_rating": bool(efficiency_fields(row.raw)),
        "bad_value": kind not in set(AnswerKind),
        "unknown_packet": not is_guess and row.packet not in owners,
        "unknown_annotator": who not in campaign.lists,
        "other_rater": not is_guess and owners.get(row.packet) != who,
    }
    return next((name for name, is_so in faults.items() if is_so), "")


def _chosen(row: Row, packet: Packet) -> tuple[int, int] | str:
    """Gives the places of best and worst, or the name of the fault."""
    n = len(packet.options)
    if row.options is not None:
        shown = Counter(option.text for option in packet.options)
        listed = Counter(row.options)
        if any(listed[text] > max(shown[text], 1) for text in listed):
            return "item_twice"
        if set(listed) - set(shown):
            return "never_shown"
    if not row.best or (not row.worst and n > 2):
        return "incomplete_choice"
    best = place_of(row.best, n)
    if best is None:
        return "choice_not_in_set"
    worst = place_of(row.worst, n) if row.worst else 1 - best
    if worst is None:
        return "choice_not_in_set"
    return "best_equals_worst" if best == worst else (best, worst)


def without_known(
    answers: Sequence[Answer], kept: Mapping[str, Sequence[Answer]]
) -> tuple[tuple[Answer, ...], int]:
    """Leaves out what a campaign has already, from the beginning of each annotator's answers.

    So that the same file taken again changes nothing. Gives the rest, and how many were left out.
    """
    at: Counter[str] = Counter()
    is_new: set[str] = set()
    rest: list[Answer] = []
    for one in answers:
        known = kept.get(one.annotator, ())
        number = at[one.annotator]
        if (
            one.annotator not in is_new
            and number < len(known)
            and _says(known[number]) == _says(one)
        ):
            at[one.annotator] += 1
            continue
        is_new.add(one.annotator)
        rest.append(one)
    return tuple(rest), len(answers) - len(rest)


def _says(one: Answer) -> tuple[object, ...]:
    return (one.kind, one.packet, one.best, one.worst, one.guess)
