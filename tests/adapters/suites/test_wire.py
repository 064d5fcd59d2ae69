"""Plain values cross as they are; nonsense is refused, never taken for something."""

import json
from typing import Any, Never

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.adapters.suites.inside.wire import Nonsense, Packer, Unpacker

_HASHABLE = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.complex_numbers(allow_nan=False)
    | st.text(st.characters())
    | st.binary()
    | st.decimals(allow_nan=False)
    | st.fractions()
    | st.dates()
    | st.datetimes()
    | st.times()
    | st.timedeltas()
    | st.uuids(),
    lambda inner: st.tuples(inner, inner) | st.frozensets(inner, max_size=3),
    max_leaves=4,
)
_VALUES = st.recursive(
    _HASHABLE,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(_HASHABLE, inner, max_size=3)
        | st.sets(_HASHABLE, max_size=3)
        | st.binary().map(bytearray)
    ),
    max_leaves=8,
)


def _none(value: object) -> Never:
    raise AssertionError(value)


def _shape(value: Any) -> Any:
    """The types in a value, all the way down."""
    if isinstance(value, dict):
        return dict, sorted(map(str, ((_shape(k), _shape(v)) for k, v in value.items())))
    if isinstance(value, (list, tuple)):
        return type(value), [_shape(one) for one in value]
    if isinstance(value, (set, frozenset)):
        return type(value), sorted(str(_shape(one)) for one in value)
    return type(value)


@settings(max_examples=40)
@given(value=_VALUES)
def test_a_plain_value_arrives_as_it_left(value: Any) -> None:
    packer, unpacker = Packer(_none), Unpacker(_none)
    arrived = unpacker.unpack(json.loads(json.dumps(packer.pack(value))))
    assert arrived == value
    assert _shape(arrived) == _shape(value)
    assert list(map(type, packer.changeable)) == list(map(type, unpacker.changeable))


@settings(max_examples=40)
@given(value=_VALUES)
def test_a_change_is_told_back(value: Any) -> None:
    held: list[Any] = []
    unpacker = Unpacker(_none)
    unpacker.fill(held, json.loads(json.dumps(Packer(_none).contents([value]))))
    assert held == [value]


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)
_TAGS = st.sampled_from(
    (
        *("i", "f", "j", "y", "t", "z", "list", "dict", "set", "bytearray", "date", "time"),
        *("datetime", "timedelta", "decimal", "fraction", "uuid", "path", "lent", "back", ""),
    )
)


@settings(max_examples=40)
@given(data=_JSON | st.tuples(_TAGS, _JSON).map(list))
def test_nonsense_is_refused(data: Any) -> None:
    def refused(_data: object) -> Never:
        raise Nonsense("no value")

    try:
        value = Unpacker(refused).unpack(data)
    except Nonsense:
        return
    assert type(value).__module__ in {"builtins", "datetime", "decimal", "fractions", "uuid"} | {
        "pathlib"
    }


def test_a_subclass_never_crosses_as_its_base() -> None:
    class Yes(int):
        pass

    asked: list[object] = []

    def other(value: object) -> list[Any]:
        asked.append(value)
        return ["lent", 0, "Yes"]

    assert Packer(other).pack([Yes(3)]) == ["list", [["lent", 0, "Yes"]]]
    assert asked == [3]


@pytest.mark.parametrize("value", ["1" * 5000, "0x" + "f" * 5000])
def test_a_number_of_any_length_is_no_bomb(value: str) -> None:
    assert isinstance(Unpacker(_none).unpack(["i", value]), int)
