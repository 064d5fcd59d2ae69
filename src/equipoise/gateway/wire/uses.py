"""The calls of tools that an answer asks for, whatever its format and however it came."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from equipoise.gateway.wire.facts import Api, items, mapping, text, whole_number
from equipoise.gateway.wire.sse import Events
from equipoise.records.acts import act_of
from equipoise.records.conduct import Act

_CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call"})
"""Items of an answer of OpenAI's Responses that a harness is asked to do."""


def uses_of(api: Api, answer: bytes, *, is_streamed: bool, number: int = 0) -> tuple[Act, ...]:
    """Gives the calls that an answer asks for, in its order; none where it cannot be read.

    Args:
        api: the wire format.
        answer: its bytes as they came.
        is_streamed: whether they are server-sent events.
        number: of the answer within its trial.
    """
    bodies = list(_streamed(answer)) if is_streamed else _whole(answer)
    found: Iterator[tuple[str, Any, str]]
    if api is Api.MESSAGES:
        found = _messages(bodies)
    elif api is Api.RESPONSES:
        found = _responses(bodies)
    elif api is Api.CHAT:
        found = _chat(bodies)
    else:
        found = _google(bodies)
    return tuple(act_of(tool, given, call, number) for tool, given, call in found)


def _streamed(answer: bytes) -> Iterator[Mapping[str, Any]]:
    events = Events()
    yield from events.feed(answer)
    yield from events.end()


def _whole(answer: bytes) -> list[Mapping[str, Any]]:
    try:
        value = msgspec.json.decode(answer)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return []
    return [mapping(one) for one in (value if isinstance(value, list) else [value])]


def _messages(bodies: list[Mapping[str, Any]]) -> Iterator[tuple[str, Any, str]]:
    """Yields the blocks of a message; what comes in pieces is put together by its index."""
    begun: dict[int, Mapping[str, Any]] = {}
    pieces: dict[int, str] = {}
    for body in bodies:
        for block in map(mapping, items(body.get("content"))):
            if block.get("type") == "tool_use":
                yield text(block.get("name")), block.get("input"), text(block.get("id"))
        index = whole_number(body.get("index")) or 0
        if body.get("type") == "content_block_start":
            block = mapping(body.get("content_block"))
            if block.get("type") == "tool_use":
                begun[index] = block
        elif body.get("type") == "content_block_delta" and index in begun:
            piece = text(mapping(body.get("delta")).get("partial_json"))
            pieces[index] = pieces.get(index, "") + piece
    for index, block in begun.items():
        given = pieces.get(index) or block.get("input")
        yield text(block.get("name")), given, text(block.get("id"))


def _responses(bodies: list[Mapping[str, Any]]) -> Iterator[tuple[str, Any, str]]:
    """Yields the items of an answer, each once: when it was done, or with the whole."""
    known: set[str] = set()
    for body in bodies:
        whole = mapping(body.get("response")) or body
        done = [body.get("item")] if body.get("type") == "response.output_item.done" else []
        for item in map(mapping, [*done, *items(whole.get("output"))]):
            name = text(item.get("call_id")) or text(item.get("id"))
            if item.get("type") in _CALLS and name not in known:
                known |= {name} if name else set()
                yield _item(item, name)


def _item(item: Mapping[str, Any], name: str) -> tuple[str, Any, str]:
    action = mapping(item.get("action")).get("command")
    given = text(item.get("arguments")) or text(item.get("input"))
    tool = text(item.get("name")) or text(item.get("type"))
    return tool, given or ({"command": action} if action else ""), name


def _chat(bodies: list[Mapping[str, Any]]) -> Iterator[tuple[str, Any, str]]:
    """Yields the calls of every choice; what comes in pieces is put together by its index."""
    found: dict[tuple[int, int], list[str]] = {}
    for body in bodies:
        for choice in map(mapping, items(body.get("choices"))):
            said = mapping(choice.get("message")) or mapping(choice.get("delta"))
            for place, call in enumerate(map(mapping, items(said.get("tool_calls")))):
                index = whole_number(call.get("index"))
                key = (whole_number(choice.get("index")) or 0, place if index is None else index)
                function = mapping(call.get("function") or call.get("custom"))
                parts = found.setdefault(key, ["", "", ""])
                parts[0] = text(function.get("name")) or parts[0]
                parts[1] += text(function.get("arguments")) or text(function.get("input"))
                parts[2] = text(call.get("id")) or parts[2]
    yield from ((tool, given, name) for tool, given, name in found.values())


def _google(bodies: list[Mapping[str, Any]]) -> Iterator[tuple[str, Any, str]]:
    for body in bodies:
        for candidate in map(mapping, items(body.get("candidates"))):
            for part in map(mapping, items(mapping(candidate.get("content")).get("parts"))):
                if called := mapping(part.get("functionCall")):
                    given = dict(mapping(called.get("args")))
                    yield text(called.get("name")), given, text(called.get("id"))
