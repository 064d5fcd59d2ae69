"""What has been said before, read from the request alone: so that the stand-in keeps no state."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from equipoise.gateway.wire.facts import Api, items, mapping, text


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """How far a conversation is.

    `n_turns` counts the model's turns so far; `prompt` is all that the user and the system said;
    `latest` is what came after the model's last turn (the results of tools, or the user's words),
    empty before its first.
    """

    n_turns: int
    prompt: str
    latest: str


def conversation(api: Api, body: Mapping[str, Any]) -> Conversation:
    """Reads the conversation that a request carries."""
    said = _SAID[api](body)
    n_turns, was_model = 0, False
    prompt: list[str] = []
    latest: list[str] = []
    for is_model, words, is_tool in said:
        if is_model:
            n_turns += not was_model
            latest = []
        else:
            latest.append(words)
            if not is_tool:
                prompt.append(words)
        was_model = is_model
    return Conversation(
        n_turns=n_turns, prompt="\n".join(prompt), latest="\n".join(latest) if n_turns else ""
    )


_Part = tuple[bool, str, bool]
"""Whether the model said it, what was said, whether a tool said it."""


def _messages(body: Mapping[str, Any]) -> list[_Part]:
    parts: list[_Part] = [(False, words(body.get("system")), False)]
    for message in map(mapping, items(body.get("messages"))):
        if message.get("role") == "assistant":
            parts.append((True, "", False))
            continue
        content = message.get("content")
        blocks = map(mapping, items(content)) if isinstance(content, list) else ()
        tools = [b for b in blocks if b.get("type") == "tool_result"]
        parts += [(False, words(block.get("content")), True) for block in tools]
        if said := words(content):
            parts.append((False, said, False))
    return parts


def _chat(body: Mapping[str, Any]) -> list[_Part]:
    return [
        (m.get("role") == "assistant", words(m.get("content")), m.get("role") == "tool")
        for m in map(mapping, items(body.get("messages")))
    ]


def _responses(body: Mapping[str, Any]) -> list[_Part]:
    sent = body.get("input")
    parts: list[_Part] = [(False, text(body.get("instructions")), False)]
    if isinstance(sent, str):
        return [*parts, (False, sent, False)]
    for item in map(mapping, items(sent)):
        kind = text(item.get("type"))
        if kind.endswith("_output"):
            parts.append((False, words(item.get("output")), True))
        else:
            is_model = item.get("role") == "assistant" or kind.endswith("_call")
            is_model = is_model or kind == "reasoning"
            parts.append((is_model, words(item.get("content")), False))
    return parts


def _google(body: Mapping[str, Any]) -> list[_Part]:
    system = mapping(body.get("systemInstruction") or body.get("system_instruction"))
    parts: list[_Part] = [(False, words(system.get("parts")), False)]
    for content in map(mapping, items(body.get("contents"))):
        held = [mapping(p) for p in items(content.get("parts"))]
        tools = [p["functionResponse"] for p in held if "functionResponse" in p]
        is_model = content.get("role") == "model"
        parts += [(False, msgspec.json.encode(t).decode(), True) for t in tools]
        if is_model or not tools:
            parts.append((is_model, words(held), False))
    return parts


def words(content: object) -> str:
    """Gives the text of a content, which is a text or a list of blocks with texts."""
    if isinstance(content, str):
        return content
    return "\n".join(text(mapping(b).get("text")) for b in items(content) if mapping(b).get("text"))


_SAID = {
    Api.MESSAGES: _messages,
    Api.RESPONSES: _responses,
    Api.CHAT: _chat,
    Api.GOOGLE: _google,
}
