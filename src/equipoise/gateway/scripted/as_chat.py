"""An answer as OpenAI's Chat Completions have it, whole and streamed."""

from typing import Any

import msgspec

from equipoise.gateway.scripted.saying import Said, pieces

CREATED = 1767225600
"""The second at which every answer was made: the same request gives the same bytes."""

_STOPS = {"end": "stop", "tools": "tool_calls", "length": "length", "refusal": "stop"}


def whole(said: Said) -> dict[str, Any]:
    """Gives the answer in one piece."""
    message: dict[str, Any] = {"role": "assistant", "content": said.text or None, "refusal": None}
    if said.stop == "refusal":
        message |= {"content": None, "refusal": said.text}
    if said.uses:
        message["tool_calls"] = [
            {
                "id": f"call_{use.id}",
                "type": "function",
                "function": {"name": use.name, "arguments": use.arguments},
            }
            for use in said.uses
        ]
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": _STOPS[said.stop]}
    body = {**_head(said, "chat.completion"), "choices": [choice]}
    return body if said.usage is None else {**body, "usage": _usage(said)}


def events(said: Said, *, has_usage: bool) -> list[bytes]:
    """Gives the events of the stream, each as its bytes; usage comes only where it was asked."""
    part = "refusal" if said.stop == "refusal" else "content"
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": "" if said.text else None}]
    deltas += [{part: piece} for piece in pieces(said.text)]
    for index, use in enumerate(said.uses):
        first = {"id": f"call_{use.id}", "type": "function"}
        called = {"index": index, **first, "function": {"name": use.name, "arguments": ""}}
        deltas.append({"tool_calls": [called]})
        deltas += [
            {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}
            for piece in pieces(use.arguments)
        ]
    head = _head(said, "chat.completion.chunk")
    is_told = has_usage and said.usage is not None
    if is_told:
        head["usage"] = None
    choices: list[dict[str, Any]] = [
        {"index": 0, "delta": delta, "finish_reason": None} for delta in deltas
    ]
    choices.append({"index": 0, "delta": {}, "finish_reason": _STOPS[said.stop]})
    found = [_event({**head, "choices": [choice]}) for choice in choices]
    if is_told:
        found.append(_event({**head, "choices": [], "usage": _usage(said)}))
    return [*found, b"data: [DONE]\n\n"]


def _head(said: Said, kind: str) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{said.key}",
        "object": kind,
        "created": CREATED,
        "model": said.model,
    }


def _usage(said: Said) -> dict[str, Any]:
    assert said.usage is not None
    cached = said.usage.cache_read
    prompt = said.usage.input + cached + said.usage.cache_write
    return {
        "prompt_tokens": prompt,
        "completion_tokens": said.usage.output,
        "total_tokens": prompt + said.usage.output,
        "prompt_tokens_details": {
            "cached_tokens": cached,
            "cache_write_tokens": said.usage.cache_write,
        },
    }


def _event(data: dict[str, Any]) -> bytes:
    return b"data: " + msgspec.json.encode(data) + b"\n\n"
