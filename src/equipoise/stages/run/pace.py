"""Holds every attempt back while whoever answers asks for patience."""

from collections.abc import Callable

import anyio

LONGEST_S = 3600.0
"""A longer pause ends the run instead: it can be taken up again at any time."""

_LOOK_S = 1.0


class Pace:
    """Attempts begin only while nobody asked to wait; a rate limit is one for all cells."""

    def __init__(self) -> None:
        """Lets everything begin."""
        self._until = 0.0

    def hold(self, seconds: float) -> bool:
        """Holds back for so many seconds from now; says whether that is longer than before."""
        until = anyio.current_time() + seconds
        is_longer = until > max(self._until, anyio.current_time())
        self._until = max(self._until, until)
        return is_longer

    async def clear(self, stops: Callable[[], bool]) -> bool:
        """Waits until attempts may begin; false where `stops` says that none may any more."""
        while (left := self._until - anyio.current_time()) > 0:
            if stops():
                return False
            await anyio.sleep(min(left, _LOOK_S))
        return not stops()
