"""The program under test: imports its modules and does what the tests ask, in a box of its own."""

import builtins
import importlib
import io
import operator
import os
import socket
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from typing import Any

from .running import run
from .wire import Channel, Ended, Packer, Unpacker

_PLAIN = (int, float, str, bytes, tuple, list, dict, set, frozenset)
_PYTHONS = frozenset(one for one in vars(builtins).values() if isinstance(one, type))
_TRACE = 4000
_SAID = 1 << 20
_PATIENCE_S = 60.0
_BINARY = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "lshift", "rshift"),
    *("and_", "or_", "xor", "lt", "le", "gt", "ge", "eq", "contains", "getitem", "delitem"),
)
_UNARY = ("neg", "pos", "invert", "index", "truth")
_OPERATIONS: dict[str, Callable[..., Any]] = {
    **{name: getattr(operator, name) for name in (*_BINARY, *_UNARY, "setitem")},
    "len": len,
    "iter": iter,
    "next": next,
    "reversed": reversed,
    "str": str,
    "repr": repr,
    "format": format,
    "hash": hash,
    "abs": abs,
    "round": round,
    "int": int,
    "float": float,
    "bytes": bytes,
    "fspath": os.fspath,
    "dir": dir,
    "isinstance": isinstance,
    "issubclass": issubclass,
    "enter": lambda thing: type(thing).__enter__(thing),
    "exit": lambda thing, failed: type(thing).__exit__(thing, *_failure(failed)),
    "get": getattr,
    "set": setattr,
    "delete": delattr,
    "import": importlib.import_module,
    "public": lambda module: list(
        getattr(module, "__all__", [name for name in vars(module) if name[:1] != "_"])
    ),
    "object": object,
    "run": run,
}


class Subject:
    """Serves the tests until they hang up."""

    def __init__(self, channel: Channel) -> None:
        """Begins with nothing lent out."""
        self._channel = channel
        self._lent: list[Any] = []
        self._numbers: dict[int, int] = {}
        self.said: list[list[str]] = []

    def serve(self) -> None:
        """Answers one request after another."""
        while True:
            self._channel.send(self._answer(self._channel.receive()))

    def ask(self, number: int, what: str, *words: Any) -> Any:
        """Asks the tests to do something with an object of theirs, and gives the outcome."""
        packer = Packer(self._lend)
        packed = [packer.pack(word) for word in words]
        self._channel.send({"ask": what, "on": number, "args": packed, "said": self._heard()})
        while True:
            message = self._channel.receive()
            if "ask" in message:
                self._channel.send(self._answer(message))
            elif "raised" in message:
                raise self._unpacked(message["raised"])
            else:
                return self._unpacked(message["value"])

    def _answer(self, message: dict[str, Any]) -> dict[str, Any]:
        unpacker = Unpacker(self._taken)
        try:
            words = [unpacker.unpack(word) for word in message.get("args", ())]
            named = {name: unpacker.unpack(word) for name, word in message.get("named", {}).items()}
            before = [Packer(self._lend).contents(one) for one in unpacker.changeable]
            value = self._done(message["ask"], words, named)
            answer = {"value": Packer(self._lend).pack(value)}
        except Ended:
            raise
        except BaseException as error:  # noqa: BLE001  whatever the program raises is told
            return {"raised": self._error(error), "said": self._heard()}
        after = [Packer(self._lend).contents(one) for one in unpacker.changeable]
        answer["back"] = [[i, new] for i, new in enumerate(after) if new != before[i]]
        return answer | {"said": self._heard()}

    @staticmethod
    def _done(what: str, words: list[Any], named: dict[str, Any]) -> Any:
        if what == "call":
            return words[0](*words[1:], **named)
        return _OPERATIONS[what](*words)

    def _heard(self) -> list[list[str]]:
        said, self.said = self.said, []
        return said

    def _lend(self, value: Any) -> list[Any]:
        """Gives the JSON of what stays here: its number, its kind, and what it is worth plainly."""
        if isinstance(value, Visitor):
            return ["back", object.__getattribute__(value, "_number")]
        if isinstance(value, type) and value in _PYTHONS:
            return ["python", value.__name__]
        number = self._number(value)
        kind = type(value)
        if kind is type(sys):
            return ["module", number, value.__name__, hasattr(value, "__path__")]
        if isinstance(value, type) and issubclass(value, BaseException):
            return ["exception", number, _lineage(value, self._number)]
        plain = next((base for base in _PLAIN if issubclass(kind, base)), None)
        name = f"{kind.__module__}.{kind.__qualname__}"
        if plain is None:
            return ["lent", number, name]
        return ["lent", number, name, Packer(self._lend).pack(_plainly(value, plain))]

    def _number(self, value: Any) -> int:
        number = self._numbers.get(id(value))
        if number is None:
            number = self._numbers[id(value)] = len(self._lent)
            self._lent.append(value)  # kept, so that its id is its own
        return number

    def _taken(self, data: list[Any]) -> Any:
        if data[0] == "back":
            return self._lent[data[1]]
        if data[0] == "visitor":
            return Visitor(self, data[1])
        if data[0] == "failure":
            return _rebuilt(self._taken(data[1]), self._unpacked(data[2]))
        if data[0] == "python":
            return vars(builtins)[data[1]]
        raise Ended(f"no value: {data[0]!r}")

    def _unpacked(self, data: Any) -> Any:
        return Unpacker(self._taken).unpack(data)

    def _error(self, error: BaseException) -> list[Any]:
        kind = ["exception", self._number(type(error)), _lineage(type(error), self._number)]
        words = Packer(self._lend).pack(tuple(getattr(error, "args", ())))
        trace = "".join(traceback.format_exception(error))[-_TRACE:]
        return [kind, words, self._number(error), _text(error), trace]


class Visitor:
    """An object of the tests, as the program sees it."""

    def __init__(self, subject: Subject, number: int) -> None:
        """Keeps whose object it is."""
        self._subject = subject
        self._number = number

    def __call__(self, *words: Any) -> Any:
        """Calls it."""
        return self._subject.ask(self._number, "call", *words)

    def __iter__(self) -> Iterator[Any]:
        """Iterates over it."""
        return self

    def __next__(self) -> Any:
        """Gives its next item."""
        return self._subject.ask(self._number, "next")

    def __getattr__(self, name: str) -> Any:
        """Gives an attribute of it."""
        if name.startswith("__"):
            raise AttributeError(name)
        return self._subject.ask(self._number, "get", name)


class Said(io.TextIOBase):
    """A standard stream of the program: what is written is told to the tests with the answer."""

    def __init__(self, subject: Subject, name: str) -> None:
        """Names the stream: ``out`` or ``err``."""
        super().__init__()
        self._subject = subject
        self._name = name
        self._left = _SAID

    def writable(self) -> bool:
        """Says that it can be written to."""
        return True

    def write(self, text: str) -> int:
        """Keeps the text for the next answer."""
        if self._left > 0:
            self._subject.said.append([self._name, text[: self._left]])
            self._left -= len(text)
        return len(text)


def _plainly(value: Any, plain: type) -> Any:
    return plain.__int__(value) if plain is int else plain(value)


def _lineage(kind: type, number: Callable[[Any], int]) -> list[Any]:
    """Gives the classes of an exception, from itself upwards; null = one that Python has."""
    return [
        [base.__qualname__, None if vars(builtins).get(base.__name__) is base else number(base)]
        for base in kind.__mro__
        if issubclass(base, BaseException)
    ]


def _text(error: BaseException) -> str:
    try:
        return str(error)[:_TRACE]
    except Exception as other:  # noqa: BLE001  the program's own __str__
        return f"(its text cannot be had: {type(other).__name__})"


def _rebuilt(kind: type[BaseException], words: tuple[Any, ...]) -> BaseException:
    return kind(*words)


def _failure(failed: Any) -> tuple[Any, Any, Any]:
    return (None, None, None) if failed is None else (type(failed), failed, failed.__traceback__)


def _connected(path: str) -> socket.socket:
    """Waits for the tests, which may begin after us."""
    give_up = time.monotonic() + _PATIENCE_S
    while True:
        link = socket.socket(socket.AF_UNIX)
        try:
            link.connect(path)
        except OSError:
            link.close()
            if time.monotonic() > give_up:
                raise
            time.sleep(0.002)
        else:
            return link


def main(socket_path: str, workspace: str, *paths: str) -> None:
    """Connects to the tests and serves them."""
    subject = Subject(Channel(_connected(socket_path)))
    os.chdir(workspace)
    sys.path[:0] = paths
    sys.argv = ["program"]
    sys.stdout = Said(subject, "out")
    sys.stderr = Said(subject, "err")
    try:
        subject.serve()
    except Ended:
        os._exit(0)
