"""OpenAI's Responses: cached tokens are part of the input; the state may be the provider's."""

from collections.abc import Mapping
from typing import Any

from equipoise.gateway.wire.chat import fault_of, openai_error
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

_HOSTED = ("web_search", "file_search", "code_interpreter", "image_generation", "mcp")


class Responses:
    """``POST /v1/responses`` (https://platform.openai.com/docs/api-reference/responses)."""

    def question(self, body: Mapping[str, Any], path: str) -> Question:  # noqa: ARG002  the path names no model
        """Reads a request."""
        sent = body.get("input")
        return Question(
            model=text(body.get("model")),
            tools=tuple(
                text(t.get("name")) or text(t.get("type"))
                for t in map(mapping, items(body.get("tools")))
            ),
            n_messages=len(sent) if isinstance(sent, list) else int(bool(sent)),
            is_streamed=body.get("stream") is True,
            max_tokens=number(body.get("max_output_tokens")),
            unbounded=_unbounded(body),
        )

    def event(self, found: Found, event: Mapping[str, Any]) -> None:
        """Reads one event of a stream; the last one carries the whole answer."""
        match event.get("type"):
            case "response.created" | "response.in_progress":
                found.model = text(mapping(event.get("response")).get("model")) or found.model
            case "response.completed" | "response.incomplete" | "response.failed":
                found.n_text_bytes = 0
                self.whole(found, mapping(event.get("response")))
            case "error":
                found.fault = fault_of(event.get("error") or event)
            case kind if isinstance(kind, str) and kind.endswith(".delta"):
                found.n_text_bytes += n_bytes(event.get("delta"))
            case _:
                pass

    def whole(self, found: Found, body: Mapping[str, Any]) -> None:
        """Reads an answer that came in one piece."""
        found.model = text(body.get("model")) or found.model
        usage = mapping(body.get("usage"))
        parts = mapping(usage.get("input_tokens_details"))
        cached, written = (
            number(parts.get("cached_tokens")),
            number(parts.get("cache_write_tokens")),
        )
        given, output = number(usage.get("input_tokens")), number(usage.get("output_tokens"))
        found.usage = subset_usage(given, cached, output, written)
        found.has_own_tariff |= has_own_tariff(body)
        if body.get("error"):
            found.fault = fault_of(body["error"])
        _stopped(found, body)
        for item in map(mapping, items(body.get("output"))):
            found.has_hosted_use |= text(item.get("type")).startswith(_HOSTED)
            found.n_text_bytes += n_bytes(*(item.get(k) for k in ("name", "arguments", "input")))
            for part in map(mapping, items(item.get("content"))):
                found.n_text_bytes += n_bytes(part.get("text"), part.get("refusal"))
                found.is_refusal = found.is_refusal or part.get("type") == "refusal"
        found.is_complete = not found.fault

    def error(self, status: int, kind: str, message: str) -> dict[str, Any]:
        """Puts an error of ours as OpenAI would."""
        return openai_error(status, kind, message)


def _stopped(found: Found, body: Mapping[str, Any]) -> None:
    status, why = (
        text(body.get("status")),
        text(mapping(body.get("incomplete_details")).get("reason")),
    )
    found.stop_reason = f"{status}: {why}" if why else status or None
    found.is_truncated = why == "max_output_tokens"
    found.is_refusal = why == "content_filter"


def _unbounded(body: Mapping[str, Any]) -> str:
    held = (k for k in ("previous_response_id", "conversation", "prompt") if body.get(k))
    key = next(held, "")
    return f"it continues what the provider holds ({key})" if key else ""
