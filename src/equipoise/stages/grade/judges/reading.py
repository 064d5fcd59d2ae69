"""Reads a judge's answer, strictly: what is not in the form that was asked for is unreadable."""

import json
import re
from dataclasses import dataclass, field
from typing import Any

from equipoise.records.packet import Packet
from equipoise.stages.grade.judges.asking import LETTERS, MOST_SCORE, TIE, numbered, shape_of
from equipoise.stages.grade.judges.forms import FORMS, Misread, is_misquoted, said_of

_FENCED = re.compile(r"\s*```(?:json)?[ \t]*\n(.*?)\n?[ \t]*```\s*", re.DOTALL | re.IGNORECASE)
_MOST_BYTES = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """A verdict as it was read, by places of the packet and ids of criteria (see `Judgement`)."""

    best: int | None = None
    worst: int | None = None
    is_tie: bool = False
    scores: dict[str, float] = field(default_factory=dict)
    quotes: dict[str, str] = field(default_factory=dict)
    covers: dict[str, tuple[int, ...]] = field(default_factory=dict)


class Unreadable(Exception):
    """No verdict stands in the answer; the text says why, and quotes nothing of it."""


def read(text: str, packet: Packet) -> Read:
    """Gives the verdict that the answer is.

    The whole answer must be one JSON object of the form that was asked for, at most fenced as code:
    a verdict that stands somewhere in a longer text may be one that the judge repeats.

    Raises:
        Unreadable: it is none.
    """
    answer = _parsed(text)
    shape = shape_of(packet)
    if shape == "score":
        return _scores(answer, packet)
    if shape in FORMS:
        return _of_form(answer, packet)
    wanted = {"reason", "best"} | ({"worst"} if shape == "best_worst" else set())
    _check_keys(answer, wanted, optional={"reason"})
    if shape == "pair":
        best = _place(answer["best"], packet, "best")
        return Read(is_tie=True) if best is None else Read(best=best)
    best, worst = (_place(answer[key], packet, key) for key in ("best", "worst"))
    if (best is None) != (worst is None):
        raise Unreadable(f"one of best and worst is {TIE!r} and the other is not")
    if best is None:
        return Read(is_tie=True)
    if best == worst:
        raise Unreadable("best and worst are the same text")
    return Read(best=best, worst=worst)


def refuse_misquoted(verdict: Read, packet: Packet) -> None:
    """Does nothing where each quote stands in the text word by word.

    Raises:
        Unreadable: one does not; the judge is told and asked again.
    """
    shown = packet.options[0].text
    numbers = {name: number for number, name in numbered(packet)}
    if packet.form:
        for name, number in numbers.items():
            said = verdict.covers.get(name) or verdict.scores.get(name)
            if is_misquoted(packet, said, verdict.quotes.get(name, "")):
                raise Unreadable(f"the quote of {number} does not stand where it says")
        return
    for name, quote in verdict.quotes.items():
        if verdict.scores.get(name, 0.0) > 0 and quote not in shown:
            raise Unreadable(f"the quote of {numbers[name]} does not stand in the text like that")


def _parsed(text: str) -> dict[str, Any]:
    if len(text.encode("utf-8", "surrogatepass")) > _MOST_BYTES:
        raise Unreadable("the answer is longer than any verdict")
    fenced = _FENCED.fullmatch(text)
    try:
        answer = json.loads(fenced[1] if fenced else text, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        twice = (
            str(error) if str(error).startswith("a key") else "the answer is not one JSON object"
        )
        raise Unreadable(twice) from error
    if not isinstance(answer, dict):
        raise Unreadable("the answer is not one JSON object")
    return answer


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError("a key stands twice in the answer")
    return dict(pairs)


def _check_keys(found: dict[str, Any], wanted: set[str], *, optional: set[str]) -> None:
    if missing := sorted(wanted - optional - found.keys()):
        raise Unreadable(f"{', '.join(missing)} is missing")
    if found.keys() - wanted:
        raise Unreadable("it has keys that were not asked for")


def _place(value: Any, packet: Packet, key: str) -> int | None:
    letters = LETTERS[: len(packet.options)]
    if value == TIE:
        return None
    if not isinstance(value, str) or len(value) != 1 or value not in letters:
        raise Unreadable(f"{key} is none of {', '.join(letters)} and {TIE}")
    return letters.index(value)


def _of_form(answer: dict[str, Any], packet: Packet) -> Read:
    names = dict(numbered(packet))
    _check_keys(answer, set(names), optional=set())
    scores: dict[str, float] = {}
    covers: dict[str, tuple[int, ...]] = {}
    quotes: dict[str, str] = {}
    for number, name in names.items():
        one = answer[number]
        if not isinstance(one, dict):
            raise Unreadable(f"{number} is no object")
        try:
            said, quote = said_of(one, number, packet)
        except Misread as error:
            raise Unreadable(str(error)) from error
        if isinstance(said, tuple):
            covers[name] = said
        elif said is not None:
            scores[name] = float(said)
        if quote.strip():
            quotes[name] = quote
    return Read(scores=scores, quotes=quotes, covers=covers)


def _scores(answer: dict[str, Any], packet: Packet) -> Read:
    names = dict(numbered(packet))
    _check_keys(answer, set(names), optional=set())
    scores, quotes = {}, {}
    for number, name in names.items():
        one = answer[number]
        if not isinstance(one, dict):
            raise Unreadable(f"{number} is no object with score and quote")
        _check_keys(one, {"score", "quote"}, optional=set())
        score, quote = one["score"], one["quote"]
        is_whole = isinstance(score, int) and not isinstance(score, bool)
        if not is_whole or not 0 <= score <= MOST_SCORE:
            raise Unreadable(f"the score of {number} is no whole number from 0 to {MOST_SCORE}")
        if not isinstance(quote, str):
            raise Unreadable(f"the quote of {number} is no text")
        if score > 0 and not quote.strip():
            raise Unreadable(f"{number} has a score and no quote")
        scores[name] = score / MOST_SCORE
        if quote.strip():
            quotes[name] = quote
    return Read(scores=scores, quotes=quotes)
