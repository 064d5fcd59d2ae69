"""An answer as Anthropic's Messages have it, whole and streamed."""

from typing import Any

import msgspec

from equipoise.gateway.scripted.saying import Said, pieces

_STOPS = {
    "end": "end_turn",
    "tools": "tool_use",
    "length": "max_tokens",
    "refusal": "refusal",
}


def whole(said: Said) -> dict[str, Any]:
    """Gives the answer in one piece."""
    body = {
        "id": f"msg_{said.key}",
        "type": "message",
        "role": "assistant",
        "model": said.model,
        "content": _blocks(said),
        "stop_reason": _STOPS[said.stop],
        "stop_sequence": None,
    }
    return body if said.usage is None else {**body, "usage": _usage(said)}


def events(said: Said) -> list[bytes]:
    """Gives the events of the stream, each as its bytes."""
    start = {**whole(said), "content": [], "stop_reason": None}
    if "usage" in start:
        start["usage"] = {**start["usage"], "output_tokens": 1}
    found = [_event("message_start", message=start), _event("ping")]
    for index, block in enumerate(_blocks(said)):
        found += _block(index, block)
    delta = {"stop_reason": _STOPS[said.stop], "stop_sequence": None}
    ending: dict[str, Any] = {"delta": delta}
    if said.usage is not None:
        ending["usage"] = {"output_tokens": said.usage.output}
    return [*found, _event("message_delta", **ending), _event("message_stop")]


def _block(index: int, block: dict[str, Any]) -> list[bytes]:
    if block["type"] == "text":
        empty: dict[str, Any] = {"type": "text", "text": ""}
        deltas = [{"type": "text_delta", "text": t} for t in pieces(block["text"])]
    else:
        empty = {**block, "input": {}}
        written = msgspec.json.encode(block["input"]).decode()
        parts = ["", *pieces(written)]
        deltas = [{"type": "input_json_delta", "partial_json": p} for p in parts]
    return [
        _event("content_block_start", index=index, content_block=empty),
        *(_event("content_block_delta", index=index, delta=delta) for delta in deltas),
        _event("content_block_stop", index=index),
    ]


def _blocks(said: Said) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = [{"type": "text", "text": said.text}] if said.text else []
    return blocks + [
        {"type": "tool_use", "id": f"toolu_{use.id}", "name": use.name, "input": dict(use.input)}
        for use in said.uses
    ]


def _usage(said: Said) -> dict[str, Any]:
    assert said.usage is not None
    return {
        "input_tokens": said.usage.input,
        "cache_creation_input_tokens": said.usage.cache_write,
        "cache_read_input_tokens": said.usage.cache_read,
        "output_tokens": said.usage.output,
    }


def _event(kind: str, **fields: Any) -> bytes:
    data = msgspec.json.encode({"type": kind, **fields})
    return b"event: " + kind.encode() + b"\ndata: " + data + b"\n\n"
