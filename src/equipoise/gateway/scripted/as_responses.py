"""An answer as OpenAI's Responses have it, whole and streamed."""

from itertools import count
from typing import Any

import msgspec

from equipoise.gateway.scripted.as_chat import CREATED
from equipoise.gateway.scripted.saying import Said, Use, pieces


def whole(said: Said) -> dict[str, Any]:
    """Gives the answer in one piece."""
    is_cut = said.stop == "length"
    body = {
        "id": f"resp_{said.key}",
        "object": "response",
        "created_at": CREATED,
        "status": "incomplete" if is_cut else "completed",
        "error": None,
        "incomplete_details": {"reason": "max_output_tokens"} if is_cut else None,
        "model": said.model,
        "output": _items(said),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": None,
    }
    return body if said.usage is None else {**body, "usage": _usage(said)}


def events(said: Said) -> list[bytes]:
    """Gives the events of the stream, each as its bytes, numbered."""
    end = whole(said)
    begun = {**end, "status": "in_progress", "incomplete_details": None, "output": []}
    begun["usage"] = None
    found: list[dict[str, Any]] = [
        {"type": "response.created", "response": begun},
        {"type": "response.in_progress", "response": begun},
    ]
    for index, item in enumerate(_items(said)):
        found += _message(index, item) if item["type"] == "message" else _call(index, item)
    found.append({"type": f"response.{end['status']}", "response": end})
    numbers = count()
    return [_event({**event, "sequence_number": next(numbers)}) for event in found]


def _message(index: int, item: dict[str, Any]) -> list[dict[str, Any]]:
    part = item["content"][0]
    key, kind = ("refusal", "refusal") if part["type"] == "refusal" else ("text", "output_text")
    at = {"item_id": item["id"], "output_index": index, "content_index": 0}
    empty = {**part, key: ""}
    return [
        _item("added", index, {**item, "status": "in_progress", "content": []}),
        {"type": "response.content_part.added", **at, "part": empty},
        *({"type": f"response.{kind}.delta", **at, "delta": p} for p in pieces(part[key])),
        {"type": f"response.{kind}.done", **at, key: part[key]},
        {"type": "response.content_part.done", **at, "part": part},
        _item("done", index, item),
    ]


def _call(index: int, item: dict[str, Any]) -> list[dict[str, Any]]:
    at = {"item_id": item["id"], "output_index": index}
    kind = "response.function_call_arguments"
    return [
        _item("added", index, {**item, "status": "in_progress", "arguments": ""}),
        *({"type": f"{kind}.delta", **at, "delta": p} for p in pieces(item["arguments"])),
        {"type": f"{kind}.done", **at, "arguments": item["arguments"]},
        _item("done", index, item),
    ]


def _item(what: str, index: int, item: dict[str, Any]) -> dict[str, Any]:
    return {"type": f"response.output_item.{what}", "output_index": index, "item": item}


def _items(said: Said) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    if said.text:
        part: dict[str, Any] = {"type": "output_text", "annotations": [], "text": said.text}
        if said.stop == "refusal":
            part = {"type": "refusal", "refusal": said.text}
        head = {"id": f"msg_{said.key}", "type": "message", "role": "assistant"}
        status = "incomplete" if said.stop == "length" else "completed"
        found.append({**head, "status": status, "content": [part]})
    return found + [_function(use) for use in said.uses]


def _function(use: Use) -> dict[str, Any]:
    return {
        "id": f"fc_{use.id}",
        "type": "function_call",
        "status": "completed",
        "call_id": f"call_{use.id}",
        "name": use.name,
        "arguments": use.arguments,
    }


def _usage(said: Said) -> dict[str, Any]:
    assert said.usage is not None
    cached = said.usage.cache_read
    given = said.usage.input + cached + said.usage.cache_write
    return {
        "input_tokens": given,
        "input_tokens_details": {
            "cached_tokens": cached,
            "cache_write_tokens": said.usage.cache_write,
        },
        "output_tokens": said.usage.output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": given + said.usage.output,
    }


def _event(data: dict[str, Any]) -> bytes:
    kind: str = data["type"]
    return b"event: " + kind.encode() + b"\ndata: " + msgspec.json.encode(data) + b"\n\n"
