"""What the tests of the gateway ask, in every wire format, and a gateway to ask it of."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import msgspec

from equipoise.gateway.scripted.scenario import Scenario
from equipoise.gateway.scripted.upstream import Scripted
from equipoise.gateway.server import RecordingGateway
from equipoise.gateway.wire.facts import Api
from equipoise.ports.agents import Route

MODEL = "scripted-model-1"
_TOOL = {"type": "object", "properties": {"command": {"type": "string"}}}


def clock() -> datetime:
    return datetime(2026, 3, 1, 12, tzinfo=UTC)


def scenario(*turns: dict[str, Any], **more: Any) -> Scenario:
    return Scenario.model_validate({"turns": list(turns), **more})


def path_of(api: Api, *, is_streamed: bool = False, model: str = MODEL) -> str:
    if api is Api.GOOGLE:
        verb = "streamGenerateContent?alt=sse" if is_streamed else "generateContent"
        return f"/v1beta/models/{model}:{verb}"
    paths = {
        Api.MESSAGES: "/v1/messages",
        Api.RESPONSES: "/v1/responses",
        Api.CHAT: "/v1/chat/completions",
    }
    return paths[api]


def body_of(
    api: Api, prompt: str = "Mend it.", *, is_streamed: bool = False, model: str = MODEL
) -> dict[str, Any]:
    """Gives a request that offers a shell."""
    said = [{"role": "user", "content": prompt}]
    function = {"name": "bash", "description": "a shell", "parameters": _TOOL}
    bodies: dict[Api, dict[str, Any]] = {
        Api.MESSAGES: {
            "model": model,
            "max_tokens": 100,
            "messages": said,
            "tools": [{"name": "bash", "description": "a shell", "input_schema": _TOOL}],
        },
        Api.RESPONSES: {
            "model": model,
            "input": said,
            "tools": [{"type": "function", **function}],
        },
        Api.CHAT: {
            "model": model,
            "messages": said,
            "tools": [{"type": "function", "function": function}],
        },
        Api.GOOGLE: {
            "contents": [{"role": "user", "parts": [{"text": prompt}]}],
            "tools": [{"functionDeclarations": [function]}],
        },
    }
    body = bodies[api]
    if is_streamed and api is not Api.GOOGLE:
        body["stream"] = True
    if is_streamed and api is Api.CHAT:
        body["stream_options"] = {"include_usage": True}
    return body


async def ask(
    client: httpx.AsyncClient, route: Route, api: Api, *, is_streamed: bool = False, **more: Any
) -> httpx.Response:
    body = body_of(api, is_streamed=is_streamed, **more)
    path = path_of(api, is_streamed=is_streamed, model=more.get("model", MODEL))
    return await client.post(route.url + path, content=msgspec.json.encode(body))


def client(**more: Any) -> httpx.AsyncClient:
    """Gives a client for what is near: reading the world's certificates takes its time."""
    return httpx.AsyncClient(verify=False, trust_env=False, **more)


@asynccontextmanager
async def gateway(of: Scenario, folder: Path | None = None) -> AsyncIterator[RecordingGateway]:
    async with RecordingGateway(Scripted(of), clock, folder=folder) as held:
        yield held
