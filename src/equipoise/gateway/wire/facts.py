"""What is read from requests and answers, whatever the vendor's format."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from equipoise.records.trial import Usage


class Api(StrEnum):
    """The wire formats, by the names that `ModelCall.api` has."""

    MESSAGES = "anthropic-messages"
    RESPONSES = "openai-responses"
    CHAT = "openai-chat"
    GOOGLE = "google"


SETTINGS = (
    *("temperature", "top_p", "top_k", "seed", "max_tokens", "max_completion_tokens"),
    *("max_output_tokens", "reasoning_effort", "service_tier", "n", "stop", "topP", "topK"),
    *("maxOutputTokens", "candidateCount", "frequency_penalty", "presence_penalty"),
)
"""What a request may set of how it is answered, by the vendors' names."""
_NESTED = (
    *(("reasoning", "effort"), ("thinking", "type"), ("thinking", "budget_tokens")),
    *(("output_config", "effort"), ("thinkingConfig", "thinkingBudget"), ("text", "verbosity")),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a request asks for.

    `max_tokens` is null where the request does not bound its answer; `n_answers` how many it asks
    for. `unbounded` says why the size of the request does not bound its input tokens (an earlier
    answer or a file that the provider is to fetch); empty = it does. `settings` are those of
    `SETTINGS` that it holds. `hosted` names a tool that the provider would run itself, and charge
    for beside the tokens; `fetched` what it would fetch from elsewhere. `prompt` is the hash of
    what a model sees of it.
    """

    model: str
    tools: tuple[str, ...] = ()
    n_messages: int = 0
    is_streamed: bool = False
    max_tokens: int | None = None
    n_answers: int = 1
    hosted: str = ""
    fetched: str = ""
    unbounded: str = ""
    prompt: str = ""
    settings: Mapping[str, float | str] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class Found:
    """What an answer says of itself, filled while it is read.

    `is_complete`: the answer came to its own end. `fault` is the provider's word for an error in
    it. `n_text_bytes` counts the text and the tool arguments, for an estimate where no usage came;
    `n_long_cached` the tokens that were written to a cache for an hour, which cost more.
    `has_hosted_use`: the provider ran a tool of its own, which costs beside the tokens;
    `has_own_tariff`: it answered in a tier, at a speed or in a place that has prices of its own.
    """

    model: str | None = None
    usage: Usage | None = None
    stop_reason: str | None = None
    is_truncated: bool = False
    is_refusal: bool = False
    is_complete: bool = False
    fault: str = ""
    n_text_bytes: int = 0
    n_long_cached: int = 0
    has_hosted_use: bool = False
    has_own_tariff: bool = False


class Vendor(Protocol):
    """One wire format."""

    def question(self, body: Mapping[str, Any], path: str) -> Question:
        """Reads a request."""
        ...

    def event(self, found: Found, event: Mapping[str, Any]) -> None:
        """Reads one event of a stream."""
        ...

    def whole(self, found: Found, body: Mapping[str, Any]) -> None:
        """Reads an answer that came in one piece."""
        ...

    def error(self, status: int, kind: str, message: str) -> dict[str, Any]:
        """Puts an error of ours as the vendor would."""
        ...


def mapping(value: object) -> Mapping[str, Any]:
    """Gives the value where it is a JSON object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def items(value: object) -> list[Any]:
    """Gives the value where it is a JSON array, else an empty one."""
    return value if isinstance(value, list) else []


def text(value: object) -> str:
    """Gives the value where it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def whole_number(value: object) -> int | None:
    """Gives the value where it is a number that counts something, else null."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 2**53:
        return None
    return int(value)


def settings_of(said: Mapping[str, Any]) -> dict[str, float | str]:
    """Gives the settings that a request holds; a nested one as ``thinking.type``."""
    found: dict[str, float | str] = {}
    for key in SETTINGS:
        _set(found, key, said.get(key))
    for outer, inner in _NESTED:
        _set(found, f"{outer}.{inner}", mapping(said.get(outer)).get(inner))
    return found


def _set(found: dict[str, float | str], key: str, value: object) -> None:
    if isinstance(value, int | float | str) and not isinstance(value, bool):
        found[key] = value if isinstance(value, str) else float(value)


def has_own_tariff(said: Mapping[str, Any]) -> bool:
    """Says whether a request or an answer names a tier, a speed or a place with its own prices."""
    tier, speed, place = (said.get(k) for k in ("service_tier", "speed", "inference_geo"))
    is_plain = tier in {None, "standard", "default", "auto", "standard_only"}
    return not is_plain or speed == "fast" or place not in {None, "global", "not_available"}


def n_bytes(*values: object) -> int:
    """Counts the bytes of those values that are text."""
    return sum(len(v.encode("utf-8", "surrogatepass")) for v in values if isinstance(v, str))


def subset_usage(
    total: int | None, cached: int | None, output: int | None, written: int | None = None
) -> Usage | None:
    """Gives the usage where cached tokens are part of the input; null where nothing was said."""
    if total is None and output is None:
        return None
    fresh = None if total is None else max(total - (cached or 0) - (written or 0), 0)
    return Usage(
        input_tokens=fresh,
        cache_read_tokens=cached,
        cache_write_tokens=written,
        output_tokens=output,
        convention="subset",
    )
