"""Limits on what the app takes: bodies of requests, and how many there are."""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from urllib.parse import parse_qsl

import anyio
from starlette.requests import Request

MOST_BYTES = 16 * 1024
"""The largest body; an answer has a few hundred bytes."""

_BODY_S = 10.0
_MOST_FIELDS = 20
_MOST_KEPT = 10_000


class TooMuch(Exception):
    """A body that is too large, too slow, or no form."""


class Bucket:
    """Lets so many through at once and so many more a second, for each key by itself."""

    def __init__(self, at_once: float, per_second: float, clock: Callable[[], float]) -> None:
        """Takes the limits, and a clock of seconds that never goes back."""
        self._at_once, self._per_second, self._clock = at_once, per_second, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = Lock()

    def takes(self, key: str) -> bool:
        """Says whether one more may pass; forgets keys that were not seen for long."""
        now = self._clock()
        with self._lock:
            left, then = self._left.pop(key, (self._at_once, now))
            left = min(self._at_once, left + (now - then) * self._per_second)
            passes = left >= 1.0
            self._left[key] = (left - passes, now)
            if len(self._left) > _MOST_KEPT:
                self._left.popitem(last=False)
        return passes


async def read_form(request: Request) -> dict[str, str]:
    """Reads the fields of a form.

    Raises:
        TooMuch: it is too large, comes too slowly, or is no urlencoded form.
    """
    kind = request.headers.get("content-type", "").split(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise TooMuch
    body = bytearray()
    with anyio.move_on_after(_BODY_S) as time:
        async for chunk in request.stream():
            body += chunk
            if len(body) > MOST_BYTES:
                raise TooMuch
    if time.cancelled_caught:
        raise TooMuch
    try:
        pairs = parse_qsl(
            body.decode("ascii"),
            keep_blank_values=True,
            errors="strict",
            max_num_fields=_MOST_FIELDS,
        )
    except ValueError:
        raise TooMuch from None
    return dict(pairs)
