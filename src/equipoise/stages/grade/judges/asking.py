"""Makes of a packet what a judge is asked: question, framed texts, form of the answer."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from equipoise.errors import InputError, nearest
from equipoise.ports.models import Message
from equipoise.records.codec import digest, encode
from equipoise.records.packet import Packet
from equipoise.stages.grade.judges.forms import FORMS, form_words, one_schema
from equipoise.stages.grade.judges.wording import READ_AGAIN, RULES, WORDINGS

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""The names that texts have in a question, by their place."""

TIE = "tie"
MOST_SCORE = 10
_MARK_DIGITS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What one judge is asked once: about which packet, in which repeat, order and wording."""

    packet: Packet
    judge: str
    repeat: int = 1
    order: int = 0
    template: str = "plain"

    @property
    def name(self) -> str:
        """Gives what the call is recorded under; no other question has it."""
        return f"{self.packet.id}/{self.judge}/{self.template}-{self.order}-{self.repeat}"

    @property
    def key(self) -> tuple[str, str, int, int, str]:
        """Gives what tells it from every other question."""
        return self.packet.id, self.judge, self.repeat, self.order, self.template


@dataclass(frozen=True, slots=True, kw_only=True)
class Posed:
    """A question as it is put: the messages, and the JSON Schema of the answer."""

    messages: tuple[Message, ...]
    schema: Mapping[str, Any]

    def again(self, why: str) -> "Posed":
        """Gives the question after an answer that could not be read; that one is not repeated."""
        *before, last = self.messages
        said = Message(role=last.role, text=f"{last.text}\n\n{READ_AGAIN.format(why=why)}")
        return Posed(messages=(*before, said), schema=self.schema)


def posed(question: Question, *, max_chars: int) -> Posed:
    """Gives the question in words.

    The mark that frames each text follows from the packet's id and the question, so that the same
    question is the same to the byte, and no text holds it.

    Args:
        question: the question.
        max_chars: of each text so many characters are shown.

    Raises:
        InputError: there is no such wording, or the packet has too many options or no criteria.
    """
    packet = question.packet
    shape = shape_of(packet)
    if question.template not in WORDINGS:
        raise InputError(
            f"no wording {question.template!r}",
            wanted=f"one of {', '.join(WORDINGS)}",
            mend=nearest(question.template, list(WORDINGS)),
            code="wording",
        )
    wording = getattr(WORDINGS[question.template], shape)
    n = len(packet.options)
    mark = _mark(question)
    system = [
        wording.format(n=n, last=LETTERS[n - 1]),
        RULES.format(mark=mark, most=f"{max_chars:,}"),
        _form(packet),
    ]
    user = "\n\n".join(_material(packet, mark, max_chars))
    return Posed(
        messages=(
            Message(role="system", text="\n\n".join(system)),
            Message(role="user", text=user),
        ),
        schema=schema_of(packet),
    )


def shape_of(packet: Packet) -> str:
    """Gives ``score``, ``pair`` or ``best_worst``, by how many options there are, or its own form.

    Raises:
        InputError: none, more than there are letters, or one without criteria.
    """
    n = len(packet.options)
    if packet.form and (packet.form not in FORMS or n != 1 or not packet.criteria):
        raise InputError(
            f"packet {packet.id} is of form {packet.form!r} with {n} options",
            wanted=f"one of {', '.join(FORMS)}, one option, and criteria",
            code="packet",
        )
    if n == 0 or n > len(LETTERS):
        raise InputError(
            f"packet {packet.id} has {n} options", wanted=f"1 to {len(LETTERS)}", code="packet"
        )
    if n == 1:
        if not packet.criteria:
            raise InputError(
                f"packet {packet.id} has one option and no criteria",
                wanted="criteria to hold it against",
                code="packet",
            )
        return packet.form or "score"
    return "pair" if n == 2 else "best_worst"


def schema_of(packet: Packet) -> dict[str, Any]:
    """Gives the JSON Schema of the answer; criteria are numbered, for ids may say too much."""
    shape = shape_of(packet)
    if shape in FORMS:
        return _object({number: _object(one_schema(packet)) for number, _ in numbered(packet)})
    if shape == "score":
        one = _object(
            {
                "quote": {"type": "string"},
                "score": {"type": "integer", "minimum": 0, "maximum": MOST_SCORE},
            }
        )
        return _object({number: one for number, _ in numbered(packet)})
    letters = {"type": "string", "enum": [*LETTERS[: len(packet.options)], TIE]}
    asked = {"best": letters} if shape == "pair" else {"best": letters, "worst": letters}
    return _object({"reason": {"type": "string"}, **asked})


def numbered(packet: Packet) -> list[tuple[str, str]]:
    """Gives the number under which each criterion is asked, and its id."""
    return [(f"c{place}", one.id) for place, one in enumerate(packet.criteria, start=1)]


def request_sha256(question: Question, posed_as: Posed, settings: Mapping[str, Any]) -> str:
    """Gives the hash of all that may change an answer, including its repeat and its order.

    Args:
        question: the question.
        posed_as: how it is put.
        settings: of the judge: its model and how it is to answer.
    """
    said = [(message.role, message.text) for message in posed_as.messages]
    whose = [question.judge, question.repeat, question.order, question.template]
    return digest(encode([whose, said, posed_as.schema, dict(settings)]))


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _mark(question: Question) -> str:
    packet = question.packet
    texts = [packet.prompt, *(d.text for d in packet.docs), *(o.text for o in packet.options)]
    number = 0
    while True:
        mark = digest(encode(["mark", *question.key, number]))[:_MARK_DIGITS]
        if not any(mark in text for text in texts):
            return mark
        number += 1


def _form(packet: Packet) -> str:
    shape = shape_of(packet)
    if shape in FORMS:
        return form_words(packet, ", ".join(number for number, _ in numbered(packet)))
    head = "Answer with exactly one JSON object and nothing before or after it: "
    if shape == "score":
        names = ", ".join(number for number, _ in numbered(packet))
        return (
            f'{head}{{"c1": {{"quote": "...", "score": 0}}, ...}} with an entry for each of '
            f"{names}. Where a score is above 0, its quote is the words of the text that show it, "
            "copied letter by letter and as few as will do; where it is 0, the quote is empty."
        )
    letters = ", ".join(f'"{letter}"' for letter in LETTERS[: len(packet.options)])
    if shape == "pair":
        return (
            f'{head}{{"reason": "...", "best": ...}}, where reason is one sentence and best is one '
            f'of {letters}, or "{TIE}".'
        )
    return (
        f'{head}{{"reason": "...", "best": ..., "worst": ...}}, where reason is one sentence, and '
        f'best and worst are two different ones of {letters}, or both "{TIE}".'
    )


def _material(packet: Packet, mark: str, most: int) -> Iterator[str]:
    yield f"The question: {packet.ask}"
    if packet.criteria:
        words = {one.id: one.text for one in packet.criteria}
        listed = "\n".join(f"{number}: {words[name]}" for number, name in numbered(packet))
        yield f"The criteria:\n{listed}"
    if packet.prompt:
        yield _framed("the prompt", packet.prompt, mark, most)
    for place, doc in enumerate(packet.docs, start=1):
        name = " ".join(doc.name.split())
        yield _framed(f"document {place} ({name})", doc.text, mark, most)
    for place, option in enumerate(packet.options):
        what = "the text" if len(packet.options) == 1 else f"text {LETTERS[place]}"
        yield _framed(what, option.text, mark, most)


def _framed(what: str, text: str, mark: str, most: int) -> str:
    shown = text[:most]
    cut = f", cut after {most:,} of {len(text):,} characters" if len(text) > most else ""
    return f"[{mark} begin of {what}]\n{shown}\n[{mark} end of {what}{cut}]"
