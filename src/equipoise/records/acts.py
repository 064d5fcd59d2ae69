"""How a call of a tool is written down: one form, whoever wrote it and over which wire it came."""

import json
import re
import shlex
from typing import Any

from equipoise.records.conduct import Act

LONGEST = 4000
"""Characters that are kept of what a tool was given."""

_COMMANDS = ("command", "cmd", "script")
"""Fields of a tool's input that hold a command."""

_SHELL = re.compile(r"\S*\b(?:ba|z|da)?sh -l?c ")
_N_SHELL = 3


def act_of(tool: str, given: Any, call: str = "", answer: int = 0) -> Act:
    """Gives a call of a tool with its input: an object, JSON of one, or a command."""
    return Act(
        tool=_clean(tool)[:200],
        given=_text(given)[:LONGEST],
        call=_clean(call)[:200],
        answer=answer,
    )


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
        words = [str(one).strip() if isinstance(one, str | int) else "" for one in given]
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
