"""OpenAI's Chat Completions: cached tokens are part of the prompt's."""

from collections.abc import Mapping
from typing import Any

from equipoise.gateway.wire.facts import (
    Found,
    Question,
    has_own_tariff,
    items,
    mapping,
    n_bytes,
    subset_usage,
    text,
)
from equipoise.gateway.wire.facts import whole_number as number
from equipoise.records.trial import Usage


class Chat:
    """``POST /v1/chat/completions`` (https://platform.openai.com/docs/api-reference/chat)."""

    def question(self, body: Mapping[str, Any], path: str) -> Question:  # noqa: ARG002  the path names no model
        """Reads a request."""
        most = number(body.get("max_completion_tokens"))
        return Question(
            model=text(body.get("model")),
            tools=tuple(_tool(mapping(t)) for t in items(body.get("tools"))),
            n_messages=len(items(body.get("messages"))),
            is_streamed=body.get("stream") is True,
            max_tokens=number(body.get("max_tokens")) if most is None else most,
            n_answers=max(number(body.get("n")) or 1, 1),
        )

    def event(self, found: Found, event: Mapping[str, Any]) -> None:
        """Reads one chunk of a stream; the last ones carry the reason and, where asked, usage."""
        if event.get("done") is True:
            found.is_complete = found.is_complete or not found.fault
            return
        self._read(found, event, "delta")

    def whole(self, found: Found, body: Mapping[str, Any]) -> None:
        """Reads an answer that came in one piece."""
        self._read(found, body, "message")
        found.is_complete = not found.fault

    def error(self, status: int, kind: str, message: str) -> dict[str, Any]:
        """Puts an error of ours as OpenAI would."""
        return openai_error(status, kind, message)

    def _read(self, found: Found, body: Mapping[str, Any], part: str) -> None:
        if body.get("error"):
            found.fault = fault_of(body["error"])
            return
        found.model = text(body.get("model")) or found.model
        found.usage = _usage(mapping(body.get("usage"))) or found.usage
        found.has_own_tariff |= has_own_tariff(body)
        for choice in map(mapping, items(body.get("choices"))):
            said = mapping(choice.get(part))
            found.n_text_bytes += n_bytes(said.get("content"), said.get("refusal"))
            for call in map(mapping, items(said.get("tool_calls"))):
                function = mapping(call.get("function"))
                found.n_text_bytes += n_bytes(function.get("name"), function.get("arguments"))
            found.is_refusal = found.is_refusal or bool(said.get("refusal"))
            _stopped(found, choice.get("finish_reason"))


def openai_error(status: int, kind: str, message: str) -> dict[str, Any]:
    """Puts an error of ours as OpenAI would."""
    family = "invalid_request_error" if status < 500 else "server_error"
    return {"error": {"message": message, "type": family, "param": None, "code": kind or family}}


def fault_of(error: object) -> str:
    """Gives OpenAI's word for an error."""
    said = mapping(error)
    return text(said.get("code")) or text(said.get("type")) or "error"


def _tool(tool: Mapping[str, Any]) -> str:
    inner = mapping(tool.get("function") or tool.get("custom"))
    return text(inner.get("name")) or text(tool.get("type"))


def _stopped(found: Found, reason: object) -> None:
    if isinstance(reason, str):
        found.stop_reason = reason
        found.is_truncated = found.is_truncated or reason == "length"
        found.is_refusal = found.is_refusal or reason == "content_filter"


def _usage(said: Mapping[str, Any]) -> Usage | None:
    parts = mapping(said.get("prompt_tokens_details"))
    cached, written = number(parts.get("cached_tokens")), number(parts.get("cache_write_tokens"))
    prompt, output = number(said.get("prompt_tokens")), number(said.get("completion_tokens"))
    return subset_usage(prompt, cached, output, written)
