"""Whatever the numbers, a topic answers with a value, a reason or an error, never a traceback."""

import json
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from equipoise.cli import commands
from equipoise.cli.topics import load_topics

_TOPICS = load_topics()
_NUMBERS = st.one_of(
    st.sampled_from([0, 1, 2, 3, 5, 20, -1, 0.5, 0.05, 0.95, 1.5, 1e-300, 1e300, 10**20, -0.0]),
    st.integers(0, 40),
    st.floats(0, 1),
)
_LISTS = st.one_of(
    st.lists(_NUMBERS, max_size=8),
    st.lists(st.sampled_from([0, 1]), max_size=8),
    st.lists(st.sampled_from([0, 0.25, 0.5, 1]), min_size=4, max_size=4),
)
_ANY = st.one_of(
    _NUMBERS,
    _LISTS,
    st.lists(_LISTS, max_size=5),
    st.none(),
    st.booleans(),
    st.sampled_from(["0.3", "x", "", "p=2", "Beta(0,0)", "nan"]),
    st.dictionaries(st.sampled_from(["a", "b"]), _NUMBERS, max_size=2),
)


def _fitting(kind: Any) -> st.SearchStrategy[Any]:
    """Values that the type accepts most of the time, so that the statistics themselves are met."""
    text = str(kind)
    if "list[list" in text:
        return st.one_of(st.lists(st.lists(_NUMBERS, min_size=2, max_size=3), max_size=6), _ANY)
    if "list" in text and "Struct" not in text:
        return st.one_of(_LISTS, _LISTS, _ANY)
    return st.one_of(_NUMBERS, _NUMBERS, _ANY)


def _inputs(topic: str) -> st.SearchStrategy[dict[str, Any]]:
    fields = msgspec.structs.fields(_TOPICS[topic].takes)
    needed = {f.encode_name: _fitting(f.type) for f in fields if f.required}
    optional = {f.encode_name: _fitting(f.type) for f in fields if not f.required}
    return st.fixed_dictionaries(needed, optional=optional)


@pytest.mark.parametrize("topic", sorted(_TOPICS))
@settings(max_examples=6, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_every_topic_answers(topic: str, data: st.DataObject) -> None:
    cases = data.draw(st.lists(_inputs(topic), min_size=4, max_size=4))
    lines = "\n".join(
        json.dumps({"id": i, "topic": topic, "input": c}) for i, c in enumerate(cases)
    )
    done = CliRunner().invoke(commands, ["calc", "--jsonl"], input=lines)
    assert done.exit_code == 0, (cases, done.exception, done.stderr)
    answers = [json.loads(line, parse_constant=_refuse) for line in done.stdout.splitlines()]
    assert len(answers) == len(cases)
    for answer in answers:
        assert len({"value", "not_estimable", "error"} & answer.keys()) == 1


def _refuse(constant: str) -> None:
    raise AssertionError(f"{constant} in the output")
