"""Cells that wait for what they need: the first that can begin begins, and none waits for ever."""

from collections import deque
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager

import anyio

from equipoise.stages.run.schedule import Errand


class Waiting:
    """The errands that have not begun, in their order, and how much of each resource is free.

    An errand takes one of everything that it needs, all at once or nothing, so that no two wait for
    each other. The first in the order that can begin is given; whenever something is given back the
    order is looked through again from its start, so that nothing is passed over for ever. What
    `most` does not name is not bounded.
    """

    def __init__(self, errands: Iterable[Errand], most: Mapping[str, int]) -> None:
        """Takes the errands, and how much there is of each resource."""
        self._free = dict(most)
        self._lines: dict[frozenset[str], deque[tuple[int, Errand]]] = {}
        for number, errand in enumerate(errands):
            needs = errand.needs.intersection(self._free)
            self._lines.setdefault(needs, deque()).append((number, errand))
        self._given_back = anyio.Event()

    @asynccontextmanager
    async def next(self) -> AsyncIterator[Errand | None]:
        """Waits for an errand that can begin, and holds what it needs; null = none is left."""
        while (found := self._first()) is None and any(self._lines.values()):
            await self._given_back.wait()
        if found is None:
            yield None
            return
        needs, errand = found
        try:
            yield errand
        finally:
            for name in needs:
                self._free[name] += 1
            given_back, self._given_back = self._given_back, anyio.Event()
            given_back.set()

    def _first(self) -> tuple[frozenset[str], Errand] | None:
        """Takes the first errand that can begin off its line, with what it needs."""
        able = [
            (line[0][0], needs)
            for needs, line in self._lines.items()
            if line and all(self._free[name] > 0 for name in needs)
        ]
        if not able:
            return None
        _, needs = min(able, key=lambda one: one[0])
        for name in needs:
            self._free[name] -= 1
        return needs, self._lines[needs].popleft()[1]
