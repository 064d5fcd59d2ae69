"""Asks the program under test to do things, from the process of the tests."""

import builtins
import io
import sys
import threading
import types
from typing import Any

from .lent import NOTHING, NUMBER, About, Lent, LentModule, NotAcross, about
from .wire import Channel, Ended, Nonsense, Packer, Unpacker

_FILE_METHODS = frozenset(
    {"read", "readline", "readlines", "write", "writelines", "seek", "tell", "flush", "close"}
)
_CALLABLE = (
    types.FunctionType,
    types.MethodType,
    types.BuiltinFunctionType,
    types.BuiltinMethodType,
)


_ERROR = "_equipoise_error"
_HEARD = 4 * 2**20


class _Raised(Exception):
    """Carries what the program raised past what its answer may raise here."""

    def __init__(self, error: BaseException) -> None:
        super().__init__()
        self.error = error


class SubjectEnded(Exception):
    """The program under test ended before the test did."""


class Asker:
    """Asks the program to do things, and does what it asks with the objects lent to it."""

    def __init__(self, channel: Channel, test_modules: frozenset[str]) -> None:
        """Takes the channel; objects of classes of `test_modules` may be lent."""
        self._channel = channel
        self._test_modules = test_modules
        self._lock = threading.RLock()
        self._lent: list[Any] = []
        self._exceptions: dict[int, type[BaseException]] = {}
        self._left_to_hear = _HEARD
        self.has_ended = False
        self.lies: list[str] = []

    def ask(self, what: str, *words: Any, **named: Any) -> Any:
        """Gives the outcome, or raises what the program raised.

        Raises:
            SubjectEnded: the program has ended.
        """
        packer = Packer(self._lend)
        message = {
            "ask": what,
            "args": [packer.pack(word) for word in words],
            "named": {name: packer.pack(word) for name, word in named.items()},
        }
        with self._lock:
            try:
                return self._sound(message, packer)
            except Ended as error:
                if isinstance(error, Nonsense):
                    self.lies.append(f"the program sent what is no answer: {error}")
                self.has_ended = True
                raise SubjectEnded(f"the program under test has ended ({error})") from None

    def _sound(self, message: dict[str, Any], packer: Packer) -> Any:
        """Gives the outcome; an answer that is not made as answers are is nonsense."""
        try:
            return self._outcome(message, packer)
        except _Raised as raised:
            raise raised.error from None
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise Nonsense(f"{type(error).__name__}: {error}") from None

    def _outcome(self, message: dict[str, Any], packer: Packer) -> Any:
        self._channel.send(message)
        while True:
            answer = self._channel.receive()
            for name, text in answer.get("said", ()):
                self._hear(str(name), str(text))
            if "ask" in answer:
                self._channel.send(self._served(answer))
            elif "raised" in answer:
                raise _Raised(self._error(answer["raised"]))
            else:
                unpacker = Unpacker(self._taken)
                for index, contents in answer.get("back", ()):
                    unpacker.fill(packer.changeable[int(index)], contents)
                return unpacker.unpack(answer.get("value"))

    def _hear(self, name: str, text: str) -> None:
        """Prints what the program printed, up to a bound that it cannot shift."""
        if self._left_to_hear > 0:
            (sys.stdout if name == "out" else sys.stderr).write(text[: self._left_to_hear])
            self._left_to_hear -= len(text)

    def _served(self, request: dict[str, Any]) -> dict[str, Any]:
        """Does what the program asks with an object that was lent to it, and nothing else."""
        try:
            thing = self._lent[int(request["on"])]
            words = [Unpacker(self._taken).unpack(word) for word in request.get("args", ())]
            if request["ask"] == "get":
                value = _attribute(thing, words[0], self._test_modules)
            elif request["ask"] == "next":
                value = next(thing)
            else:
                value = thing(*words)
            return {"value": Packer(self._lend).pack(value)}
        except (Ended, SubjectEnded):
            raise
        except Exception as error:  # noqa: BLE001  the program asked for it
            return {"raised": self._failure(error)}

    def _lend(self, value: Any) -> list[Any]:
        if isinstance(value, Lent):
            return ["back", about(value).number]
        if isinstance(value, (LentModule, type)) and isinstance(vars(value).get(NUMBER), int):
            return ["back", vars(value)[NUMBER]]
        if _is_pythons(value):
            return ["python", value.__name__]
        if isinstance(value, BaseException):
            return self._failure(value)
        if not _may_be_lent(value, self._test_modules):
            raise NotAcross(
                f"{type(value).__name__} cannot be handed to a program in another process; "
                "give it plain values, or run the suite in one process"
            )
        self._lent.append(value)
        return ["visitor", len(self._lent) - 1]

    def _failure(self, error: BaseException) -> list[Any]:
        number = vars(type(error)).get(NUMBER)
        known = next(kind for kind in type(error).__mro__ if _is_pythons(kind))
        kind = ["back", number] if isinstance(number, int) else ["python", known.__name__]
        return ["failure", kind, ["t", [str(word) for word in error.args]]]

    def _taken(self, data: list[Any]) -> Any:
        if data[0] == "lent":
            plain = Unpacker(self._taken).unpack(data[3]) if len(data) > 3 else NOTHING
            return Lent(About(self, int(data[1]), str(data[2]), plain))
        if data[0] == "module":
            return LentModule(self, int(data[1]), str(data[2]), has_path=bool(data[3]))
        if data[0] == "python" and _is_pythons(vars(builtins).get(data[1])):
            return vars(builtins)[data[1]]
        if data[0] == "exception":
            return self._exception(int(data[1]), data[2])
        if data[0] == "back":
            return self._lent[int(data[1])]
        raise Nonsense(f"no value: {data[0]!r}")

    def _exception(self, number: int, lineage: list[Any]) -> type[BaseException]:
        """Gives a class of our own for a class of exceptions of the program."""
        if number in self._exceptions:
            return self._exceptions[number]
        name, own = lineage[0]
        if own is None:
            made = _known(str(name))
        else:
            above = self._exception_above(lineage[1:])
            made = type(str(name), (above,), {NUMBER: number, "__getattr__": _of_the_program})
        self._exceptions[number] = made
        return made

    def _exception_above(self, lineage: list[Any]) -> type[BaseException]:
        if not lineage:
            return Exception
        name, number = lineage[0]
        return _known(str(name)) if number is None else self._exception(int(number), lineage)

    def _error(self, data: list[Any]) -> BaseException:
        kind = self._taken(data[0])
        words = Unpacker(self._taken).unpack(data[1])
        error: BaseException
        try:
            error = kind(*words)
        except Exception:  # noqa: BLE001  a class of Python that wants other words
            error = Exception(str(data[3]))
        vars(error)[_ERROR] = Lent(About(self, int(data[2]), str(data[0][2][0][0]), NOTHING))
        error.add_note(f"in the program under test:\n{data[4]}")
        return error


def _is_pythons(value: Any) -> bool:
    """Says whether it is a class that every Python has."""
    return isinstance(value, type) and vars(builtins).get(value.__name__) is value


def _of_the_program(error: BaseException, name: str) -> Any:
    """Gives an attribute of an exception as the program has it."""
    lent = vars(error).get(_ERROR)
    if lent is None or name.startswith("__"):
        raise AttributeError(name)
    return getattr(lent, name)


def _known(name: str) -> type[BaseException]:
    """Gives a class of exceptions of Python; those that would end the tests become ordinary."""
    found = vars(builtins).get(name)
    if not (isinstance(found, type) and issubclass(found, BaseException)):
        return Exception
    return Exception if found in (KeyboardInterrupt, GeneratorExit, BaseException) else found


def _may_be_lent(value: Any, test_modules: frozenset[str]) -> bool:
    kind = type(value)
    return (
        isinstance(value, (*_CALLABLE, types.GeneratorType))
        or kind in (io.StringIO, io.BytesIO)
        or kind.__module__ in test_modules
        or (hasattr(kind, "__next__") and kind.__module__ == "builtins")
    )


def _attribute(thing: Any, name: str, test_modules: frozenset[str]) -> Any:
    """Gives an attribute of a lent object: a method of a file, or what a test's own class has.

    Raises:
        AttributeError: the program may not have it; through most attributes of Python's objects
            one can reach everything.
    """
    is_file = type(thing) in (io.StringIO, io.BytesIO) and name in _FILE_METHODS
    is_tests = type(thing).__module__ in test_modules and not name.startswith("_")
    if not is_file and not is_tests:
        raise AttributeError(name)
    return getattr(thing, name)
