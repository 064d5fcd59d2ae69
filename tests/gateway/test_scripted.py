"""The stand-in says what the scenario has, in each vendor's own form, and fails as it says."""

import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest

from equipoise.errors import InputError
from equipoise.gateway.prices import read_prices
from equipoise.gateway.scripted.scenario import Scenario, Turn, scenario_of
from equipoise.gateway.wire.facts import Api
from equipoise.records.call import ModelCall
from every import for_every
from gateway.asking import MODEL, ask, body_of, client, gateway, path_of, scenario
from house.documents import ROOT

_BOTH = pytest.mark.parametrize("is_streamed", [False, True])
_ALL = pytest.mark.parametrize("api", Api)
_STOPS = {
    "length": {
        Api.MESSAGES: "max_tokens",
        Api.RESPONSES: "incomplete: max_output_tokens",
        Api.CHAT: "length",
        Api.GOOGLE: "MAX_TOKENS",
    },
    "refusal": {
        Api.MESSAGES: "refusal",
        Api.RESPONSES: "completed",
        Api.CHAT: "stop",
        Api.GOOGLE: "SAFETY",
    },
}


@_BOTH
@_ALL
@pytest.mark.requirement("OUT-39")
@pytest.mark.parametrize("stop", ["length", "refusal"])
def test_a_length_stop_and_a_refusal_are_seen(api: Api, is_streamed: bool, stop: str) -> None:
    call, _ = _asked(scenario({"say": "No, and so", "stop": stop}), api, is_streamed)
    assert call.stop_reason == _STOPS[stop][api]
    assert (call.is_truncated, call.is_refusal) == (stop == "length", stop == "refusal")
    assert not call.fault


@_BOTH
@_ALL
def test_a_cut_stream_is_cut_for_the_harness_too(api: Api, is_streamed: bool) -> None:
    held = scenario({"say": "many words " * 20, "fault": {"cut_after": 3}})
    call, answer = _asked(held, api, is_streamed)
    assert call.fault == "cut_stream"
    assert not call.stop_reason
    if is_streamed:
        assert answer is None
    else:
        assert answer is not None
        assert answer.status_code == call.status == 502


@_ALL
@pytest.mark.parametrize(("status", "word"), [(429, "rate"), (529, ""), (401, "")])
def test_an_error_passes_through(api: Api, status: int, word: str) -> None:
    fault = {"status": status, "message": "the provider's own words", "retry_after_s": 0.01}
    call, answer = _asked(scenario({"fault": fault}), api, is_streamed=True)
    assert answer is not None
    assert answer.status_code == call.status == status
    assert "the provider's own words" in answer.text
    assert answer.headers["retry-after"] == "0.01"
    assert call.fault
    assert word in call.fault.lower() or api is Api.GOOGLE
    assert call.usage is None


@_BOTH
@_ALL
def test_another_model_that_answers_is_told(api: Api, is_streamed: bool) -> None:
    call, _ = _asked(scenario({"say": "hello", "model": "other-9"}), api, is_streamed)
    assert (call.model_asked, call.model_answered) == (MODEL, "other-9")


@_BOTH
@_ALL
@pytest.mark.requirement("ABX-44")
def test_usage_that_nobody_told_is_estimated_and_flagged(api: Api, is_streamed: bool) -> None:
    call, _ = _asked(scenario({"say": "x" * 40, "usage": "none"}), api, is_streamed)
    assert call.usage is not None
    assert call.usage.is_estimated
    assert call.usage.output_tokens == 10
    assert call.usage.convention == "estimated: utf8-bytes/4"
    assert call.cost is None


@_ALL
@pytest.mark.requirement("ABX-45")
def test_latency_is_the_time_that_passed(api: Api) -> None:
    call, _ = _asked(scenario({"say": "at last", "delay_s": 0.25}), api, is_streamed=False)
    assert call.latency_ms >= 250


@_ALL
def test_the_turn_follows_from_the_conversation(api: Api) -> None:
    held = scenario(
        {"calls": [{"shell": "pytest"}]},
        {"say": "second"},
        {"when": {"tool_result": r"1 failed"}, "say": "mended"},
        {"when": {"turn": 3}, "say": "third"},
        {"when": {"prompt": "make a title"}, "say": "A title"},
    )
    assert _said(held, api, []) == "pytest"
    assert _said(held, api, ["all passed"]) == "second"
    assert _said(held, api, ["1 failed"]) == "mended"
    assert _said(held, api, ["all passed", "fine"]) == "third"
    assert _said(held, api, ["a", "b", "c"]) == "The scenario has no further turn."
    assert _said(held, api, [], "make a title") == "A title"


def _said(held: Scenario, api: Api, results: list[str], prompt: str = "go") -> str:
    """Gives what is said after tools gave these results, one a turn."""
    talk = _talk(api, results, prompt)

    async def run() -> Any:
        async with gateway(held) as way, client() as http:
            route = way.open("t1", MODEL)
            return (await http.post(route.url + path_of(api), json=talk)).json()

    answer = anyio.run(run)
    match api:
        case Api.MESSAGES:
            block = answer["content"][0]
            return str(block.get("text") or block["input"]["command"])
        case Api.RESPONSES:
            item = answer["output"][0]
            if item["type"] == "message":
                return str(item["content"][0]["text"])
            return str(httpx.Response(200, text=item["arguments"]).json()["command"])
        case Api.CHAT:
            message = answer["choices"][0]["message"]
            if message["content"]:
                return str(message["content"])
            arguments = message["tool_calls"][0]["function"]["arguments"]
            return str(httpx.Response(200, text=arguments).json()["command"])
        case Api.GOOGLE:
            part = answer["candidates"][0]["content"]["parts"][0]
            return str(part.get("text") or part["functionCall"]["args"]["command"])


def _talk(api: Api, results: list[str], prompt: str) -> dict[str, Any]:
    body = body_of(api, prompt)
    for k, result in enumerate(results):
        match api:
            case Api.MESSAGES:
                use = {"type": "tool_use", "id": f"u{k}", "name": "bash", "input": {}}
                given = {"type": "tool_result", "tool_use_id": f"u{k}", "content": result}
                body["messages"] += [
                    {"role": "assistant", "content": [use]},
                    {"role": "user", "content": [given]},
                ]
            case Api.RESPONSES:
                body["input"] += [
                    {
                        "type": "function_call",
                        "call_id": f"u{k}",
                        "name": "bash",
                        "arguments": "{}",
                    },
                    {"type": "function_call_output", "call_id": f"u{k}", "output": result},
                ]
            case Api.CHAT:
                body["messages"] += [
                    {"role": "assistant", "content": None, "tool_calls": []},
                    {"role": "tool", "tool_call_id": f"u{k}", "content": result},
                ]
            case Api.GOOGLE:
                called: dict[str, Any] = {"functionCall": {"name": "bash", "args": {}}}
                answered: dict[str, Any] = {
                    "functionResponse": {"name": "bash", "response": {"output": result}}
                }
                body["contents"] += [
                    {"role": "model", "parts": [called]},
                    {"role": "user", "parts": [answered]},
                ]
    return body


def _asked(held: Scenario, api: Api, is_streamed: bool) -> tuple[ModelCall, httpx.Response | None]:
    async def run() -> tuple[ModelCall, httpx.Response | None]:
        async with gateway(held) as way, client() as http:
            route = way.open("t1", MODEL)
            answer = None
            try:
                answer = await ask(http, route, api, is_streamed=is_streamed)
            except httpx.RemoteProtocolError:
                await anyio.sleep(0.05)
            (call,) = way.close("t1")
            return call, answer

    return anyio.run(run)


@for_every(
    "text, told",
    [
        (b"turns: []", "turns"),
        (b"turns:\n  - say: hi\n    stop: maybe\n", "s.yaml:3:11"),
        (b"turns:\n  - when: {tool_result: '('}\n", "no regular expression"),
        (b"turns:\n  - sya: hi\n", "turns.0.sya"),
        (b"turns: [", "s.yaml"),
    ],
)
def test_a_faulty_scenario_is_refused_with_its_place(text: bytes, told: str) -> None:
    with pytest.raises(InputError) as caught:
        scenario_of(text, name="s.yaml")
    assert told in str(caught.value)


def test_a_scenario_of_yaml_keeps_numbers_where_they_are_json() -> None:
    text = b"""
turns:
  - calls:
      - {tool: [Read, read_file], input: '{"path": "a.py", "limit": 10}'}
    usage: {input: 10, output: 2}
    delay_s: 0.5
"""
    (turn,) = scenario_of(text, name="s.yaml").turns
    assert turn.calls[0].input == {"path": "a.py", "limit": 10}
    assert turn.delay_s == 0.5


def test_the_examples_of_the_reference_can_be_read(tmp_path: Path) -> None:
    page = ROOT.joinpath("docs", "reference", "gateway.md").read_text(encoding="utf-8")
    table, scenario_text = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    path = tmp_path / "prices.yaml"
    path.write_text(textwrap.dedent(table))
    assert read_prices(path).models["my-model-1"].output == 6
    turns = scenario_of(scenario_text.encode(), name="s.yaml").turns
    assert [bool(turn.when) for turn in turns] == [False, True, False]
    for key in Turn.model_fields:
        assert f"`{key}`" in page


def test_a_scenario_is_served_alone(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_text('{"turns": [{"say": "hello from a process of its own"}]}')
    program = [sys.executable, "-m", "equipoise.gateway.scripted", str(path)]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as served:
        try:
            assert served.stdout is not None
            url = served.stdout.readline().removeprefix("listening on ").strip()
            answer = httpx.post(url + path_of(Api.CHAT), json=body_of(Api.CHAT), trust_env=False)
            assert "hello from a process of its own" in answer.text
        finally:
            served.terminate()


def test_a_scenario_that_is_none_is_told_in_a_line(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text("turns: none")
    program = [sys.executable, "-m", "equipoise.gateway.scripted", str(path)]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "turns" in done.stderr
    assert "Traceback" not in done.stderr
