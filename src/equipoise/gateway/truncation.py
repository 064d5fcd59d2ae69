"""The token limit of answers, and what it does to a batch that met it."""

from collections.abc import Iterable, Mapping

from equipoise.errors import InputError
from equipoise.records.call import ModelCall

MAX_TOKENS = 8192
"""Tokens that an answer may have where nobody says otherwise."""
VARIABLE = "CS_EVAL_MAX_TOKENS"
"""The environment variable that overrides it."""


def max_tokens(environment: Mapping[str, str]) -> int:
    """Gives the token limit of answers: `MAX_TOKENS`, or what the environment says.

    Raises:
        InputError: the variable holds no positive whole number.
    """
    given = environment.get(VARIABLE, "").strip()
    if not given:
        return MAX_TOKENS
    if not given.isascii() or not given.isdigit() or int(given) < 1:
        raise InputError(f"{VARIABLE} is {given!r}", wanted="a whole number of tokens, at least 1")
    return int(given)


def truncated(calls: Iterable[ModelCall]) -> tuple[ModelCall, ...]:
    """Gives the calls whose answer met its token limit."""
    return tuple(call for call in calls if call.is_truncated)


def is_void(calls: Iterable[ModelCall]) -> bool:
    """Says whether one answer met its token limit: then the whole batch shows nothing."""
    return any(call.is_truncated for call in calls)
