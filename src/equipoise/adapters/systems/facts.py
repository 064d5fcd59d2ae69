"""Reads what a JSON answer says of itself: its cost, its tokens, the model, why it stopped."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import msgspec

from equipoise.errors import InputError, nearest
from equipoise.ports import Answer
from equipoise.records.trial import Ending, EndingKind, Fault, Usage

_TOKENS = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")
_KEYS = ("cost_usd", "model", "version", "stop", *_TOKENS)
_TRUNCATED = frozenset({"length", "max_tokens", "MAX_TOKENS", "max_output_tokens"})
_REFUSED = frozenset({"refusal", "content_filter", "SAFETY"})


class Facts:
    """Where in a JSON answer its facts stand: name -> dotted path (``usage.cost_usd``)."""

    def __init__(self, paths: Mapping[str, Any], *, where: str) -> None:
        """Keeps the paths.

        Raises:
            InputError: a name is not known.
        """
        for name, path in paths.items():
            if name not in _KEYS or not isinstance(path, str):
                raise InputError(
                    f"{where} has {name!r}: {path!r}",
                    wanted=f"some of {', '.join(_KEYS)}, each with a dotted path",
                    mend=nearest(str(name), list(_KEYS)),
                    code="unknown_key",
                )
        self._paths = dict(paths)

    def added(self, answer: Answer) -> Answer:
        """Gives the answer with the facts that its output tells; what it does not tell is null.

        An answer that stopped at a token limit is `truncated`, one that was declined `refused`.
        """
        if not self._paths or answer.output is None:
            return answer
        try:
            content = msgspec.json.decode(answer.output)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return answer
        found = {name: _at(content, path) for name, path in self._paths.items()}
        tokens = {name: _count(found.get(name)) for name in _TOKENS}
        has_tokens = any(value is not None for value in tokens.values())
        version = found.get("version")
        return replace(
            answer,
            ending=_ending(answer.ending, found.get("stop")),
            cost_usd=_amount(found.get("cost_usd")),
            model_answered=_text(found.get("model")),
            usage=msgspec.convert(tokens, Usage) if has_tokens else None,
            versions={"system": str(version)} if version is not None else {},
        )


def _ending(ending: Ending, stop: Any) -> Ending:
    if ending.kind is not EndingKind.COMPLETED or not isinstance(stop, str):
        return ending
    if stop in _TRUNCATED:
        return Ending(kind=EndingKind.TRUNCATED, fault=Fault.UNKNOWN, detail=f"stopped: {stop}")
    if stop in _REFUSED:
        return Ending(kind=EndingKind.REFUSED, fault=Fault.SYSTEM, detail=f"stopped: {stop}")
    return ending


def _at(content: Any, path: str) -> Any:
    for step in path.split("."):
        if isinstance(content, list) and step.isdecimal() and int(step) < len(content):
            content = content[int(step)]
        elif isinstance(content, Mapping):
            content = content.get(step)
        else:
            return None
    return content


def _amount(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value < math.inf else None


def _count(value: Any) -> int | None:
    is_count = isinstance(value, int) and not isinstance(value, bool)
    return value if is_count and 0 <= value <= 2**53 else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
