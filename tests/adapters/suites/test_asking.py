"""Whatever a program answers to the tests, it is an outcome, an error, or its end."""

import json
import struct
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.adapters.suites.inside.asking import Asker, SubjectEnded
from equipoise.adapters.suites.inside.lent import Lent
from equipoise.adapters.suites.inside.wire import Channel
from every import for_every


class Told:
    """A link to a program that says what it was given to say, and then hangs up."""

    def __init__(self, *messages: bytes) -> None:
        self._left = b"".join(struct.pack(">I", len(one)) + one for one in messages)

    def sendall(self, data: bytes, /) -> None:
        assert data

    def recv(self, size: int, /) -> bytes:
        part, self._left = self._left[:size], self._left[size:]
        return part


def asker(*messages: Any) -> Asker:
    return Asker(Channel(Told(*(json.dumps(one).encode() for one in messages))), frozenset())


_LEAF = st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=3) | st.floats()
_TAGGED = st.sampled_from(
    [
        "lent",
        "module",
        "exception",
        "back",
        "python",
        "visitor",
        "list",
        "dict",
        "i",
        "t",
        "failure",
    ]
)
_DATA = st.recursive(
    _LEAF | st.sampled_from(["exec", "eval", "SystemExit", "KeyboardInterrupt", "int"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.builds(lambda tag, rest: [tag, *rest], _TAGGED, st.lists(inner, max_size=3))
    ),
    max_leaves=8,
)
_MESSAGES = st.dictionaries(
    st.sampled_from(["value", "raised", "ask", "on", "args", "said", "back", "named"]),
    _DATA | st.sampled_from(["get", "call", "next"]),
    max_size=4,
)


@settings(max_examples=150, deadline=None)
@given(messages=st.lists(_MESSAGES, max_size=3))
def test_any_answer_is_an_outcome_an_error_or_the_end(messages: list[dict[str, Any]]) -> None:
    asking = asker(*messages)
    held = [1, [2]]
    try:
        asking.ask("call", held, lambda: 1)
    except SubjectEnded:
        assert asking.has_ended
    except (Exception, SystemExit) as error:  # noqa: BLE001  what the program says it raised
        notes = getattr(error, "__notes__", [""])
        assert notes[0].startswith("in the program under test")


@for_every("name", ["exec", "eval", "open", "__import__", "compile"])
def test_no_function_of_python_is_taken_from_a_program(name: str) -> None:
    asking = asker({"value": ["python", name]})
    with pytest.raises(SubjectEnded):
        asking.ask("get", 1)
    assert asking.lies


def test_what_would_end_the_tests_is_an_ordinary_error() -> None:
    lineage = [["KeyboardInterrupt", None], ["BaseException", None]]
    raised = [["exception", 0, lineage], ["t", ["now"]], 1, "now", "trace"]
    with pytest.raises(Exception, match="now") as caught:
        asker({"raised": raised}).ask("get", 1)
    assert type(caught.value) is Exception


def test_nothing_but_what_was_lent_can_be_reached() -> None:
    asking = asker(
        {"ask": "get", "on": 0, "args": ["__globals__"]},
        {"ask": "call", "on": 7, "args": []},
        {"value": ["lent", 3, "shop.Thing"]},
    )
    found = asking.ask("call", lambda: 1)
    assert isinstance(found, Lent)
