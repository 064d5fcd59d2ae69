"""Walks through one JSON text of any size, element by element, in bounded memory."""

import codecs
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from equipoise.adapters.logs.json_text import BadJson
from equipoise.adapters.logs.opened import MAX_LINE

Path = tuple[str | int, ...]
_MARGIN = 64
_NO_TEXT = re.compile(r"[\ud800-\udfff]|\\u[dD][89a-fA-F]")
_BLANKS = re.compile(r"[ \t\r\n]*")


def walk(pieces: Iterable[bytes], split: frozenset[Path]) -> Iterator[tuple[Path, Any]]:
    """Yields (path, value) of the parts of one JSON text.

    Objects above a path in `split` are entered, key by key; the array at such a path is yielded
    element by element; everything else is yielded whole. Bare NaN and Infinity become float NaN.
    In place of a value with text that is no UTF-8 a `BadJson` is yielded, and reading goes on.

    Args:
        pieces: the bytes of the text in order.
        split: paths of the arrays to take apart; ``()`` is the text itself.

    Raises:
        BadJson: the text is broken here; what was yielded before stands.
    """
    text = _Text(pieces)
    yield from _parts(text, (), split)
    if text.peek():
        raise BadJson(f"more text after the end, at character {text.offset}")


def _parts(text: "_Text", path: Path, split: frozenset[Path]) -> Iterator[tuple[Path, Any]]:
    first = text.peek()
    if first == "[" and path in split:
        yield from _elements(text, path)
    elif first == "{" and any(s[: len(path)] == path and len(s) > len(path) for s in split):
        yield from _members(text, path, split)
    else:
        yield path, text.value()


def _elements(text: "_Text", path: Path) -> Iterator[tuple[Path, Any]]:
    text.skip("[")
    index = 0
    if text.peek() == "]":
        text.skip("]")
        return
    while True:
        yield (*path, index), text.value()
        index += 1
        if text.peek() == "]":
            text.skip("]")
            return
        text.skip(",")


def _members(text: "_Text", path: Path, split: frozenset[Path]) -> Iterator[tuple[Path, Any]]:
    text.skip("{")
    if text.peek() == "}":
        text.skip("}")
        return
    while True:
        text.peek()
        key = text.value()
        if not isinstance(key, str):
            raise BadJson(f"a key that is no string, at character {text.offset}")
        text.skip(":")
        yield from _parts(text, (*path, key), split)
        if text.peek() == "}":
            text.skip("}")
            return
        text.skip(",")


class _Text:
    """The part of the text that is in reach; grows only as far as one value needs."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = iter(pieces)
        self._utf8 = codecs.getincrementaldecoder("utf-8-sig")("surrogateescape")
        self._json = json.JSONDecoder(parse_constant=lambda _: float("nan"))
        self._text = ""
        self._at = 0
        self._gone = 0
        self._is_end = False

    @property
    def offset(self) -> int:
        return self._gone + self._at

    def peek(self) -> str:
        """The next character that is not blank; empty at the end."""
        while True:
            found = _BLANKS.match(self._text, self._at)
            self._at = found.end() if found else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._fill(1):
                return ""

    def skip(self, wanted: str) -> None:
        found = self.peek()
        if found != wanted:
            what = repr(found) if found else "the end"
            raise BadJson(f"found {what} in place of {wanted!r}, at character {self.offset}")
        self._at += 1

    def value(self) -> Any:
        """Decodes the value that begins here."""
        self.peek()
        while True:
            try:
                value, end = self._json.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                if not self._may_continue(error) or not self._fill(len(self._text) - self._at):
                    raise BadJson(f"{error.msg}, at character {self._gone + error.pos}") from error
            except RecursionError as error:
                raise BadJson(f"nested too deeply, at character {self.offset}") from error
            except ValueError as error:
                raise BadJson(f"{error}, at character {self.offset}") from error
            else:
                # a number that ends where the text in reach ends may go on in the next piece
                if end < len(self._text) or self._is_end or not self._fill(1):
                    start, self._at = self._at, min(end, len(self._text))
                    dirty = _NO_TEXT.search(self._text, start, self._at)
                    return value if dirty is None else _clean(value)

    def _may_continue(self, error: json.JSONDecodeError) -> bool:
        if len(self._text) - self._at > MAX_LINE:
            return False
        return error.msg.startswith("Unterminated") or error.pos > len(self._text) - _MARGIN

    def _fill(self, n_wanted: int) -> bool:
        """Takes in at least so many characters more; false when nothing is left."""
        if self._is_end:
            return False
        self._gone += self._at
        kept = [self._text[self._at :]]
        self._at = 0
        n_new = 0
        while n_new < max(n_wanted, 1) and not self._is_end:
            piece = next(self._pieces, None)
            self._is_end = piece is None
            new = self._utf8.decode(piece or b"", self._is_end)
            kept.append(new)
            n_new += len(new)
        self._text = "".join(kept)
        return n_new > 0


def _clean(value: Any) -> Any:
    """The value, or a fault in its place where some text cannot be written as UTF-8."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return BadJson("invalid UTF-8")
    return value
