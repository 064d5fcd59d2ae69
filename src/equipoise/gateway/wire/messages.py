"""Anthropic's Messages: cached tokens are buckets beside the input."""

from collections.abc import Mapping
from typing import Any

from equipoise.gateway.wire.facts import (
    Found,
    Question,
    has_own_tariff,
    items,
    mapping,
    n_bytes,
    text,
)
from equipoise.gateway.wire.facts import whole_number as number
from equipoise.records.trial import Usage

_TRUNCATED = frozenset({"max_tokens", "model_context_window_exceeded"})
_BY_STATUS = {
    401: "authentication_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


class Messages:
    """``POST /v1/messages`` (https://docs.anthropic.com/en/api/messages)."""

    def question(self, body: Mapping[str, Any], path: str) -> Question:  # noqa: ARG002  the path names no model
        """Reads a request."""
        return Question(
            model=text(body.get("model")),
            tools=tuple(text(mapping(t).get("name")) for t in items(body.get("tools"))),
            n_messages=len(items(body.get("messages"))),
            is_streamed=body.get("stream") is True,
            max_tokens=number(body.get("max_tokens")),
            unbounded="it continues a container" if body.get("container") else "",
        )

    def event(self, found: Found, event: Mapping[str, Any]) -> None:
        """Reads one event of a stream; usage is cumulative, its last word counts."""
        match event.get("type"):
            case "message_start":
                message = mapping(event.get("message"))
                found.model = text(message.get("model")) or None
                _used(found, message.get("usage"))
            case "content_block_start":
                block = mapping(event.get("content_block"))
                found.n_text_bytes += n_bytes(block.get("text"), block.get("name"))
                found.has_hosted_use |= block.get("type") == "server_tool_use"
            case "content_block_delta":
                delta = mapping(event.get("delta"))
                parts = (delta.get(k) for k in ("text", "partial_json", "thinking"))
                found.n_text_bytes += n_bytes(*parts)
            case "message_delta":
                _stopped(found, mapping(event.get("delta")).get("stop_reason"))
                _used(found, event.get("usage"))
            case "message_stop":
                found.is_complete = True
            case "error":
                found.fault = text(mapping(event.get("error")).get("type")) or "error"

    def whole(self, found: Found, body: Mapping[str, Any]) -> None:
        """Reads an answer that came in one piece."""
        if body.get("type") == "error" or "error" in body:
            found.fault = text(mapping(body.get("error")).get("type")) or "error"
            return
        found.model = text(body.get("model")) or None
        _used(found, body.get("usage"))
        _stopped(found, body.get("stop_reason"))
        for block in items(body.get("content")):
            found.n_text_bytes += n_bytes(
                mapping(block).get("text"), mapping(block).get("thinking")
            )
            found.n_text_bytes += n_bytes(str(mapping(block).get("input") or ""))
            found.has_hosted_use |= mapping(block).get("type") == "server_tool_use"
        found.is_complete = True

    def error(self, status: int, kind: str, message: str) -> dict[str, Any]:
        """Puts an error of ours as Anthropic would."""
        kind = kind or _BY_STATUS.get(status, "api_error")
        return {"type": "error", "error": {"type": kind, "message": message}}


def _stopped(found: Found, reason: object) -> None:
    if isinstance(reason, str):
        found.stop_reason = reason
        found.is_truncated = reason in _TRUNCATED
        found.is_refusal = reason == "refusal"


def _used(found: Found, said: object) -> None:
    found.usage = _usage(said, found.usage)
    found.has_own_tariff |= has_own_tariff(mapping(said))
    parts = mapping(mapping(said).get("cache_creation"))
    found.n_long_cached = number(parts.get("ephemeral_1h_input_tokens")) or found.n_long_cached


def _usage(said: object, before: Usage | None) -> Usage | None:
    new = mapping(said)
    if not new:
        return before
    old = before or Usage(convention="extra")

    def last(key: str, held: int | None) -> int | None:
        value = number(new.get(key))
        return held if value is None else value

    return Usage(
        input_tokens=last("input_tokens", old.input_tokens),
        cache_read_tokens=last("cache_read_input_tokens", old.cache_read_tokens),
        cache_write_tokens=last("cache_creation_input_tokens", old.cache_write_tokens),
        output_tokens=last("output_tokens", old.output_tokens),
        convention="extra",
    )
