"""An answer, read while it passes, whatever its format and however it comes."""

from dataclasses import replace
from typing import Any

import msgspec

from equipoise.gateway.wire.facts import (
    Api,
    Found,
    Question,
    Vendor,
    has_own_tariff,
    mapping,
    settings_of,
)
from equipoise.gateway.wire.paths import VENDORS
from equipoise.gateway.wire.prompt import prompt_sha256
from equipoise.gateway.wire.reach import Reach, reach
from equipoise.gateway.wire.sse import Events


def asked(api: Api, path: str, body: bytes) -> Question | None:
    """Reads a request; null where its body is no JSON object."""
    try:
        value = msgspec.json.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    question = VENDORS[api].question(value, path)
    said = mapping(value.get("generationConfig") or value.get("generation_config") or value)
    asked_for = reach(api, value)
    return replace(
        question,
        settings=settings_of(said),
        hosted=asked_for.hosted,
        fetched=asked_for.fetched,
        prompt=prompt_sha256(api, value),
        unbounded=question.unbounded or _unbounded(value, asked_for),
    )


def _unbounded(body: dict[str, Any], asked_for: Reach) -> str:
    if asked_for.hosted:
        return "it offers tools that the provider runs"
    if has_own_tariff(body):
        return "it asks for a tier, a speed or a place that has prices of its own"
    if asked_for.has_media or asked_for.fetched:
        return "it has images or files, whose tokens do not follow from their size"
    return ""


class Reading:
    """Reads the bytes of one answer; `found` is what is known so far."""

    def __init__(self, api: Api, *, status: int, content_type: str) -> None:
        """Begins with an answer of this status and type."""
        self._vendor: Vendor = VENDORS[api]
        self._is_error = status >= 400
        self._events = Events() if "text/event-stream" in content_type else None
        self._whole = bytearray()
        self.found = Found()

    def feed(self, chunk: bytes) -> None:
        """Reads the next bytes."""
        if self._events is None:
            self._whole += chunk
            return
        for event in self._events.feed(chunk):
            self._vendor.event(self.found, event)

    def end(self) -> Found:
        """Gives what the answer says, after its last bytes."""
        if self._events is not None:
            for event in self._events.end():
                self._vendor.event(self.found, event)
        else:
            self._read_whole()
        if self._is_error:
            self.found.is_complete = False
            self.found.fault = self.found.fault or "error"
        return self.found

    def _read_whole(self) -> None:
        value: Any = None
        try:
            value = msgspec.json.decode(bytes(self._whole))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            self.found.fault = self.found.fault or "unreadable_answer"
        if isinstance(value, list):  # Google's stream without events: an array of pieces
            for piece in value:
                self._vendor.event(self.found, mapping(piece))
        elif isinstance(value, dict):
            self._vendor.whole(self.found, value)
        elif value is not None:
            self.found.fault = "unreadable_answer"
