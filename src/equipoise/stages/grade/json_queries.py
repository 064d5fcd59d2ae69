"""JSONPath queries (RFC 9535) in which no expression can run for ever."""

from functools import lru_cache
from typing import Any

import jsonpath
import regex
from jsonpath.function_extensions import ExpressionType, FilterFunction

PATTERN_SECONDS = 1.0
"""Longest time that one regular expression may take in one document."""


@lru_cache(maxsize=4096)
def compiled_query(path: str) -> jsonpath.JSONPath | jsonpath.CompoundJSONPath:
    """Gives the compiled query.

    Raises:
        jsonpath.JSONPathError: it is none.
    """
    query: jsonpath.JSONPath | jsonpath.CompoundJSONPath = _ENVIRONMENT.compile(path)
    return query


class _Matching(FilterFunction):
    """The standard's `match` and `search`, with an end to how long they may take."""

    arg_types = [ExpressionType.VALUE, ExpressionType.VALUE]  # noqa: RUF012  as the library has it
    return_type = ExpressionType.LOGICAL

    def __init__(self, *, is_whole: bool) -> None:
        self._is_whole = is_whole

    def __call__(self, value: object, pattern: object) -> bool:
        if not isinstance(value, str) or not isinstance(pattern, str):
            return False
        try:
            expression = regex.compile(pattern)
        except regex.error:
            return False
        look = expression.fullmatch if self._is_whole else expression.search
        return look(value, timeout=PATTERN_SECONDS) is not None


def _environment() -> Any:
    environment = jsonpath.JSONPathEnvironment(strict=True)
    environment.function_extensions["match"] = _Matching(is_whole=True)
    environment.function_extensions["search"] = _Matching(is_whole=False)
    return environment


_ENVIRONMENT = _environment()
