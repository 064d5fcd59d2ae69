"""Throws broken files at every reader: only readings or named errors come out.

Short by default; ``EQUIPOISE_FUZZ_SECONDS=600`` spends that long on all readers together.
"""

import csv
import gzip
import io
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adapters.logs.eval_files import header, members, sample, write_eval
from equipoise.errors import InputError
from equipoise.ports import Reading
from equipoise.records.codec import encode
from equipoise.records.grade import Grade
from equipoise.records.trial import Trial
from equipoise.wiring import READERS, detect, reader
from every import for_every

SECONDS = float(os.environ.get("EQUIPOISE_FUZZ_SECONDS", "0"))
ROWS = [
    {"unit": "u1", "arm": "a", "rep": 1, "outcome": True, "cost_usd": 0.1, "status": "ok"},
    {"unit": "größer", "arm": "b", "rep": 2, "outcome": None, "cost_usd": 0, "status": "error"},
    {"unit": "u2", "arm": "a", "rep": 1, "outcome": "fail", "cost_usd": "1e3", "status": "timeout"},
]
EVERY: dict[str, Any] = {
    "attempt": 1,
    "tone": 4,
    "error": None,
    "stop": "end_turn",
    "lang": "de",
    "tokens.in": 5,
    "tokens.cached": 2,
    "seconds": 1.5,
    "limit": 60,
    "output": "x",
    "cached": False,
    "calls": 3,
    "version": "1",
    "findings": [],
}
ROWS = [row | EVERY for row in ROWS]
MAPPING: dict[str, Any] = {
    "unit": ["unit", "rep"],
    "arm": {"column": "arm", "match": "[a-z]"},
    "repetition": "rep",
    "attempt": "attempt",
    "outcome": "outcome",
    "criteria": {"tone": {"column": "tone", "scale": [1, 5], "how": "soft"}},
    "status": "status",
    "error": "error",
    "stop_reason": "stop",
    "labels": ["lang"],
    "cost_usd": "cost_usd",
    "input_tokens": "tokens.in",
    "cache_read_tokens": "tokens.cached",
    "convention": "subset",
    "duration_s": "seconds",
    "timeout_limit_s": "limit",
    "output": "output",
    "cached": "cached",
    "counts": ["calls"],
    "versions": {"harness": "version"},
    "findings": {"column": "findings"},
}
SESSION = [
    {"type": "user", "sessionId": "s", "timestamp": "2026-01-01T00:00:00Z", "message": {}},
    {
        "type": "assistant",
        "sessionId": "s",
        "message": {"id": "m", "usage": {"input_tokens": 1}, "content": [{"type": "tool_use"}]},
    },
    {"type": "result", "subtype": "success", "usage": {"input_tokens": 3}, "total_cost_usd": 1},
]
PROMPTFOO = {
    "evalId": "e",
    "results": {
        "prompts": [{"provider": "p", "label": "l", "metrics": {"testPassCount": 1}}],
        "results": [
            {
                "promptIdx": 0,
                "vars": {"q": "x"},
                "success": True,
                "score": 1,
                "gradingResult": {"componentResults": [{"assertion": {"type": "llm-rubric"}}]},
                "response": {"output": "y", "tokenUsage": {"prompt": 1}},
            }
        ],
        "stats": {"successes": 1, "failures": 0, "errors": 0},
    },
}
JUNIT = (
    '<?xml version="1.0"?><testsuites tests="2"><testsuite name="s"><testcase classname="c" '
    'name="n" time="1"/><testcase name="m"><failure message="x"/></testcase></testsuite>'
    "</testsuites>"
)
TRACE = (
    '2026-01-01T00:00:00Z  meta  L1  task="t"\n'
    "2026-01-01T00:00:01Z  inner  k=0  loss=0.500  raw=4/8\n"
    "2026-01-01T00:00:02Z  epoch  epoch=1\n"
    "2026-01-01T00:00:03Z  inner  k=1  loss=0.25  raw=2/8  Δloss=-0.250\n"
    "2026-01-01T00:00:04Z  inner  close  terminal=complete  loss_final=0.250\n"
)
BUNDLE = {"per_skill": [{"name": "s", "red": 1, "green": 0, "rubric_max": 2}], "bundle_mean": 0.5}
EVAL = [sample(1, value="C", metadata={"a": 1}), sample("b", epoch=2, value=0.5, error="x")]


def _csv() -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(ROWS[0]))
    writer.writeheader()
    writer.writerows(ROWS)
    return text.getvalue().encode()


def _eval() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        return write_eval(Path(folder, "a.eval"), members(EVAL)).read_bytes()


def _parquet() -> bytes:
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as connection:
        path, rows = Path(folder, "a.parquet"), Path(folder, "a.csv")
        rows.write_bytes(_csv())
        connection.execute(f"COPY (FROM read_csv('{rows}')) TO '{path}'")
        return path.read_bytes()


CODEX = [
    {"type": "thread.started", "thread_id": "t"},
    {"type": "turn.started"},
    {
        "type": "item.completed",
        "item": {"type": "command_execution", "command": "ls", "status": ""},
    },
    {"type": "turn.completed", "usage": {"input_tokens": 5, "cached_input_tokens": 1}},
]
ROLLOUT = [
    {"type": "session_meta", "payload": {"id": "t", "cli_version": "1"}, "timestamp": "2026-01-01"},
    {"type": "response_item", "payload": {"type": "function_call", "name": "exec_command"}},
    {"type": "event_msg", "payload": {"type": "token_count", "info": {"total_token_usage": {}}}},
    {"type": "event_msg", "payload": {"type": "task_complete", "last_agent_message": "x"}},
]
BARE_MINI = [
    {"role": "system", "content": "write a ```mswea_bash_command```"},
    {"role": "assistant", "content": "```mswea_bash_command\nls\n```"},
]
MINI = {"info": {"mini_version": "2", "exit_status": "Submitted"}, "messages": BARE_MINI}
SWE = {
    "trajectory": [{"action": "ls", "observation": ""}],
    "history": [{"role": "user", "content": "fix"}],
    "info": {"exit_status": "submitted", "model_stats": {"tokens_sent": 3, "api_calls": 1}},
}


def _lines(rows: list[Any]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


SEEDS: dict[str, list[tuple[str, bytes]]] = {
    "table": [
        ("a.jsonl", _lines(ROWS)),
        ("a.jsonl.gz", gzip.compress(_lines(ROWS))),
        ("a.csv", _csv()),
        ("a.tsv", _csv().replace(b",", b"\t")),
        ("a.json", json.dumps({"results": ROWS}).encode()),
        ("a.yml", b"".join(b"- " + line + b"\n" for line in _lines(ROWS).splitlines())),
        ("a.parquet", _parquet()),
    ],
    "inspect": [
        ("a.eval", _eval()),
        ("a.json", json.dumps(header(EVAL) | {"samples": EVAL}).encode()),
    ],
    "promptfoo": [
        ("a.json", json.dumps(PROMPTFOO).encode()),
        ("a.jsonl", _lines(PROMPTFOO["results"]["results"])),  # type: ignore[index]  # a literal
    ],
    "claude-code": [("a.jsonl", _lines(SESSION)), ("a.json", json.dumps(SESSION).encode())],
    "codex": [("a.jsonl", _lines(CODEX)), ("b.jsonl", _lines(ROLLOUT))],
    "mini-swe": [("a.json", json.dumps(MINI).encode()), ("b.json", json.dumps(BARE_MINI).encode())],
    "swe-agent": [("a.traj", json.dumps(SWE).encode())],
    "junit": [("a.xml", JUNIT.encode())],
    "ldd": [("trace.log", TRACE.encode()), ("a.json", json.dumps(BUNDLE).encode())],
}
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "table": [{}, MAPPING],
    "inspect": [{"scorer": "match"}],
}
CASES = [
    (form, name, content, options)
    for form, seeds in SEEDS.items()
    for name, content in seeds
    for options in OPTIONS.get(form, [{}])
]
SPLICES = [
    *(b"", b"\0", b"\xff\xfe", b"\xed\xa0\x80", b"\n", b"\r", b'"', b"'", b",", b":", b"\\"),
    *(b"{", b"}", b"[", b"]", b"[" * 3000, b'{"a":' * 3000, b"- " * 300, b"<", b">", b"&x;"),
    *(b"NaN", b"-Infinity", b"1e999", b"-1", b"9" * 400, b"1" * 5000, b"null", b"true", b"0.1.2"),
    *(b'"\\ud800"', b"<!DOCTYPE a>", b"<x>" * 100, b"&a", b"*a", b"!!python/x", b"---", b"\t"),
    *(
        b"PK\x03\x04",
        b"PK\x05\x06",
        b"PAR1",
        b"\x1f\x8b",
        b"../",
        b"loss=",
        b"raw=1/0",
        b"k=\xc2\xb2",
    ),
]
WORDS = ["error", "2026-01-01T00:00:00", "2026-01-01T00:00:00Z", "..", "/etc/passwd"]
KEYS = st.text(max_size=8)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
VALUES = st.recursive(
    SCALARS | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)


@st.composite
def mutated(draw: st.DrawFn, content: bytes) -> bytes:
    """A valid file with some bytes changed, cut, doubled or spliced in."""
    found = bytearray(content)
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, len(found)))
        width = draw(st.integers(0, 40))
        kind = draw(st.integers(0, 4))
        if kind == 0:
            found[at : at + width] = draw(st.sampled_from(SPLICES))
        elif kind == 1 and at < len(found):
            found[at] = draw(st.integers(0, 255))
        elif kind == 2:
            del found[at : at + width * 4]
        elif kind == 3:
            found[at:at] = found[at : at + width * 4]
        else:
            found = found[:at]
    return bytes(found)


def _with_value(value: Any, keys: list[int], drawn: Any) -> Any:
    """The value with one part, reached by the keys, put in place of what was there."""
    if not keys or not isinstance(value, dict | list) or not value:
        return drawn
    names: list[Any] = list(value) if isinstance(value, dict) else list(range(len(value)))
    at = names[keys[0] % len(names)]
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[at] = _with_value(value[at], keys[1:], drawn)
    return copy


def _is_named_error(form: str, name: str, content: bytes, options: dict[str, Any]) -> bool:
    """Reads the bytes; whether a named error came. Any other error fails the test."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(content)
        try:
            detect(path)
            for reading in reader(form).read(path, options):
                _check(reading)
        except InputError as error:
            str(error).encode()
            return True
    return False


def _check(reading: Reading) -> None:
    """A reading can be written, and says nothing that is no number."""
    encode(reading)
    if isinstance(reading, Trial):
        assert reading.unit
        assert reading.arm
        assert reading.repetition >= 1
        assert reading.attempt >= 1
        assert reading.cost_usd is None or reading.cost_usd >= 0
        assert reading.duration_ms is None or reading.duration_ms >= 0
    elif isinstance(reading, Grade):
        assert (reading.value is None) == bool(reading.not_evaluable)
        assert reading.value is None or 0 <= reading.value <= 1


def test_the_seeds_themselves_are_read() -> None:
    assert SEEDS.keys() == READERS.keys()
    for form, name, content, options in CASES:
        assert not _is_named_error(form, name, content, options), name


def _rounds(case: Callable[[], None]) -> Iterator[None]:
    """Once; or again and again for this case's share of the time that was asked for."""
    share = SECONDS / (3 * len(CASES))
    end = time.monotonic() + share
    case()
    yield
    while time.monotonic() < end:
        case()
        yield


_SETTINGS = settings(
    max_examples=25 if not SECONDS else 200,
    deadline=None,
    derandomize=not SECONDS,
    database=None,
    suppress_health_check=list(HealthCheck),
)


@for_every("form, name, content, options", CASES)
def test_changed_files(form: str, name: str, content: bytes, options: dict[str, Any]) -> None:
    @_SETTINGS
    @given(changed=mutated(content))
    def case(changed: bytes) -> None:
        _is_named_error(form, name, changed, options)

    for _ in _rounds(case):
        pass


@for_every("form, name, content, options", CASES)
def test_any_bytes(form: str, name: str, content: bytes, options: dict[str, Any]) -> None:
    @_SETTINGS
    @given(drawn=st.binary(max_size=300), is_after=st.booleans())
    def case(drawn: bytes, is_after: bool) -> None:  # given by name
        _is_named_error(form, name, (content if is_after else b"") + drawn, options)

    for _ in _rounds(case):
        pass


JSON_CASES = [
    (form, name, parts, options)
    for form, name, parts in [
        ("table", "a.jsonl", ROWS),
        ("promptfoo", "a.json", PROMPTFOO),
        ("claude-code", "a.jsonl", SESSION),
        ("ldd", "a.json", BUNDLE),
        ("inspect", "a.json", header(EVAL) | {"samples": EVAL}),
        ("inspect", "a.eval", {"head": header(EVAL), "samples": EVAL}),
    ]
    for options in OPTIONS.get(form, [{}])
]


@for_every("form, name, parts, options", JSON_CASES)
def test_any_values_in_any_place(form: str, name: str, parts: Any, options: dict[str, Any]) -> None:
    @_SETTINGS
    @given(keys=st.lists(st.integers(0, 50), max_size=8), drawn=VALUES)
    def case(keys: list[int], drawn: Any) -> None:
        changed = _with_value(parts, keys, drawn)
        _is_named_error(form, name, _written(name, changed), options)

    for _ in _rounds(case):
        pass


def _written(name: str, value: Any) -> bytes:
    if name.endswith(".jsonl") and isinstance(value, list):
        return b"".join(json.dumps(row).encode() + b"\n" for row in value)
    if name.endswith(".eval") and isinstance(value, dict):
        listed = value.get("samples")
        parts = {"header.json": json.dumps(value.get("head")).encode()}
        for index, item in enumerate(listed if isinstance(listed, list) else []):
            parts[f"samples/{index}_epoch_1.json"] = json.dumps(item).encode()
        with tempfile.TemporaryDirectory() as folder:
            return write_eval(Path(folder, name), parts).read_bytes()
    return json.dumps(value).encode()
