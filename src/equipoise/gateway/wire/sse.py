"""Server-sent events, read while they come."""

from typing import Any

import msgspec

_DONE: dict[str, Any] = {"done": True}


class Events:
    """Gives the JSON of each event as soon as it is whole; what is no JSON is passed over.

    ``[DONE]`` is given as ``{"done": true}``. Written after the event stream format of the HTML
    standard, section 9.2.6; field names other than ``data`` are not needed here.
    """

    def __init__(self) -> None:
        """Begins with nothing read."""
        self._rest: list[bytes] = []
        self._data: list[bytes] = []

    def feed(self, chunk: bytes) -> list[dict[str, Any]]:
        """Gives the events that the chunk completes."""
        self._rest.append(chunk)
        if b"\n" not in chunk:
            return []
        *lines, rest = b"".join(self._rest).split(b"\n")
        self._rest = [rest]
        found: list[dict[str, Any]] = []
        for line in lines:
            bare = line.removesuffix(b"\r")
            if not bare:
                found += self._ended()
            elif bare.startswith(b"data:"):
                self._data.append(bare[5:].removeprefix(b" "))
        return found

    def end(self) -> list[dict[str, Any]]:
        """Gives the event that the end of the stream completes, where the last line break lacks."""
        return self.feed(b"\n\n")

    def _ended(self) -> list[dict[str, Any]]:
        data, self._data = b"\n".join(self._data), []
        if not data:
            return []
        if data.strip() == b"[DONE]":
            return [_DONE]
        try:
            event = msgspec.json.decode(data)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return []
        return [event] if isinstance(event, dict) else []
