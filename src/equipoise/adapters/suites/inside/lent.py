"""Stands in, in the tests' process, for the objects and modules of the program under test.

No claim of the program about a value that only the tests know is taken at its word: an object of
the program never equals a plain value, is compared by the number that it gave before it was asked,
and where it has met a number of the tests, that number cannot come back as its own.
"""

import math
import operator
import types
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from .lineup import decoys, shuffled

NUMBER = "__equipoise_number__"
NOTHING: Any = object()

_MOST = 200
_ITEMS = 100_000
_QUESTIONS = frozenset(
    {"startswith", "endswith", "issubset", "issuperset", "isdisjoint", "is_integer"}
    | {name for kind in (str, bytes) for name in dir(kind) if name.startswith("is")}
)
"""Questions to plain values: what answers them without being one may answer what is wanted."""

_HIDDEN = ("__wrapped__", "__test__", "_pytestfixturefunction", "pytestmark")
"""Names that pytest looks for on everything that it meets."""


class NotAcross(TypeError):
    """Something cannot be done with a program in another process."""


class About:
    """What is known of an object of the program.

    Where it is of a subclass of a plain type, `plain` is what it is worth plainly. `worth` is the
    number that it gave, or follows from one; it is tainted once a number of the tests went into it.
    """

    __slots__ = ("asker", "is_tainted", "kind", "number", "plain", "worth")

    def __init__(self, asker: Any, number: int, kind: str, plain: Any) -> None:
        """Keeps who can be asked about it."""
        self.asker = asker
        self.number = number
        self.kind = kind
        self.plain = plain
        self.worth = NOTHING
        self.is_tainted = False


def about(thing: "Lent") -> About:
    """Gives what is known of an object of the program, which may have attributes of any name."""
    known: About = object.__getattribute__(thing, "_equipoise_about")
    return known


class Lent:
    """An object of the program."""

    __slots__ = ("_equipoise_about",)

    def __init__(self, known: About) -> None:
        """Keeps what is known of it."""
        object.__setattr__(self, "_equipoise_about", known)

    def __getattr__(self, name: str) -> Any:
        """Gives an attribute of the program's object."""
        if name in _HIDDEN:
            raise AttributeError(name)
        known = about(self)
        if name in _QUESTIONS:
            if known.plain is NOTHING or not hasattr(known.plain, name):
                raise NotAcross(
                    f"a {known.kind} is asked whether it {name}, as a text or a set would be, and "
                    "nobody can check what it says; give back a plain value, or run the suite in "
                    "one process"
                )
            return getattr(known.plain, name)
        return known.asker.ask("get", self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        """Sets an attribute of the program's object."""
        about(self).asker.ask("set", self, name, value)

    def __delattr__(self, name: str) -> None:
        """Deletes an attribute of the program's object."""
        about(self).asker.ask("delete", self, name)

    def __call__(self, *words: Any, **named: Any) -> Any:
        """Calls the program's object."""
        return about(self).asker.ask("call", self, *words, **named)

    def __eq__(self, other: object) -> bool:
        """Compares with a plain value here; with another object of the program, there."""
        if isinstance(other, Lent):
            return about(self).number == about(other).number or _are_equal(self, other)
        return about(self).plain is not NOTHING and bool(about(self).plain == other)

    def __hash__(self) -> int:
        """Gives the hash that the program gives it."""
        return int(about(self).asker.ask("hash", self))

    def __bool__(self) -> bool:
        """Gives its truth."""
        if about(self).plain is not NOTHING:
            return bool(about(self).plain)
        return (
            bool(_number_of(self))
            if about(self).is_tainted
            else bool(about(self).asker.ask("truth", self))
        )

    def __contains__(self, other: object) -> bool:
        """Looks among the items, here where they can be had."""
        if about(self).plain is not NOTHING:
            return other in about(self).plain
        if isinstance(other, Lent):
            return bool(about(self).asker.ask("contains", self, other))
        return _holds(self, other)

    def __iter__(self) -> Iterator[Any]:
        """Gives an iterator of the program."""
        iterator: Iterator[Any] = about(self).asker.ask("iter", self)
        return iterator

    def __next__(self) -> Any:
        """Gives the next item."""
        return about(self).asker.ask("next", self)

    def __str__(self) -> str:
        """Gives its text."""
        return str(about(self).asker.ask("str", self))

    def __repr__(self) -> str:
        """Gives its text for messages."""
        try:
            return str(about(self).asker.ask("repr", self))[:_MOST]
        except Exception as error:  # noqa: BLE001  the program's own __repr__
            return f"<{about(self).kind}: no repr: {type(error).__name__}>"

    def __format__(self, how: str) -> str:
        """Gives its text in a format."""
        return str(about(self).asker.ask("format", self, how))

    def __setitem__(self, key: Any, value: Any) -> None:
        """Sets an item."""
        about(self).asker.ask("setitem", self, key, value)

    def __enter__(self) -> Any:
        """Enters a context."""
        return about(self).asker.ask("enter", self)

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> Any:
        """Leaves a context."""
        return about(self).asker.ask("exit", self, error)

    def __instancecheck__(self, thing: Any) -> bool:
        """Says whether an object of the program is of this class of the program."""
        return isinstance(thing, Lent) and bool(about(self).asker.ask("isinstance", thing, self))

    def __subclasscheck__(self, thing: Any) -> bool:
        """Says whether a class of the program is a subclass of this one."""
        return isinstance(thing, Lent) and bool(about(self).asker.ask("issubclass", thing, self))


def _are_equal(one: Lent, other: Lent) -> bool:
    """Asks the program, and whether the one equals just any object as well."""
    asker = about(one).asker
    asked = shuffled([other, asker.ask("object")])
    said = [bool(asker.ask("eq", one, thing)) for thing in asked]
    if all(said):
        asker.lies.append(f"{about(one).kind}: equals any object")
        return False
    return said[next(i for i, thing in enumerate(asked) if thing is other)]


def _holds(thing: Lent, item: Any) -> bool:
    """Looks among the items; where there are none to be had, asks about several."""
    asker = about(thing).asker
    try:
        items = iter(asker.ask("iter", thing))
    except TypeError:
        asked = shuffled([item, *decoys(item)])
        said = [bool(asker.ask("contains", thing, one)) for one in asked]
        if all(said):
            asker.lies.append(f"{about(thing).kind}: holds anything")
            return False
        return said[next(i for i, one in enumerate(asked) if one is item)]
    return any(one == item for one, _ in zip(items, range(_ITEMS), strict=False))


def _number_of(thing: Lent) -> Any:
    """Gives the number that an object is worth, asked for before it knows what for.

    Raises:
        NotAcross: it has none, or has met a number of the tests before.
    """
    known = about(thing)
    if known.plain is not NOTHING and isinstance(known.plain, (int, float)):
        return known.plain
    if known.worth is NOTHING and not known.is_tainted:
        with suppress(TypeError, ValueError, AttributeError):
            known.worth = known.asker.ask("float", thing)
    if known.worth is NOTHING:
        raise NotAcross(
            f"a {known.kind} is compared with a plain value, which nobody can check in another "
            "process; compare a plain attribute of it, or run the suite in one process"
        )
    return known.worth


def _arithmetic(thing: Lent, name: str, other: Any, *, is_reflected: bool) -> Any:
    """Asks for a sum or the like; what comes back must follow from what the object was worth."""
    asker = about(thing).asker
    words = (other, thing) if is_reflected else (thing, other)
    if not isinstance(other, (int, float)):
        return asker.ask(name, *words)
    try:
        mine = _number_of(thing)
        local = _LOCALLY[name](*((other, mine) if is_reflected else (mine, other)))
    except (NotAcross, ArithmeticError, TypeError, ValueError):
        local = NOTHING
    result = asker.ask(name, *words)
    if isinstance(result, Lent):
        about(result).worth = local
        about(result).is_tainted = True
    elif isinstance(result, (int, float)):
        if local is NOTHING:
            raise NotAcross(
                f"a {about(thing).kind} is worth no number, and yet gives one for {name}"
            )
        if not math.isclose(result, local, rel_tol=1e-6, abs_tol=1e-9):
            asker.lies.append(f"{about(thing).kind}: {name} does not follow from what it is worth")
            return local
    return result


_LOCALLY: dict[str, Callable[[Any, Any], Any]] = {
    name: getattr(operator, name)
    for name in (
        *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "lshift", "rshift"),
        *("and_", "or_", "xor", "lt", "le", "gt", "ge"),
    )
}
_NUMERIC: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "int": int,
    "float": float,
    "round": round,
    "index": operator.index,
    "neg": operator.neg,
    "pos": operator.pos,
    "invert": operator.invert,
}


def _binary(name: str) -> None:
    def method(self: Lent, other: Any) -> Any:
        return _arithmetic(self, name, other, is_reflected=False)

    def reflected(self: Lent, other: Any) -> Any:
        return _arithmetic(self, name, other, is_reflected=True)

    setattr(Lent, f"__{name.rstrip('_')}__", method)
    setattr(Lent, f"__r{name.rstrip('_')}__", reflected)


def _ordering(name: str) -> None:
    def method(self: Lent, other: Any) -> Any:
        if isinstance(other, Lent):
            return about(self).asker.ask(name, self, other)
        if about(self).plain is not NOTHING:
            return _LOCALLY[name](about(self).plain, other)
        return _LOCALLY[name](_number_of(self), other)

    setattr(Lent, f"__{name}__", method)


def _numeric(name: str) -> None:
    def method(self: Lent, *words: Any) -> Any:
        if about(self).is_tainted:
            return _NUMERIC[name](_number_of(self), *words)
        return about(self).asker.ask(name, self, *words)

    setattr(Lent, f"__{name}__", method)


def _asked(name: str) -> None:
    def method(self: Lent, *words: Any) -> Any:
        return about(self).asker.ask(name, self, *words)

    setattr(Lent, f"__{name}__", method)


for _name in _LOCALLY:
    (_ordering if _name in ("lt", "le", "gt", "ge") else _binary)(_name)
for _name in _NUMERIC:
    _numeric(_name)
for _name in ("len", "reversed", "bytes", "fspath", "getitem", "delitem", "dir"):
    _asked(_name)


class LentModule(types.ModuleType):
    """A module of the program."""

    def __init__(self, asker: Any, number: int, name: str, *, has_path: bool) -> None:
        """Names it as the program does."""
        super().__init__(name)
        own = vars(self)
        own[NUMBER] = number
        own["_equipoise_lent"] = Lent(About(asker, number, name, NOTHING))
        own["_equipoise_before"] = {}
        if has_path:
            own["__path__"] = []

    def __getattr__(self, name: str) -> Any:
        """Gives what the program's module has under a name."""
        lent = vars(self)["_equipoise_lent"]
        if name == "__all__":
            return about(lent).asker.ask("public", lent)
        if name.startswith("__") and name.endswith("__") and name != "__version__":
            raise AttributeError(name)
        return about(lent).asker.ask("get", lent, name)

    def __setattr__(self, name: str, value: Any) -> None:
        """Sets it in the program; what the import system sets stays here."""
        own = vars(self)
        if name.startswith("__") or isinstance(value, LentModule):
            own[name] = value
            return
        lent = own["_equipoise_lent"]
        own["_equipoise_before"].setdefault(name, getattr(self, name, NOTHING))
        setattr(lent, name, value)

    def __delattr__(self, name: str) -> None:
        """Deletes it in the program; what was set from here becomes what it was before."""
        own = vars(self)
        before = own["_equipoise_before"].pop(name, NOTHING)
        if before is NOTHING:
            delattr(own["_equipoise_lent"], name)
        else:
            setattr(own["_equipoise_lent"], name, before)
