"""Remembers which of millions of cells were met, in sixteen bytes each."""

from array import array

_EMPTY = 0


class Seen:
    """A set of 64-bit keys by open addressing.

    Keys are first bytes of a sha256: that two of a million cells share one has odds below 1e-7.
    """

    def __init__(self) -> None:
        """Starts empty."""
        self._size = 1 << 10
        self._slots = array("Q", bytes(8 * self._size))
        self._n = 0

    def __len__(self) -> int:
        """How many keys it holds."""
        return self._n

    def add(self, key: int) -> bool:
        """Adds the key; gives whether it was there before."""
        key = key or 1
        slots, mask = self._slots, self._size - 1
        at = key & mask
        while slots[at] != _EMPTY:
            if slots[at] == key:
                return True
            at = (at + 1) & mask
        slots[at] = key
        self._n += 1
        if 2 * self._n > self._size:
            self._grow()
        return False

    def __contains__(self, key: int) -> bool:
        """Whether the key was added."""
        key = key or 1
        slots, mask = self._slots, self._size - 1
        at = key & mask
        while slots[at] != _EMPTY:
            if slots[at] == key:
                return True
            at = (at + 1) & mask
        return False

    def _grow(self) -> None:
        old = self._slots
        self._size *= 2
        self._slots = slots = array("Q", bytes(8 * self._size))
        mask = self._size - 1
        for key in old:
            if key != _EMPTY:
                at = key & mask
                while slots[at] != _EMPTY:
                    at = (at + 1) & mask
                slots[at] = key
