"""Plain values as JSON between the tests and the program under test; neither trusts the other.

A value crosses by its exact type, or not at all: a subclass may have any `__eq__`. What is no plain
value stays where it is, and the other side gets its number (see `stand_in` and `subject`). Lists,
dicts, sets and bytearrays that are handed over are noted in order, so that what a call did to its
arguments can be told back.
"""

import base64
import datetime as dt
import decimal
import fractions
import json
import pathlib
import struct
import uuid
from collections.abc import Callable
from typing import Any, Protocol

LARGEST = 16 * 2**20
"""Bytes of a message at most."""

_EXACT = 2**53
_HEAD = struct.Struct(">I")
_TEXTS: dict[type, tuple[str, Callable[[Any], str], Callable[[str], Any]]] = {
    float: ("f", repr, float),
    complex: ("j", repr, complex),
    bytes: ("y", lambda v: base64.b64encode(v).decode(), base64.b64decode),
    decimal.Decimal: ("decimal", str, decimal.Decimal),
    fractions.Fraction: ("fraction", str, fractions.Fraction),
    dt.datetime: ("datetime", lambda v: v.isoformat(), dt.datetime.fromisoformat),
    dt.date: ("date", lambda v: v.isoformat(), dt.date.fromisoformat),
    dt.time: ("time", lambda v: v.isoformat(), dt.time.fromisoformat),
    dt.timedelta: (
        "timedelta",
        lambda v: f"{v.days} {v.seconds} {v.microseconds}",
        lambda text: dt.timedelta(*(int(part) for part in text.split(" "))),
    ),
    uuid.UUID: ("uuid", str, uuid.UUID),
    type(pathlib.Path()): ("path", str, pathlib.Path),
    pathlib.PurePosixPath: ("pure-path", str, pathlib.PurePosixPath),
}
_READ = {tag: read for tag, _, read in _TEXTS.values()}


class Ended(Exception):
    """The other side has ended."""


class Nonsense(Ended):
    """The other side sent what is no message, or no value."""


class Link(Protocol):
    """What a channel needs of a socket."""

    def sendall(self, data: bytes, /) -> None: ...  # noqa: D102  as a socket has it
    def recv(self, size: int, /) -> bytes: ...  # noqa: D102  as a socket has it


class Channel:
    """Messages over a stream socket: four bytes of length, then JSON."""

    def __init__(self, link: Link) -> None:
        """Takes a connected socket, or what is like one."""
        self._link = link

    def send(self, message: dict[str, Any]) -> None:
        """Sends a message.

        Raises:
            Ended: the other side is gone, or the message is too large.
        """
        data = json.dumps(message).encode()
        if len(data) > LARGEST:
            raise Ended(f"a message of {len(data)} bytes; at most {LARGEST} can cross")
        try:
            self._link.sendall(_HEAD.pack(len(data)) + data)
        except OSError as error:
            raise Ended(f"the other side has ended: {error}") from error

    def receive(self) -> dict[str, Any]:
        """Waits for a message.

        Raises:
            Ended: the other side is gone, or sent what is no message (`Nonsense`).
        """
        size = _HEAD.unpack(self._exactly(_HEAD.size))[0]
        if size > LARGEST:
            raise Nonsense(f"a message of {size} bytes; at most {LARGEST} can cross")
        try:
            message = json.loads(self._exactly(size))
        except (ValueError, RecursionError) as error:
            raise Nonsense(f"no message: {error}") from error
        if not isinstance(message, dict):
            raise Nonsense("no message: it is no object")
        return message

    def _exactly(self, size: int) -> bytes:
        parts = []
        while size:
            try:
                part = self._link.recv(min(size, 1 << 20))
            except OSError as error:
                raise Ended(f"the other side has ended: {error}") from error
            if not part:
                raise Ended("the other side has ended")
            parts.append(part)
            size -= len(part)
        return b"".join(parts)


class Packer:
    """Turns values into JSON; `other` gives the JSON of what is no plain value.

    `changeable` collects what may be changed in place by whoever gets it, in order.
    """

    def __init__(self, other: Callable[[Any], list[Any]]) -> None:
        """Begins an empty list of what may be changed."""
        self._other = other
        self.changeable: list[Any] = []

    def pack(self, value: Any) -> Any:
        """Gives the JSON of a value."""
        kind = type(value)
        if value is None or kind is bool or kind is str:
            return value
        if kind is int:
            return value if -_EXACT < value < _EXACT else ["i", hex(value)]
        if kind in _TEXTS:
            tag, write, _ = _TEXTS[kind]
            return [tag, write(value)]
        return self._container(value, kind)

    def _container(self, value: Any, kind: type) -> Any:
        if kind is tuple:
            return ["t", [self.pack(one) for one in value]]
        if kind is frozenset:
            return ["z", [self.pack(one) for one in value]]
        if kind in (list, dict, set, bytearray):
            self.changeable.append(value)
            return [kind.__name__, self.contents(value)]
        return self._other(value)

    def contents(self, value: Any) -> Any:
        """Gives the JSON of what is in a list, dict, set or bytearray."""
        if type(value) is dict:
            return [[self.pack(key), self.pack(one)] for key, one in value.items()]
        if type(value) is bytearray:
            return base64.b64encode(value).decode()
        return [self.pack(one) for one in value]


class Unpacker:
    """Turns JSON into values; `other` gives the value of what is no plain one."""

    def __init__(self, other: Callable[[list[Any]], Any]) -> None:
        """Begins an empty list of what may be changed, in the order of the `Packer`."""
        self._other = other
        self.changeable: list[Any] = []

    def unpack(self, data: Any) -> Any:
        """Gives the value.

        Raises:
            Nonsense: it is no value.
        """
        if not isinstance(data, list):
            if isinstance(data, dict):
                raise Nonsense("no value: an object")
            return data
        try:
            return self._tagged(data[0], data)
        except (ValueError, TypeError, LookupError, ArithmeticError, RecursionError) as error:
            raise Nonsense(f"no value: {error}") from error

    def _tagged(self, tag: str, data: list[Any]) -> Any:
        if tag == "i" or tag in _READ:
            if not isinstance(data[1], str):
                raise Nonsense("no value: no text where there must be one")
            return int(data[1], 16) if tag == "i" else _READ[tag](data[1])
        if tag == "t":
            return tuple([self.unpack(one) for one in data[1]])
        if tag == "z":
            return frozenset([self.unpack(one) for one in data[1]])
        kinds: dict[str, type] = {"list": list, "dict": dict, "set": set, "bytearray": bytearray}
        if tag in kinds:
            value = kinds[tag]()
            self.changeable.append(value)
            self.fill(value, data[1])
            return value
        return self._other(data)

    def fill(self, value: Any, contents: Any) -> None:
        """Puts contents into a list, dict, set or bytearray in place of what is in it."""
        if type(value) is dict:
            pairs = [(self.unpack(key), self.unpack(one)) for key, one in contents]
            value.clear()
            value.update(pairs)
        elif type(value) is bytearray:
            value[:] = base64.b64decode(contents)
        elif type(value) is set:
            items = [self.unpack(one) for one in contents]
            value.clear()
            value.update(items)
        else:
            value[:] = [self.unpack(one) for one in contents]
