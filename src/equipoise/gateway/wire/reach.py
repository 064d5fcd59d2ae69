"""What a request asks of the provider beyond an answer: to run tools of its own, to fetch."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from equipoise.gateway.wire.facts import Api, items, mapping, text

_OURS = {
    Api.MESSAGES: ("custom", "bash_", "text_editor_", "computer_", "memory_", "tool_search_"),
    Api.RESPONSES: (
        *("function", "custom", "local_shell", "apply_patch", "computer", "namespace"),
        "tool_search",
    ),
    Api.CHAT: ("function", "custom"),
}
"""Types of tools, by their beginnings, that whoever asked runs himself."""
_DECLARED = frozenset({"functionDeclarations", "function_declarations"})
_MEDIA = frozenset(
    (
        *("image", "image_url", "input_image", "document", "file", "input_file", "audio"),
        *("input_audio", "video", "input_video", "container_upload"),
    )
)
_SAID = ("messages", "system", "input", "instructions", "contents", "systemInstruction")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """What is asked beyond an answer.

    `hosted` says which tool the provider would run, `fetched` what it would fetch; both empty =
    nothing leaves. `has_media`: images or files, whose tokens do not follow from their size.
    """

    hosted: str = ""
    fetched: str = ""
    has_media: bool = False


def reach(api: Api, body: Mapping[str, Any]) -> Reach:
    """Reads what a request asks of the provider, however its JSON is written.

    A tool of a type that is not known counts as the provider's: new ones appear without notice.
    """
    fetched, has_media = "", False
    stack: list[Any] = [body.get(key) for key in (*_SAID, "system_instruction")]
    while stack:
        value = stack.pop()
        if isinstance(value, list):
            stack += value
        elif isinstance(value, dict):
            fetched = fetched or _fetched(value)
            has_media = has_media or _is_media(value)
            stack += value.values()
    return Reach(hosted=_HOSTED[api](body), fetched=fetched, has_media=has_media)


def _fetched(part: Mapping[str, Any]) -> str:
    for key in ("image_url", "video_url", "audio_url"):
        held = part.get(key)
        url = text(held) or text(mapping(held).get("url"))
        if url and not url.startswith("data:"):
            return key
    if part.get("file_url"):
        return "file_url"
    file = mapping(part.get("fileData") or part.get("file_data"))
    if file.get("fileUri") or file.get("file_uri"):
        return "fileData"
    return "source.url" if mapping(part.get("source")).get("type") == "url" else ""


def _is_media(part: Mapping[str, Any]) -> bool:
    kind = part.get("type")
    if isinstance(kind, str) and kind in _MEDIA:
        return True
    return any(k in part for k in ("inlineData", "inline_data", "fileData", "file_data"))


def _anthropic(body: Mapping[str, Any]) -> str:
    if body.get("mcp_servers"):
        return "mcp_servers"
    return _unknown(body, Api.MESSAGES)


def _responses(body: Mapping[str, Any]) -> str:
    for tool in map(mapping, items(body.get("tools"))):
        place = text(mapping(tool.get("environment")).get("type"))
        if tool.get("type") == "shell" and not place.startswith("container"):
            continue
        if found := _unknown({"tools": [tool]}, Api.RESPONSES):
            return found
    return ""


def _chat(body: Mapping[str, Any]) -> str:
    for key in ("web_search_options", "plugins", "web_search"):
        if body.get(key) is not None and body.get(key) is not False:
            return key
    return _unknown(body, Api.CHAT)


def _google(body: Mapping[str, Any]) -> str:
    names = (set(mapping(tool)) - _DECLARED for tool in items(body.get("tools")))
    return next((min(found) for found in names if found), "")


def _unknown(body: Mapping[str, Any], api: Api) -> str:
    for tool in map(mapping, items(body.get("tools"))):
        kind = tool.get("type")
        if kind is not None and not (isinstance(kind, str) and kind.startswith(_OURS[api])):
            return str(kind)
    return ""


_HOSTED: dict[Api, Callable[[Mapping[str, Any]], str]] = {
    Api.MESSAGES: _anthropic,
    Api.RESPONSES: _responses,
    Api.CHAT: _chat,
    Api.GOOGLE: _google,
}
