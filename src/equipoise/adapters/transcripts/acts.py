"""Keeps what a session asked its tools to do, as far as its files tell, within bounds."""

import json
import re
import shlex
from collections import Counter
from typing import Any

import msgspec

from equipoise.adapters.transcripts.values import word
from equipoise.records.conduct import Act

MOST_ACTS = 5000
LONGEST = 4000
_COMMANDS = ("command", "cmd", "script")
"""Fields of a tool's input that hold a command."""

_SHELL = re.compile(r"\S*\b(?:ba|z|da)?sh -l?c ")
_N_SHELL = 3


class Acts:
    """The calls of tools of one session, in their order."""

    def __init__(self) -> None:
        """Begins with none."""
        self.kept: list[Act] = []
        self.n_left_out = 0

    def add(self, tool: str, given: Any) -> None:
        """Adds a call with its input: an object, JSON of one, or a command."""
        if len(self.kept) >= MOST_ACTS:
            self.n_left_out += 1
            return
        self.kept.append(Act(tool=tool[:200], given=_text(given)[:LONGEST]))


def kept(acts: "Acts | None") -> tuple[Act, ...]:
    """Gives what was kept, with a last line that says how many more there were."""
    if acts is None:
        return ()
    more = (Act(tool="", given=f"{acts.n_left_out} more"),) if acts.n_left_out else ()
    return (*acts.kept, *more)


def of_subagent(acts: tuple[Act, ...], name: str) -> tuple[Act, ...]:
    """Gives the same, as those of a sub-agent."""
    return tuple(msgspec.structs.replace(one, by=name) for one in acts)


def united(*lists: tuple[Act, ...]) -> tuple[Act, ...]:
    """Gives the calls of several records of one session, each as often as in the one with most.

    What somebody took out of one of them still stands in the other. They may have other names for
    a tool: what it was given decides.
    """
    found: list[Act] = []
    for number, acts in enumerate(lists):
        left = Counter(one.given for one in found)
        for one in acts:
            if left[one.given] > 0:
                left[one.given] -= 1
            elif one.given or not number:
                found.append(one)
    return tuple(found)


def _text(given: Any) -> str:
    if isinstance(given, str) and given.lstrip().startswith("{"):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            return _clean(given)
    if isinstance(given, dict):
        for name in _COMMANDS:
            if command := given.get(name):
                return _text(command) if isinstance(command, str | list) else _json(given)
        return _json(given)
    if isinstance(given, list):
        words = [word(one) or "" for one in given]
        is_shell = len(words) == _N_SHELL and words[1] in {"-c", "-lc"}
        return _clean(words[-1] if is_shell else shlex.join(words))
    if isinstance(given, str) and _SHELL.match(given):
        try:
            words = shlex.split(given)
        except ValueError:
            words = []
        if len(words) == _N_SHELL:
            return _clean(words[-1])
    return _clean(given) if isinstance(given, str) else ""


def _json(given: dict[str, Any]) -> str:
    try:
        return _clean(json.dumps(given, ensure_ascii=False))
    except (TypeError, ValueError, RecursionError):
        return ""


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
