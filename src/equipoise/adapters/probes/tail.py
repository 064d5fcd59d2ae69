"""Reads only what is new in a set of log files that grow, turn over and are cut."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_CHUNK = 1 << 20
_FINGERPRINT = 64


@dataclass(slots=True)
class _Place:
    """How far a file has been read; `before` are the last bytes before that place."""

    offset: int = 0
    before: bytes = b""
    rest: bytes = b""
    n_lines: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line as it stands in the file, without its end; `number` counts from where it began."""

    file: str
    number: int
    text: bytes


class Tail:
    """Follows files by what they are, not by name: a renamed file is not read again.

    Lines longer than `longest` bytes are passed over. Memory is bounded by the longest line.
    """

    def __init__(self, root: Path, pattern: str, *, longest: int) -> None:
        """Takes the folder and the glob pattern below it."""
        self._root = root.resolve()
        self._pattern = pattern
        self._longest = longest
        self._places: dict[tuple[int, int], _Place] = {}
        self._named: dict[str, tuple[int, int]] = {}
        self.n_too_long = 0

    def files(self) -> list[Path]:
        """Gives the files that match now; none that a link leads to outside of the folder."""
        found = sorted(self._root.glob(self._pattern))
        return [path for path in found if path.is_file() and self._is_inside(path)]

    def skip(self) -> None:
        """Passes over everything that is there now."""
        for path in self.files():
            with path.open("rb") as file:
                status = os.fstat(file.fileno())
                start = max(0, status.st_size - _FINGERPRINT)
                before = os.pread(file.fileno(), status.st_size - start, start)
            key = (status.st_dev, status.st_ino)
            self._places[key] = _Place(offset=status.st_size, before=before)
            self._named[str(path)] = key

    def lines(self) -> Iterator[Line]:
        """Yields the whole lines that came since the last time."""
        for path in self.files():
            yield from self._turned_over(path)
            yield from self._read(path)

    def open_ends(self) -> Iterator[tuple[_Place, Line]]:
        """Yields what stands at the end of each file without an end of line."""
        names = {key: name for name, key in self._named.items()}
        for key, place in self._places.items():
            if place.rest:
                yield (
                    place,
                    Line(
                        file=self._short(names.get(key, "?")),
                        number=place.n_lines + 1,
                        text=place.rest,
                    ),
                )

    def _turned_over(self, path: Path) -> Iterator[Line]:
        """Reads the rest of the file that had this name before, if it is still in the folder."""
        old = self._named.get(str(path))
        now = _key(path)
        if old is None or now is None or old == now:
            return
        del self._named[str(path)]
        with os.scandir(path.parent) as beside:
            for entry in beside:
                if entry.is_file(follow_symlinks=False) and _key(Path(entry.path)) == old:
                    yield from self._read(Path(entry.path))
                    return

    def _read(self, path: Path) -> Iterator[Line]:
        try:
            file = path.open("rb")
        except OSError:  # gone or forbidden meanwhile: the next look will tell
            return
        with file:
            status = os.fstat(file.fileno())
            key = (status.st_dev, status.st_ino)
            self._named[str(path)] = key
            place = self._places.setdefault(key, _Place())
            if status.st_size < place.offset or not _is_as_read(file.fileno(), place):
                place.offset, place.before, place.rest, place.n_lines = 0, b"", b"", 0
            file.seek(place.offset)
            while block := file.read(_CHUNK):
                place.offset += len(block)
                place.before = (place.before + block)[-_FINGERPRINT:]
                yield from self._split(path, place, block)

    def _split(self, path: Path, place: _Place, block: bytes) -> Iterator[Line]:
        *whole, rest = (place.rest + block).split(b"\n")
        place.rest = rest
        if len(rest) > self._longest:
            place.rest = rest[: self._longest + 1]
        for text in whole:
            place.n_lines += 1
            if len(text) > self._longest:
                self.n_too_long += 1
            else:
                yield Line(file=self._short(str(path)), number=place.n_lines, text=text)

    def _short(self, name: str) -> str:
        return name.removeprefix(f"{self._root}{os.sep}")

    def _is_inside(self, path: Path) -> bool:
        return self._root in path.resolve().parents


def _key(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _is_as_read(handle: int, place: _Place) -> bool:
    """Tells whether what was read last still stands there: a cut file may have grown again."""
    start = place.offset - len(place.before)
    return os.pread(handle, len(place.before), start) == place.before
