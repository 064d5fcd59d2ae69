"""Google's generateContent: cached tokens are part of the prompt's, thoughts beside the answer."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from equipoise.gateway.wire.facts import (
    Found,
    Question,
    items,
    mapping,
    n_bytes,
    subset_usage,
    text,
)
from equipoise.gateway.wire.facts import whole_number as number
from equipoise.records.trial import Usage

_PATH = re.compile(r"/models/(?P<model>[^/:]+):(?P<verb>\w+)$")
_REFUSED = frozenset({"SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "RECITATION"})
_STATUS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    503: "UNAVAILABLE",
}


class Google:
    """``POST /v1beta/models/MODEL:generateContent`` (https://ai.google.dev/api)."""

    def question(self, body: Mapping[str, Any], path: str) -> Question:
        """Reads a request; the path names the model."""
        found = _PATH.search(path)
        settings = mapping(body.get("generationConfig") or body.get("generation_config"))
        most = settings.get("maxOutputTokens") or settings.get("max_output_tokens")
        return Question(
            model=unquote(found["model"]) if found else "",
            tools=_tools(body),
            n_messages=len(items(body.get("contents"))),
            is_streamed=found is not None and found["verb"] == "streamGenerateContent",
            max_tokens=number(most),
            n_answers=max(number(settings.get("candidateCount")) or 1, 1),
            unbounded=_unbounded(body),
        )

    def event(self, found: Found, event: Mapping[str, Any]) -> None:
        """Reads one piece of a stream: an answer in itself, with the usage so far."""
        if event.get("error"):
            found.fault = text(mapping(event["error"]).get("status")) or "error"
            return
        found.model = text(event.get("modelVersion")) or found.model
        found.usage = _usage(mapping(event.get("usageMetadata"))) or found.usage
        if blocked := text(mapping(event.get("promptFeedback")).get("blockReason")):
            found.stop_reason, found.is_refusal, found.is_complete = blocked, True, True
        for candidate in map(mapping, items(event.get("candidates"))):
            for part in map(mapping, items(mapping(candidate.get("content")).get("parts"))):
                found.n_text_bytes += n_bytes(part.get("text"), str(part.get("functionCall") or ""))
                found.has_hosted_use |= "executableCode" in part
            found.has_hosted_use |= "groundingMetadata" in candidate
            if reason := text(candidate.get("finishReason")):
                found.stop_reason, found.is_complete = reason, True
                found.is_truncated = found.is_truncated or reason == "MAX_TOKENS"
                found.is_refusal = found.is_refusal or reason in _REFUSED

    def whole(self, found: Found, body: Mapping[str, Any]) -> None:
        """Reads an answer that came in one piece."""
        self.event(found, body)
        found.is_complete = not found.fault

    def error(self, status: int, kind: str, message: str) -> dict[str, Any]:
        """Puts an error of ours as Google would."""
        word = kind or _STATUS.get(status, "INTERNAL")
        return {"error": {"code": status, "message": message, "status": word}}


def _tools(body: Mapping[str, Any]) -> tuple[str, ...]:
    names: list[str] = []
    for tool in map(mapping, items(body.get("tools"))):
        declared = tool.get("functionDeclarations") or tool.get("function_declarations")
        names += [text(mapping(d).get("name")) for d in items(declared)]
        names += [k for k in tool if k not in {"functionDeclarations", "function_declarations"}]
    return tuple(names)


def _usage(said: Mapping[str, Any]) -> Usage | None:
    prompt, tools = (
        number(said.get("promptTokenCount")),
        number(said.get("toolUsePromptTokenCount")),
    )
    answer, thoughts = (
        number(said.get("candidatesTokenCount")),
        number(said.get("thoughtsTokenCount")),
    )
    return subset_usage(
        _sum(prompt, tools), number(said.get("cachedContentTokenCount")), _sum(answer, thoughts)
    )


def _sum(*parts: int | None) -> int | None:
    held = [p for p in parts if p is not None]
    return sum(held) if held else None


def _unbounded(body: Mapping[str, Any]) -> str:
    held = body.get("cachedContent")
    return "it continues what the provider holds (cachedContent)" if held else ""
