"""A study says in a line who answers for a model."""

from pathlib import Path
from typing import Any

import anyio
import pytest

from equipoise.adapters.models.direct import DirectModel
from equipoise.adapters.models.upstreams import upstream_of
from equipoise.errors import Blocked, InputError
from equipoise.gateway.exchange import Upstream
from equipoise.gateway.scripted.scenario import scenario_of
from equipoise.gateway.scripted.standalone import serving
from equipoise.gateway.server import RecordingGateway
from equipoise.gateway.wire.facts import Api
from equipoise.ports.models import Message, Prompt, Reply
from every import for_every
from gateway.asking import MODEL, clock

_SCENARIO = b"turns: [{say: hello}]"


def _reply(upstream: Upstream) -> Reply:
    async def run() -> Reply:
        async with RecordingGateway(upstream, clock) as held:
            said = (Message(role="user", text="Say hello."),)
            prompt = Prompt(trial="t1", model=MODEL, messages=said, max_tokens=10)
            return await DirectModel(held, Api.CHAT).complete(prompt)

    return anyio.run(run)


def test_a_scenario_and_its_recording_say_the_same(tmp_path: Path) -> None:
    tmp_path.joinpath("s.yaml").write_bytes(_SCENARIO)
    first = _reply(upstream_of({"scripted": "s.yaml"}, tmp_path, {}))
    assert (first.text, first.call.answered_by) == ("hello", "scripted")
    folder = tmp_path / "kept" / "t1" / "calls"
    folder.mkdir(parents=True)
    folder.joinpath("0001.json").write_bytes(first.document)
    again = _reply(upstream_of({"replay": "kept"}, tmp_path, {}))
    assert (again.text, again.call.answered_by) == ("hello", "replay")
    one = _reply(upstream_of({"replay": "kept/t1/calls/0001.json"}, tmp_path, {}))
    assert one.text == "hello"


def test_a_server_without_a_key_is_asked_by_its_url(tmp_path: Path) -> None:
    async def run() -> str | None:
        async with serving(scenario_of(_SCENARIO)) as url:
            local = upstream_of({"provider": "local", "url": f"{url}/v1"}, tmp_path, {})
            async with RecordingGateway(local, clock) as held:
                said = (Message(role="user", text="Say hello."),)
                prompt = Prompt(trial="t1", model=MODEL, messages=said, max_tokens=10)
                return (await DirectModel(held, Api.CHAT).complete(prompt)).text

    assert anyio.run(run) == "hello"


def test_a_known_provider_wants_its_key_when_the_run_begins(tmp_path: Path) -> None:
    with pytest.raises(Blocked, match="OPENAI_API_KEY"):
        _reply(upstream_of({"provider": "openai"}, tmp_path, {}))
    with pytest.raises(Blocked, match="MY_KEY"):
        _reply(upstream_of({"provider": "openai", "key_variable": "MY_KEY"}, tmp_path, {}))
    with pytest.raises(Blocked, match="cannot be read"):
        _reply(upstream_of({"provider": "anthropic", "key_file": "no-key"}, tmp_path, {}))


@for_every(
    "said, told",
    [
        ({}, "one of provider, replay, scripted"),
        ({"scripted": "s.yaml", "replay": "kept"}, "one of provider"),
        ({"provider": "antropic"}, "did you mean 'anthropic'"),
        ({"provider": "openai", "ulr": "http://x"}, "did you mean 'url'"),
        ({"scripted": "s.yaml", "url": "http://x"}, "beside 'scripted'"),
        ({"scripted": "absent.yaml"}, "absent.yaml"),
        ({"replay": "absent"}, "absent"),
        ({"replay": "empty"}, "calls/*.json"),
        ({"replay": "broken.json"}, "broken.json:1"),
    ],
)
def test_what_is_said_wrongly_is_refused(tmp_path: Path, said: dict[str, Any], told: str) -> None:
    tmp_path.joinpath("s.yaml").write_bytes(_SCENARIO)
    tmp_path.joinpath("empty").mkdir()
    tmp_path.joinpath("broken.json").write_text('{"call": 1}')
    with pytest.raises(InputError) as caught:
        upstream_of(said, tmp_path, {})
    assert told in str(caught.value)
