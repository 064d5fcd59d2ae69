"""A model is asked directly through the gateway, in any format, with a record and a document."""

from typing import Any

import anyio
import msgspec
import pytest

from equipoise.adapters.models.direct import DirectModel
from equipoise.errors import InputError
from equipoise.gateway.exchange import unpack
from equipoise.gateway.limits import Limits
from equipoise.gateway.prices import OwnPrices, PerMillion
from equipoise.gateway.replay import Replay
from equipoise.gateway.scripted.upstream import Scripted
from equipoise.gateway.server import RecordingGateway
from equipoise.gateway.wire.facts import Api
from equipoise.ports.models import ChatModel, Message, Prompt, Reply
from gateway.asking import MODEL, clock, scenario

_ALL = pytest.mark.parametrize("api", Api)
_SCHEMA = {
    "type": "object",
    "properties": {"better": {"enum": ["A", "B"]}},
    "required": ["better"],
    "additionalProperties": False,
}


def _prompt(**more: Any) -> Prompt:
    said = (
        Message(role="system", text="You compare."),
        Message(role="user", text="A: 1. B: 2."),
        Message(role="assistant", text="I have read both."),
        Message(role="user", text="Which is better?"),
    )
    held: dict[str, Any] = {"trial": "t1/judge", "model": MODEL, "messages": said}
    return Prompt(**{**held, "max_tokens": 50, **more})


def _asked(api: Api, *prompts: Prompt, **turn: Any) -> list[Reply]:
    async def run() -> list[Reply]:
        scripted = Scripted(scenario(turn, turn, turn))
        async with RecordingGateway(scripted, clock) as held:
            model: ChatModel = DirectModel(held, api)
            return [await model.complete(prompt) for prompt in prompts]

    return anyio.run(run)


@_ALL
def test_the_text_of_the_answer_is_given_with_its_record(api: Api) -> None:
    usage = {"input": 30, "output": 4}
    (reply,) = _asked(api, _prompt(), say="B is better.", usage=usage)
    assert reply.text == "B is better."
    call = reply.call
    assert (call.trial, call.seq, call.api) == ("t1/judge", 1, api.value)
    assert (call.status, call.fault, call.is_simulated) == (200, "", True)
    assert call.usage is not None
    assert (call.usage.input_tokens, call.usage.output_tokens) == (30, 4)
    assert call.usage.is_estimated is False


@_ALL
@pytest.mark.requirement("ABX-46")
def test_what_is_asked_stands_in_the_request(api: Api) -> None:
    prompt = _prompt(seed=7, json_schema=_SCHEMA, temperature=0.5)
    (reply,) = _asked(api, prompt, say='{"better": "A"}')
    body = msgspec.json.decode(unpack(reply.document).request)
    text = msgspec.json.encode(body).decode()
    assert '"additionalProperties":false' in text
    assert text.index("You compare.") >= 0
    assert text.index("A: 1. B: 2.") < text.index("I have read both.") < text.index("Which is")
    assert '"temperature":0.5' in text
    takes_seed = api in {Api.CHAT, Api.GOOGLE}
    assert ('"seed":7' in text) is takes_seed
    assert reply.unsupported == (() if takes_seed else ("seed",))
    limits = {
        Api.MESSAGES: '"max_tokens":50',
        Api.RESPONSES: '"max_output_tokens":50',
        Api.CHAT: '"max_tokens":50',
        Api.GOOGLE: '"maxOutputTokens":50',
    }
    assert limits[api] in text
    assert reply.text == '{"better": "A"}'
    expected = {"temperature": 0.5, **({"seed": 7.0} if takes_seed else {})}
    assert expected.items() <= reply.call.settings.items()
    assert 50.0 in reply.call.settings.values()


def test_a_schema_of_anthropic_is_a_tool_whose_input_is_the_answer() -> None:
    calls = [{"tool": "answer", "input": {"better": "B"}}]
    (reply,) = _asked(Api.MESSAGES, _prompt(json_schema=_SCHEMA), calls=calls)
    assert reply.text == '{"better":"B"}'


@_ALL
@pytest.mark.parametrize(
    ("turn", "fault"),
    [
        ({"say": "cut o", "stop": "length"}, ""),
        ({"say": "No.", "stop": "refusal"}, ""),
        ({"say": "half an answer", "fault": {"cut_after": 1}}, "cut_stream"),
        ({"fault": {"status": 401}}, "any"),
    ],
)
def test_without_a_whole_answer_there_is_no_text(
    api: Api, turn: dict[str, Any], fault: str
) -> None:
    (reply,) = _asked(api, _prompt(), **turn)
    assert reply.text is None
    call = reply.call
    assert call.is_truncated or call.is_refusal or call.fault
    assert fault in {call.fault, "any"}


@_ALL
def test_calls_are_numbered_and_can_be_replayed(api: Api) -> None:
    replies = _asked(api, _prompt(), _prompt(), _prompt(trial="t2/judge"), say="B is better.")
    assert [(r.call.trial, r.call.seq) for r in replies] == [
        ("t1/judge", 1),
        ("t1/judge", 2),
        ("t2/judge", 1),
    ]

    async def again() -> list[Reply]:
        recorded = Replay(unpack(r.document) for r in replies)
        async with RecordingGateway(recorded, clock) as held:
            model = DirectModel(held, api)
            trials = [*(r.call.trial for r in replies), "t1/judge"]
            return [await model.complete(_prompt(trial=trial)) for trial in trials]

    *same, missed = anyio.run(again)
    assert [r.text for r in same] == ["B is better."] * 3
    assert (missed.text, missed.call.fault) == (None, "replay_miss")


def test_the_spending_cap_holds_for_direct_calls() -> None:
    prices = OwnPrices(source="test", models={MODEL: PerMillion(input=1, output=1e6)})

    async def run() -> list[Reply]:
        limits = Limits(max_usd=60)
        turn = {"say": "x", "usage": {"input": 1, "output": 50}}
        scripted = Scripted(scenario(turn, turn))
        async with RecordingGateway(scripted, clock, limits=limits, prices=prices) as held:
            model = DirectModel(held, Api.CHAT)
            return [await model.complete(_prompt()) for _ in range(2)]

    first, second = anyio.run(run)
    assert first.call.cost is not None
    assert first.call.cost.usd == pytest.approx(50.0, rel=1e-3)
    assert (second.text, second.call.fault) == (None, "spending_cap")


@pytest.mark.requirement("ABX-46")
@pytest.mark.parametrize("model", ["", "latest", "sonnet"])
def test_a_prompt_without_an_exact_model_is_refused(model: str) -> None:
    with pytest.raises(InputError):
        _asked(Api.CHAT, _prompt(model=model), say="x")
