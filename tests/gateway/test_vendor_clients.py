"""The vendors' own clients understand the stand-in, through the gateway: streams, tools, errors.

They are large, so they are an extra of their own: ``pip install 'equipoise[vendors]'``.
"""

import subprocess
import sys
import textwrap
from importlib.util import find_spec
from typing import Any

import anyio
import msgspec
import pytest

from equipoise.gateway.limits import Limits
from equipoise.gateway.scripted.upstream import Scripted
from equipoise.gateway.server import RecordingGateway
from gateway.asking import MODEL, clock, scenario

pytestmark = pytest.mark.slow

_TEXT = "Grüße: I look, and then I run something that is longer than one piece."
_TURNS: tuple[dict[str, Any], ...] = (
    {
        "say": _TEXT,
        "calls": [{"shell": "ls | head"}, {"tool": "other", "input": {"n": 3, "deep": [1, {}]}}],
        "usage": {"input": 100, "output": 7, "cache_read": 40, "cache_write": 5},
    },
    {"when": {"prompt": "RATE"}, "fault": {"status": 429}},
)
_USES = [["bash", {"command": "ls | head"}], ["other", {"n": 3, "deep": [1, {}]}]]

_ANTHROPIC = """
import anthropic
held = anthropic.Anthropic(base_url=url, api_key=token, max_retries=0)
tools = [{"name": n, "input_schema": {"type": "object"}} for n in ("bash", "other")]
def asked(prompt):
    said = [{"role": "user", "content": prompt}]
    return dict(model=model, max_tokens=9, messages=said, tools=tools)
with held.messages.stream(**asked("go")) as stream:
    streamed = stream.get_final_message()
for whole in (held.messages.create(**asked("go")), streamed):
    text, *uses = whole.content
    usage = whole.usage
    say([text.text, [[u.name, u.input] for u in uses], whole.stop_reason, usage.input_tokens,
         usage.output_tokens, usage.cache_read_input_tokens, usage.cache_creation_input_tokens])
try:
    held.messages.create(**asked("RATE"))
except anthropic.RateLimitError as error:
    say(error.status_code)
"""
_CHAT = """
import openai
held = openai.OpenAI(base_url=f"{url}/v1", api_key=token, max_retries=0)
names = ("bash", "other")
tools = [{"type": "function", "function": {"name": n, "parameters": {}}} for n in names]
def asked(prompt):
    return dict(model=model, messages=[{"role": "user", "content": prompt}], tools=tools)
options = {"include_usage": True}
with held.chat.completions.stream(**asked("go"), stream_options=options) as stream:
    for _ in stream:
        pass
    streamed = stream.get_final_completion()
for whole in (held.chat.completions.create(**asked("go")), streamed):
    choice, usage = whole.choices[0], whole.usage
    uses = [[c.function.name, json.loads(c.function.arguments)] for c in choice.message.tool_calls]
    say([choice.message.content, uses, choice.finish_reason, usage.prompt_tokens,
         usage.completion_tokens, usage.prompt_tokens_details.cached_tokens,
         usage.prompt_tokens_details.cache_write_tokens])
try:
    held.chat.completions.create(**asked("RATE"))
except openai.RateLimitError as error:
    say(error.status_code)
"""
_RESPONSES = """
import openai
held = openai.OpenAI(base_url=f"{url}/v1", api_key=token, max_retries=0)
tools = [{"type": "function", "name": n, "parameters": {}} for n in ("bash", "other")]
with held.responses.stream(model=model, input="go", tools=tools) as stream:
    for _ in stream:
        pass
    streamed = stream.get_final_response()
for whole in (held.responses.create(model=model, input="go", tools=tools), streamed):
    _, *uses = whole.output
    usage = whole.usage
    say([whole.output_text, [[u.name, json.loads(u.arguments)] for u in uses], whole.status,
         usage.input_tokens, usage.output_tokens, usage.input_tokens_details.cached_tokens,
         usage.input_tokens_details.cache_write_tokens])
try:
    held.responses.create(model=model, input="RATE", tools=tools)
except openai.RateLimitError as error:
    say(error.status_code)
"""
_GOOGLE = """
from google import genai
from google.genai import errors, types
held = genai.Client(api_key=token, http_options=types.HttpOptions(base_url=url))
declared = [types.FunctionDeclaration(name=n) for n in ("bash", "other")]
off = types.AutomaticFunctionCallingConfig(disable=True)
settings = types.GenerateContentConfig(
    tools=[types.Tool(function_declarations=declared)], automatic_function_calling=off
)
def told(pieces):
    parts = [p for piece in pieces for p in piece.candidates[0].content.parts or []]
    uses = [[p.function_call.name, p.function_call.args] for p in parts if p.function_call]
    last = pieces[-1]
    usage = last.usage_metadata
    say(["".join(p.text or "" for p in parts), uses, last.candidates[0].finish_reason.value,
         usage.prompt_token_count, usage.candidates_token_count,
         usage.cached_content_token_count, 5])
asked = dict(model=model, contents="go", config=settings)
told([held.models.generate_content(**asked)])
told(list(held.models.generate_content_stream(**asked)))
try:
    held.models.generate_content(model=model, contents="RATE", config=settings)
except errors.ClientError as error:
    say(error.code)
"""


@pytest.mark.parametrize(
    ("package", "program", "stop", "n_input"),
    [
        ("anthropic", _ANTHROPIC, "tool_use", 100),
        ("openai", _CHAT, "tool_calls", 145),
        ("openai", _RESPONSES, "completed", 145),
        ("google.genai", _GOOGLE, "STOP", 145),
    ],
    ids=["messages", "chat", "responses", "google"],
)
def test_the_vendors_own_client_reads_what_is_said(
    package: str, program: str, stop: str, n_input: int
) -> None:
    top, _, sub = package.partition(".")
    if not find_spec(top) or (sub and not find_spec(package)):
        pytest.skip(f"{package} is not installed: pip install 'equipoise[vendors]'")
    whole, streamed, status = anyio.run(_said_to, program)
    assert whole == [_TEXT, _USES, stop, n_input, 7, 40, 5]
    assert streamed == whole
    assert status == 429


async def _said_to(program: str) -> list[Any]:
    """Runs a client in a process of its own and gives what it understood."""
    scripted = Scripted(scenario(*_TURNS))
    async with RecordingGateway(scripted, clock, limits=Limits(n_retries=0)) as held:
        route = held.open("t1", MODEL)
        head = f"url, token, model = {route.url!r}, {route.token!r}, {MODEL!r}\n"
        say = "import json\ndef say(value): print(json.dumps(value), flush=True)\n"
        done = await anyio.run_process(
            [sys.executable, "-W", "ignore", "-c", head + say + textwrap.dedent(program)],
            stderr=subprocess.STDOUT,
            check=False,
        )
        lines = [ln for ln in done.stdout.splitlines() if ln.startswith((b"[", b"4"))]
        assert len(lines) == 3, done.stdout.decode()
        return [msgspec.json.decode(line) for line in lines]
