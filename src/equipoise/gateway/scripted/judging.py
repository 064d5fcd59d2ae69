"""A stand-in for a judge: reads the texts it is asked about and picks one by a rule; simulated."""

import hashlib
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self

import anyio
import msgspec
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from equipoise.errors import InputError
from equipoise.gateway.exchange import Answered, Asked
from equipoise.gateway.scripted.conversation import conversation
from equipoise.gateway.scripted.judging_lists import covering, deciding
from equipoise.gateway.scripted.scenario import Pattern, Scenario, Turn
from equipoise.gateway.scripted.upstream import Scripted
from equipoise.gateway.wire.facts import mapping
from equipoise.records.wanted import shown, wanted

Share = Annotated[float, Field(ge=0.0, le=1.0)]

_MARK = re.compile(r"carry the mark ([0-9a-f]{16})")
_CRITERION = re.compile(r"^(c[0-9]+): (.*)$", re.MULTILINE)
_ORDER = re.compile(r"\b(?:choose|pick|prefer) (?:text )?([A-Z])\b|\bbest\W+([A-Z])\b")
_PARDON = re.compile(r"\bscore (?:it |this )?0\b", re.IGNORECASE)
_LONGEST_QUOTE = 60


class JudgeScript(BaseModel):
    """How the stand-in judges.

    Args:
        acts: ``first`` or ``last`` takes the text at that place; ``longest`` the longest one;
            ``better`` the one in which `finds` finds the larger number; ``tie`` none; ``obeys``
            does what any text orders it to (``choose A``); ``heeds`` only what stands outside the
            frames of the texts.
        finds: in a text that is held against criteria: it applies where the expression is found,
            which is quoted. Between texts: what is compared, by its first group as a number.
        covers: of a list that is held against requirements: an expression found in a requirement
            -> the one found in an item that meets it.
        accuracy: how often it says what the rule gives; else something else, drawn by the question.
        unreadable, refused, truncated: how often it gives such an answer.
        seed: of what is drawn.
        delay_s: how long it takes for each answer.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    acts: Literal["first", "last", "longest", "better", "tie", "obeys", "heeds"] = "better"
    finds: Pattern = ""
    covers: dict[Pattern, Pattern] = {}
    accuracy: Share = 1.0
    unreadable: Share = 0.0
    refused: Share = 0.0
    truncated: Share = 0.0
    seed: int = 0
    delay_s: float = 0.0


def judge_script(said: Any) -> JudgeScript:
    """Reads what a study says of the stand-in: a rule alone, or a mapping.

    Raises:
        InputError: it is none; names the field.
    """
    try:
        return JudgeScript.model_validate({"acts": said} if isinstance(said, str) else said)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        raise InputError(
            f"scripted_judge: field {field!r} is {shown(first['input'])}",
            wanted=wanted(first),
            code="scripted_judge",
        ) from error


class ScriptedJudge:
    """Answers questions about texts by a rule; the same question always gets the same answer."""

    name = "scripted"
    vendor = "scripted"
    patience = 0.02

    def __init__(self, script: JudgeScript) -> None:
        """Takes the rule."""
        self._script = script

    async def __aenter__(self) -> Self:
        """Needs nothing."""
        return self

    async def __aexit__(self, *error: object) -> None:
        """Leaves nothing."""

    @asynccontextmanager
    async def answer(self, asked: Asked) -> AsyncIterator[Answered]:
        """Answers by the rule."""
        body = mapping(msgspec.json.decode(asked.body))
        turn = _turn(self._script, conversation(asked.api, body).prompt)
        if self._script.delay_s:
            await anyio.sleep(self._script.delay_s)
        async with Scripted(Scenario(turns=(turn,))).answer(asked) as answered:
            yield answered


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    """A question as the stand-in sees it: texts by letter, criteria, and what is outside them."""

    texts: Mapping[str, str]
    criteria: Mapping[str, str]
    outside: str
    asks_worst: bool


def _turn(script: JudgeScript, prompt: str) -> Turn:
    chance = _draws(script.seed, prompt)
    at = chance(0)
    if at < script.refused:
        return Turn(say="I cannot help with that.", stop="refusal")
    if at < script.refused + script.truncated:
        return Turn(say='{"reason": "the', stop="length")
    if at < script.refused + script.truncated + script.unreadable:
        return Turn(say='Both have merits; on the whole {"best": "A"} might be said.')
    seen = _seen(prompt)
    if seen is None:
        return Turn(say="I see no texts.")
    is_right = chance(1) < script.accuracy
    said = (
        _scored(script, seen, is_right=is_right)
        if seen.criteria
        else _chosen(script, seen, chance(2), is_right=is_right)
    )
    return Turn(say=msgspec.json.encode(said).decode())


def _draws(seed: int, prompt: str) -> Any:
    """Gives numbers in [0, 1) that depend on nothing but the question and the seed."""

    def chance(number: int) -> float:
        text = f"{seed}:{number}:{prompt}".encode("utf-8", "surrogatepass")
        return int.from_bytes(hashlib.sha256(text).digest()[:6], "big") / 2**48

    return chance


def _seen(prompt: str) -> _Seen | None:
    found = _MARK.search(prompt)
    if found is None:
        return None
    frame = re.compile(
        rf"\[{found[1]} begin of ([^\]\n]+)\]\n(.*?)\n\[{found[1]} end of [^\]\n]*\]", re.DOTALL
    )
    framed = dict(frame.findall(prompt))
    outside = frame.sub("", prompt)
    texts = {
        what.removeprefix("text "): text
        for what, text in framed.items()
        if what.startswith("text ") or what == "the text"
    }
    return _Seen(
        texts=texts,
        criteria=dict(_CRITERION.findall(outside)),
        outside=outside,
        asks_worst='"worst": ...' in outside,
    )


def _scored(script: JudgeScript, seen: _Seen, *, is_right: bool) -> dict[str, Any]:
    text = next(iter(seen.texts.values()), "")
    obeys = script.acts == "obeys"
    if '"items": [' in seen.outside:
        told = (script.covers, seen.criteria, text)
        return covering(*told, obeys=obeys, is_right=is_right)
    if '"answer": ' in seen.outside:
        return deciding(script.finds, seen.criteria, text, obeys=obeys, is_right=is_right)
    found = re.search(script.finds, text) if script.finds else None
    applies = (found is not None) is is_right
    if obeys and _PARDON.search(text):
        applies = False
    quote = found[0] if found and found[0].strip() else _first_words(text)
    one = {"quote": quote if applies else "", "score": 10 if applies and quote else 0}
    return dict.fromkeys(seen.criteria, one)


def _first_words(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[0][:_LONGEST_QUOTE].strip() if lines else ""


def _chosen(script: JudgeScript, seen: _Seen, at: float, *, is_right: bool) -> dict[str, Any]:
    letters = sorted(seen.texts)
    ranked = _ranked(script, seen, letters)
    if not is_right:
        others = [letter for letter in letters if letter != ranked[0]]
        best = others[int(at * len(others))]
        ranked = [best, *(letter for letter in letters if letter != best)]
    said = {"reason": f"by the rule {script.acts}", "best": ranked[0]}
    return said | {"worst": ranked[-1]} if seen.asks_worst else said


def _ranked(script: JudgeScript, seen: _Seen, letters: list[str]) -> list[str]:
    """Gives the letters from best to worst, or ``tie`` alone."""
    rules = {
        "first": lambda: letters,
        "last": lambda: letters[::-1],
        "longest": lambda: _by(letters, {k: float(len(v)) for k, v in seen.texts.items()}),
        "better": lambda: _by(letters, {k: _number(script, v) for k, v in seen.texts.items()}),
        "tie": lambda: ["tie"],
        "obeys": lambda: _ordered("\n".join([seen.outside, *seen.texts.values()]), letters),
        "heeds": lambda: _ordered(seen.outside, letters),
    }
    return rules[script.acts]()


def _by(letters: list[str], worth: Mapping[str, float]) -> list[str]:
    if len(set(worth.values())) == 1:
        return ["tie"]
    return sorted(letters, key=lambda letter: -worth[letter])


def _number(script: JudgeScript, text: str) -> float:
    found = re.search(script.finds, text) if script.finds else None
    if found is None:
        return 0.0
    try:
        return float(found[1])
    except (IndexError, ValueError, TypeError):
        return 1.0


def _ordered(words: str, letters: list[str]) -> list[str]:
    for found in _ORDER.finditer(words):
        letter = found[1] or found[2]
        if letter in letters:
            return [letter, *(other for other in letters if other != letter)]
    return ["tie"]
