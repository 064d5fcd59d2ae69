"""Brings tokens, whatever the source's counting, to what the vendor bills."""

from typing import Any

from equipoise.records.trial import Usage


def whole(value: Any) -> int | None:
    """Gives a token count >= 0; None for everything that is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if 0 <= value < 1 << 53 else None


def inspect_usage(found: Any) -> Usage | None:
    """Gives the tokens of an Inspect ``ModelUsage``; the counting is told by its own total.

    Where the total contains the cached tokens beside input and output they are a bucket of their
    own (``extra``); where input and output alone make the total they were part of the input
    (``subset``) and are taken out.
    """
    if not isinstance(found, dict):
        return None
    inputs, outputs = whole(found.get("input_tokens")), whole(found.get("output_tokens"))
    read = whole(found.get("input_tokens_cache_read"))
    write = whole(found.get("input_tokens_cache_write"))
    if inputs is None and outputs is None:
        return None
    convention = "unknown"
    total = whole(found.get("total_tokens"))
    if (read or write) and total is not None:
        plain = (inputs or 0) + (outputs or 0)
        if total == plain + (read or 0) + (write or 0):
            convention = "extra"
        elif total == plain and inputs is not None and (read or 0) + (write or 0) <= inputs:
            convention = "subset"
            inputs -= (read or 0) + (write or 0)
    return Usage(
        input_tokens=inputs,
        output_tokens=outputs,
        cache_read_tokens=read,
        cache_write_tokens=write,
        convention=convention,
    )


def claude_usage(found: Any) -> Usage | None:
    """Gives the tokens of an Anthropic usage object, which counts the cache beside the input."""
    if not isinstance(found, dict):
        return None
    counts: dict[str, Any] = {
        "input_tokens": whole(found.get("input_tokens")),
        "output_tokens": whole(found.get("output_tokens")),
        "cache_read_tokens": whole(found.get("cache_read_input_tokens")),
        "cache_write_tokens": whole(found.get("cache_creation_input_tokens")),
    }
    if all(value is None for value in counts.values()):
        return None
    return Usage(**counts, convention="extra")


def added(first: Usage | None, second: Usage | None) -> Usage | None:
    """Gives the sum of two usages; what only one of them records is kept as it is."""
    if first is None or second is None:
        return first or second
    return first.plus(second)


def openai_usage(found: Any) -> Usage | None:
    """Gives the tokens of an OpenAI usage object, of Responses, Chat Completions or Codex.

    Cached tokens are a part of the input there, and are taken out of it.
    """
    if not isinstance(found, dict):
        return None
    inputs = _first(found, "input_tokens", "prompt_tokens")
    outputs = _first(found, "output_tokens", "completion_tokens")
    if inputs is None and outputs is None:
        return None
    parts = found.get("input_tokens_details") or found.get("prompt_tokens_details")
    parts = parts if isinstance(parts, dict) else {}
    read = _first(found, "cached_input_tokens", "cached")
    read = whole(parts.get("cached_tokens")) if read is None else read
    write = _first(found, "cache_write_input_tokens")
    return subset_usage(inputs, outputs, read, write)


def subset_usage(
    inputs: int | None, outputs: int | None, read: int | None, write: int | None
) -> Usage:
    """Gives a usage whose cached tokens were counted as a part of the input."""
    cached = (read or 0) + (write or 0)
    if inputs is not None and cached > inputs:  # no part of it, whatever the vendor says
        return Usage(
            input_tokens=inputs,
            output_tokens=outputs,
            cache_read_tokens=read,
            cache_write_tokens=write,
        )
    return Usage(
        input_tokens=None if inputs is None else inputs - cached,
        output_tokens=outputs,
        cache_read_tokens=read,
        cache_write_tokens=write,
        convention="subset",
    )


def _first(found: dict[str, Any], *names: str) -> int | None:
    return next((n for name in names if (n := whole(found.get(name))) is not None), None)
