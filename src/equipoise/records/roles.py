"""Who says what: a rater says how good an output is, the runner what it took to make it."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from equipoise.errors import InputError

_TAKEN = re.compile(
    r"(?:n_|num_|total_|mean_|est_|estimated_)*"
    r"(?:(?:input|output|prompt|completion|cached|cache_read|cache_write|reasoning)_?)?"
    r"(?:tokens?(?:_?(?:in|out|used|count|total|usage))?|usage|costs?|prices?|spend|spent|usd|eur"
    r"|latency|duration|elapsed|runtime|wall_?time|wall_?clock|ttft|tool_?calls?|hand_?offs?"
    r"|routing|efficiency)"
    r"(?:_(?:usd|eur|cents?|ms|s|seconds|minutes|used|count|total|p50|p95))*",
    re.IGNORECASE,
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def efficiency_fields(record: Mapping[str, Any]) -> tuple[str, ...]:
    """Gives the fields of a rating, nested ones by path, that say what an output took to make.

    Tokens, cost, time, calls of tools, hand-offs and routing are the runner's to compute. Seconds
    that a rater needed are no such field (``seconds``).
    """
    return tuple(_found(record, ""))


def refuse_efficiency(record: Mapping[str, Any], *, where: str = "") -> None:
    """Refuses a rating that says what the output took to make.

    Raises:
        InputError: it has such a field (``efficiency_in_rating``).
    """
    if found := efficiency_fields(record):
        raise InputError(
            f"a rating with {', '.join(found)}",
            wanted="how good the output is; tokens, cost, time and routing are the runner's to say",
            mend="leave it out: a rater who knows what an output took is not blind",
            where=where,
            code="efficiency_in_rating",
        )


def _found(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            here = f"{path}.{key}" if path else str(key)
            name = _CAMEL.sub("_", str(key)).replace("-", "_").replace(" ", "_")
            if _TAKEN.fullmatch(name):
                yield here
            else:
                yield from _found(inner, here)
    elif isinstance(value, list | tuple):
        for number, inner in enumerate(value):
            yield from _found(inner, f"{path}[{number}]")
