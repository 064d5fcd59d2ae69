"""Which wire format a path belongs to, and what else a gateway answers."""

import re
from dataclasses import dataclass
from enum import StrEnum

from equipoise.gateway.wire.chat import Chat
from equipoise.gateway.wire.facts import Api, Vendor
from equipoise.gateway.wire.google import Google
from equipoise.gateway.wire.messages import Messages
from equipoise.gateway.wire.responses import Responses

VENDORS: dict[Api, Vendor] = {
    Api.MESSAGES: Messages(),
    Api.RESPONSES: Responses(),
    Api.CHAT: Chat(),
    Api.GOOGLE: Google(),
}
"""How each format is read."""


class Purpose(StrEnum):
    """What a request is for."""

    CALL = "call"  # a model answers; it is recorded
    COUNT = "count"  # tokens are counted; free of charge, passed on unrecorded
    MODELS = "models"  # which models there are: those of the trial
    HELLO = "hello"  # whether anyone is there


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What stands at a path: its purpose, its format, and the path as the vendor has it."""

    purpose: Purpose
    api: Api
    path: str


_PLACES = (
    (re.compile(r"(?:/v1)?(/messages)"), Purpose.CALL, Api.MESSAGES, "/v1"),
    (re.compile(r"(?:/v1)?(/messages/count_tokens)"), Purpose.COUNT, Api.MESSAGES, "/v1"),
    (re.compile(r"(?:/v1)?(/responses)"), Purpose.CALL, Api.RESPONSES, "/v1"),
    (re.compile(r"(?:/v1)?(/chat/completions)"), Purpose.CALL, Api.CHAT, "/v1"),
    (
        re.compile(r"(?:/v1(?:beta)?)?(/models/[\w.@%-]+:(?:g|streamG)enerateContent)"),
        *(Purpose.CALL, Api.GOOGLE, "/v1beta"),
    ),
    (
        re.compile(r"(?:/v1(?:beta)?)?(/models/[\w.@%-]+:countTokens)"),
        *(Purpose.COUNT, Api.GOOGLE, "/v1beta"),
    ),
)
_MODELS = re.compile(r"(?:/v1(beta)?)?/models(?:/[\w.@%-]+)?")


def place_of(method: str, path: str) -> Place | None:
    """Gives what stands at a path; null where nothing does.

    Nothing else of a provider can be reached: its files, batches or settings are not the cell's
    business, and the key would open them.
    """
    if method == "POST":
        for pattern, purpose, api, root in _PLACES:
            if found := pattern.fullmatch(path):
                return Place(purpose=purpose, api=api, path=root + found[1])
        return None
    if method not in {"GET", "HEAD"}:
        return None
    if found := _MODELS.fullmatch(path):
        api = Api.GOOGLE if found[1] else Api.CHAT
        return Place(purpose=Purpose.MODELS, api=api, path=path)
    if path in {"", "/", "/v1", "/v1/"}:
        return Place(purpose=Purpose.HELLO, api=Api.CHAT, path="/")
    return None
