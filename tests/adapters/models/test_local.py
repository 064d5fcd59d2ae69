"""A model on this machine answers through the gateway like any other, named by its bytes."""

import os
from importlib.util import find_spec
from pathlib import Path

import anyio
import pytest

from equipoise.adapters.models.direct import DirectModel
from equipoise.adapters.models.local import LocalModel, LocalSpec, model_name
from equipoise.adapters.models.upstreams import upstream_of
from equipoise.errors import Blocked, InputError
from equipoise.gateway.server import RecordingGateway
from equipoise.gateway.wire.facts import Api
from equipoise.ports.models import Message, Prompt, Reply
from gateway.asking import clock

_VARIABLE = "EQUIPOISE_LOCAL_MODEL"


def test_a_model_that_is_not_there_blocks_the_run(tmp_path: Path) -> None:
    async def run() -> None:
        async with LocalModel(LocalSpec(path=tmp_path / "absent.gguf")):
            pass

    with pytest.raises(Blocked, match=r"equipoise\[local\]|there is no model"):
        anyio.run(run)


def test_a_model_is_named_by_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "small-q4.gguf"
    path.write_bytes(b"abc")  # its sha256 is in FIPS 180-2, appendix B.1
    assert model_name(path) == "small-q4@ba7816bf8f01"


def test_a_study_says_which_file(tmp_path: Path) -> None:
    said = {"local": "m.gguf", "context": "2048", "threads": "2"}
    assert isinstance(upstream_of(said, tmp_path, {}), LocalModel)
    with pytest.raises(InputError, match="threads"):
        upstream_of({"local": "m.gguf", "threads": "all"}, tmp_path, {})
    with pytest.raises(InputError, match="'url' beside 'local'"):
        upstream_of({"local": "m.gguf", "url": "x"}, tmp_path, {})


@pytest.mark.slow
def test_a_real_model_answers_counts_and_stops() -> None:
    """Takes a minute or two; any small chat model will do."""
    named = os.environ.get(_VARIABLE, "")
    if not named or not Path(named).is_file():
        pytest.skip(f"{_VARIABLE} names no GGUF file of a small chat model")
    if not find_spec("xllamacpp"):
        pytest.skip("llama.cpp is not installed: pip install 'equipoise[local]'")
    path = Path(named)

    async def run() -> list[Reply]:
        upstream = LocalModel(LocalSpec(path=path, context=1024))
        async with RecordingGateway(upstream, clock) as held:
            replies = []
            for api in (Api.CHAT, Api.MESSAGES, Api.RESPONSES):
                prompt = Prompt(
                    trial="t1",
                    model=model_name(path),
                    messages=(Message(role="user", text="Count from 1 to 1000 in words."),),
                    max_tokens=12,
                    seed=1,
                )
                replies.append(await DirectModel(held, api).complete(prompt))
            schema = {
                "type": "object",
                "properties": {"better": {"enum": ["A", "B"]}},
                "required": ["better"],
                "additionalProperties": False,
            }
            prompt = Prompt(
                trial="t2",
                model=model_name(path),
                messages=(Message(role="user", text="A: 2+2=4. B: 2+2=5. Which is better?"),),
                max_tokens=40,
                json_schema=schema,
            )
            replies += [await DirectModel(held, Api.CHAT).complete(prompt) for _ in range(2)]
            return replies

    *cut, first, second = anyio.run(run)
    for reply in cut:
        assert (reply.call.status, reply.call.fault) == (200, "")
        assert reply.call.is_truncated
        assert reply.text is None
        assert reply.call.model_answered == model_name(path)
        assert reply.call.usage is not None
        assert reply.call.usage.output_tokens == 12
        assert reply.call.latency_ms > 0
        assert (reply.call.cost, reply.call.is_simulated) == (None, False)
    assert first.text in {'{"better":"A"}', '{"better":"B"}'} or "better" in (first.text or "")
    assert first.text == second.text
