"""A file of what calls have cost: a cap holds over a kill, calls under way then included."""

import os
from contextlib import suppress
from pathlib import Path
from secrets import token_hex


class SpentFile:
    """Notes what is set aside before a call, and what the call cost after it, each in one write."""

    def __init__(self, path: Path) -> None:
        """Reads what is noted; `path` need not be there yet."""
        self._path = path
        self._file = -1
        self.usd = _noted(path)

    def set_aside(self, usd: float) -> str:
        """Notes the most that a call may cost, and gives the name under which it is settled.

        Raises:
            OSError: it cannot be written; the call must not be made then.
        """
        name = token_hex(8)
        self._write(f"+ {name} {usd!r}\n")
        return name

    def settle(self, name: str, usd: float) -> None:
        """Notes what the call cost; where that fails, the most that it may have cost counts."""
        with suppress(OSError):
            self._write(f"= {name} {usd!r}\n")

    def close(self) -> None:
        """Closes the file."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _write(self, line: str) -> None:
        if self._file < 0:
            self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC)
        os.write(self._file, line.encode())


def _noted(path: Path) -> float:
    """Gives what the lines come to; what was set aside and never settled counts whole."""
    by_call: dict[str, float] = {}
    with suppress(FileNotFoundError):
        for line in path.read_text(encoding="ascii", errors="replace").splitlines():
            sign, _, rest = line.partition(" ")
            name, _, usd = rest.partition(" ")
            with suppress(ValueError):
                if sign in {"+", "="} and name:
                    by_call[name] = float(usd)
    return sum(by_call.values())
