"""Answers are read the same however they are cut into pieces, and nothing in them is fatal."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.gateway.exchange import Asked
from equipoise.gateway.scripted import as_anthropic, as_chat, as_google, as_responses
from equipoise.gateway.scripted.conversation import conversation
from equipoise.gateway.scripted.saying import Said, Use
from equipoise.gateway.scripted.scenario import Tokens
from equipoise.gateway.wire.facts import Api, Found
from equipoise.gateway.wire.paths import VENDORS, Purpose, place_of
from equipoise.gateway.wire.reach import reach
from equipoise.gateway.wire.reading import Reading, asked
from equipoise.gateway.wire.uses import uses_of
from equipoise.records.trial import Usage
from every import for_every
from gateway.asking import body_of, path_of

_ALL = pytest.mark.parametrize("api", Api)
_SAID = Said(
    key="0123456789abcdef01234567",
    model="m-1",
    text="Grüße, 世界: a text that is longer than one piece of a stream.",
    uses=(Use(id="u1", name="bash", input={"command": "ls", "deep": [1, {"a": None}]}),),
    stop="tools",
    usage=Tokens(input=100, output=7, cache_read=40, cache_write=5),
)
_EVENTS = {
    Api.MESSAGES: as_anthropic.events(_SAID),
    Api.RESPONSES: as_responses.events(_SAID),
    Api.CHAT: as_chat.events(_SAID, has_usage=True),
    Api.GOOGLE: as_google.events(_SAID, is_sse=True),
}
_NAMES = (
    *("type", "message", "model", "usage", "content", "delta", "error", "choices", "response"),
    *("output", "tools", "messages", "input", "contents", "parts", "candidates", "stop_reason"),
    *("input_tokens", "prompt_tokens", "input_tokens_details", "finish_reason", "tool_calls"),
    *("function", "name", "usageMetadata", "promptFeedback", "generationConfig", "system", "role"),
    *("incomplete_details", "cache_creation", "content_block", "max_tokens", "functionResponse"),
)
_WORDS = (
    *("message_start", "content_block_delta", "message_delta", "error", "response.completed"),
    *("assistant", "tool", "model", "user", "tool_result", "function_call_output", "text"),
)
_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(_WORDS)
    | st.text(max_size=8)
)
_JSON = st.recursive(
    _SCALARS,
    lambda held: st.lists(held, max_size=4) | st.dictionaries(st.sampled_from(_NAMES), held),
    max_leaves=12,
)
_OBJECTS = st.dictionaries(st.sampled_from(_NAMES), _JSON, max_size=8)


def _read(api: Api, chunks: list[bytes], kind: str = "text/event-stream") -> Found:
    reading = Reading(api, status=200, content_type=kind)
    for chunk in chunks:
        reading.feed(chunk)
    return reading.end()


@_ALL
@settings(max_examples=30)
@given(cuts=st.lists(st.integers(0, 4000), max_size=30))
def test_a_stream_reads_the_same_however_it_is_cut(api: Api, cuts: list[int]) -> None:
    whole = b"".join(_EVENTS[api])
    places = [0, *sorted({cut % len(whole) for cut in cuts}), len(whole)]
    pieces = [whole[a:b] for a, b in pairwise(places)]
    assert _read(api, pieces) == _read(api, [whole])


@_ALL
def test_line_ends_of_either_kind_are_read(api: Api) -> None:
    whole = b"".join(_EVENTS[api])
    plain = whole.replace(b"\r\n", b"\n")
    assert _read(api, [plain]) == _read(api, [plain.replace(b"\n", b"\r\n")])
    assert _read(api, [plain.rstrip(b"\n")]) == _read(api, [plain])


@_ALL
def test_a_stream_and_a_whole_answer_say_the_same(api: Api) -> None:
    bodies = {
        Api.MESSAGES: as_anthropic.whole(_SAID),
        Api.RESPONSES: as_responses.whole(_SAID),
        Api.CHAT: as_chat.whole(_SAID),
        Api.GOOGLE: as_google.whole(_SAID),
    }
    whole = _read(api, [msgspec.json.encode(bodies[api])], "application/json")
    streamed = _read(api, _EVENTS[api])
    assert (whole.usage, whole.model, whole.stop_reason) == (
        streamed.usage,
        streamed.model,
        streamed.stop_reason,
    )
    assert whole.is_complete
    assert streamed.is_complete


_TWO = replace(
    _SAID,
    uses=(
        Use(id="u1", name="bash", input={"command": "git log --oneline\nls"}),
        Use(id="u2", name="Read", input={"path": "a.py", "limit": 3}),
    ),
)
_STREAMED = {
    Api.MESSAGES: as_anthropic.events(_TWO),
    Api.RESPONSES: as_responses.events(_TWO),
    Api.CHAT: as_chat.events(_TWO, has_usage=True),
    Api.GOOGLE: as_google.events(_TWO, is_sse=True),
}
_WHOLE = {
    Api.MESSAGES: as_anthropic.whole(_TWO),
    Api.RESPONSES: as_responses.whole(_TWO),
    Api.CHAT: as_chat.whole(_TWO),
    Api.GOOGLE: as_google.whole(_TWO),
}


@_ALL
def test_calls_of_tools_are_seen_in_a_stream_and_in_a_whole_answer_alike(api: Api) -> None:
    streamed = uses_of(api, b"".join(_STREAMED[api]), is_streamed=True, number=7)
    whole = uses_of(api, msgspec.json.encode(_WHOLE[api]), is_streamed=False, number=7)
    assert streamed == whole
    assert [(one.tool, one.answer) for one in whole] == [("bash", 7), ("Read", 7)]
    assert whole[0].given == "git log --oneline\nls"
    assert msgspec.json.decode(whole[1].given) == {"path": "a.py", "limit": 3}
    assert len({one.call for one in whole}) == (1 if api is Api.GOOGLE else 2)  # it gives no ids


@_ALL
@settings(max_examples=30)
@given(body=_OBJECTS)
def test_no_answer_that_asks_for_tools_is_fatal(api: Api, body: dict[str, Any]) -> None:
    content = msgspec.json.encode(body)
    assert isinstance(uses_of(api, content, is_streamed=False), tuple)
    assert isinstance(uses_of(api, b"data: " + content + b"\n\n", is_streamed=True), tuple)
    assert uses_of(api, content[:-1], is_streamed=False) == ()


def test_a_stream_of_google_may_be_an_array() -> None:
    chunks = as_google.events(_SAID, is_sse=False)
    assert msgspec.json.decode(b"".join(chunks))
    assert _read(Api.GOOGLE, chunks, "application/json") == _read(Api.GOOGLE, _EVENTS[Api.GOOGLE])


@_ALL
@pytest.mark.parametrize("n_events", range(1, 4))
def test_a_stream_without_its_end_is_not_complete(api: Api, n_events: int) -> None:
    assert not _read(api, _EVENTS[api][: -n_events - (api is Api.CHAT)]).is_complete


@_ALL
@settings(max_examples=30)
@given(body=_OBJECTS)
def test_no_answer_is_fatal(api: Api, body: dict[str, Any]) -> None:
    found = Found()
    VENDORS[api].event(found, body)
    VENDORS[api].whole(found, body)
    if isinstance(found.usage, Usage):
        assert (found.usage.input_tokens or 0) >= 0


@_ALL
@settings(max_examples=30)
@given(body=_OBJECTS)
def test_no_request_is_fatal(api: Api, body: dict[str, Any]) -> None:
    question = asked(api, path_of(api).split("?")[0], msgspec.json.encode(body))
    assert question is not None
    assert isinstance(question.model, str)
    assert conversation(api, body).n_turns >= 0


@_ALL
@pytest.mark.parametrize("body", [b"", b"[]", b"3", b"{", b"\xff", b"[" * 100_000])
def test_a_body_that_is_no_object_is_no_request(api: Api, body: bytes) -> None:
    assert asked(api, path_of(api).split("?")[0], body) is None


@_ALL
@pytest.mark.parametrize(
    "answer", [b"", b"<html>", b'"x"', b"[" * 100_000, b"data: {}\n\n", b"\xff\xfe"]
)
def test_an_answer_that_is_none_is_a_fault(api: Api, answer: bytes) -> None:
    found = _read(api, [answer], "application/json")
    assert found.fault == "unreadable_answer"
    assert found.usage is None


def _unbounded(api: Api, **more: Any) -> str:
    body = msgspec.json.encode({**body_of(api), **more})
    question = asked(api, path_of(api).split("?")[0], body)
    assert question is not None
    return question.unbounded


_AWAY = {"type": "shell", "environment": {"type": "container_auto"}}
_IMAGE = {"type": "image", "source": {"type": "base64", "data": "AAAA"}}


@for_every(
    "api, more",
    [
        (Api.MESSAGES, {"messages": [{"role": "user", "content": [_IMAGE]}]}),
        (Api.MESSAGES, {"tools": [{"type": "web_search_20250305", "name": "web_search"}]}),
        (Api.MESSAGES, {"container": "c1"}),
        (Api.MESSAGES, {"service_tier": "priority"}),
        (Api.RESPONSES, {"previous_response_id": "resp_1"}),
        (Api.RESPONSES, {"tools": [{"type": "web_search"}]}),
        (Api.RESPONSES, {"service_tier": "flex"}),
        (Api.CHAT, {"web_search_options": {"search_context_size": "low"}}),
        (
            Api.CHAT,
            {
                "messages": [
                    {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}
                ]
            },
        ),
        (Api.GOOGLE, {"cachedContent": "c/1"}),
        (Api.GOOGLE, {"tools": [{"googleSearch": {}}]}),
        (Api.GOOGLE, {"contents": [{"parts": [{"inlineData": {"data": "AA"}}]}]}),
    ],
)
def test_what_has_no_bound_is_told(api: Api, more: dict[str, Any]) -> None:
    assert _unbounded(api) == ""
    assert _unbounded(api, **more)


@for_every(
    "api, more, named",
    [
        (
            Api.MESSAGES,
            {"tools": [{"type": "web_fetch_20250910", "name": "f"}]},
            "web_fetch_20250910",
        ),
        (Api.MESSAGES, {"tools": [{"type": "something_new_2027"}]}, "something_new_2027"),
        (Api.MESSAGES, {"tools": [{"type": ["odd"]}]}, "['odd']"),
        (Api.MESSAGES, {"mcp_servers": [{"url": "https://x"}]}, "mcp_servers"),
        (Api.MESSAGES, {"tools": [{"type": "bash_20250124", "name": "bash"}]}, ""),
        (Api.RESPONSES, {"tools": [{"type": "mcp", "server_url": "https://x"}]}, "mcp"),
        (Api.RESPONSES, {"tools": [{"type": "custom", "name": "apply"}]}, ""),
        (Api.RESPONSES, {"tools": [{"type": "shell"}]}, ""),
        (
            *(
                Api.RESPONSES,
                {"tools": [{"type": "shell", "environment": {"type": "container_auto"}}]},
            ),
            "shell",
        ),
        (Api.CHAT, {"plugins": [{"id": "web"}]}, "plugins"),
        (Api.GOOGLE, {"tools": [{"functionDeclarations": []}, {"urlContext": {}}]}, "urlContext"),
    ],
)
def test_a_tool_that_the_provider_runs_is_seen(api: Api, more: dict[str, Any], named: str) -> None:
    assert reach(api, {**body_of(api), **more}).hosted == named


@for_every(
    "text, fetched",
    [
        (b'{"messages": [{"content": [{"image_url": {"detail": "low", "url": "http://x"}}]}]}', 1),
        (b'{"messages": [{"content": [{"image\\u005furl": {"url": "http://x"}}]}]}', 1),
        (b'{"messages": [{"content": [{"content": [{"source": {"type": "url"}}]}]}]}', 1),
        (b'{"input": [{"output": [{"type": "input_image", "image_url": "http://x"}]}]}', 1),
        (b'{"input": [{"content": [{"type": "input_file", "file_url": "http://x"}]}]}', 1),
        (b'{"contents": [{"parts": [{"fileData": {"fileUri": "http://x"}}]}]}', 1),
        (b'{"messages": [{"content": [{"image_url": {"url": "data:image/png;base64,AA"}}]}]}', 0),
        (b'{"messages": [{"content": "image_url: http://x"}]}', 0),
    ],
)
def test_what_the_provider_would_fetch_is_seen(text: bytes, fetched: int) -> None:
    found = reach(Api.CHAT, msgspec.json.decode(text))
    assert bool(found.fetched) is bool(fetched)


def test_media_that_are_only_spoken_of_are_none() -> None:
    text = 'They wrote {"type": "image"} and "inlineData": there.'
    for api in Api:
        body = msgspec.json.encode(body_of(api, text))
        question = asked(api, path_of(api).split("?")[0], body)
        assert question is not None
        assert question.unbounded == ""


@for_every(
    "method, path, purpose",
    [
        ("POST", "/v1/messages", Purpose.CALL),
        ("POST", "/messages", Purpose.CALL),
        ("POST", "/v1/chat/completions", Purpose.CALL),
        ("POST", "/v1beta/models/gemini-2.5-pro:streamGenerateContent", Purpose.CALL),
        ("POST", "/v1/messages/count_tokens", Purpose.COUNT),
        ("GET", "/v1/models", Purpose.MODELS),
        ("GET", "/v1/models/gpt-4o-2024-11-20", Purpose.MODELS),
        ("HEAD", "/", Purpose.HELLO),
        ("POST", "/v1/files", None),
        ("GET", "/v1/files", None),
        ("DELETE", "/v1/models/ft:x", None),
        ("POST", "/v1/messages/../files", None),
        ("POST", "/v1beta/models/a/b:generateContent", None),
        ("POST", "/v1/messages/batches", None),
    ],
)
def test_only_what_a_cell_needs_stands_at_a_path(
    method: str, path: str, purpose: Purpose | None
) -> None:
    place = place_of(method, path)
    assert (place.purpose if place else None) is purpose


def test_what_is_asked_shows_no_key() -> None:
    shown = repr(Asked(trial="t", purpose=Purpose.CALL, api=Api.CHAT, path="/v1/chat/completions"))
    assert "authorization" not in shown
