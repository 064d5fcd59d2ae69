"""The stand-in on a port of its own, as a provider would be: for any key, recording nothing."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from equipoise.errors import InputError
from equipoise.gateway.channel import Channel, TooLarge
from equipoise.gateway.exchange import Asked, Cut, Upstream
from equipoise.gateway.headers import passed_on, without_key
from equipoise.gateway.listening import Listener
from equipoise.gateway.scripted.scenario import Scenario
from equipoise.gateway.scripted.upstream import Scripted
from equipoise.gateway.wire.facts import Api
from equipoise.gateway.wire.paths import Place, Purpose, place_of
from equipoise.gateway.wire.reading import asked as read_question
from equipoise.records.codec import digest

_MOST = 64 * 2**20


@asynccontextmanager
async def serving(scenario: Scenario | Upstream, *, port: int = 0) -> AsyncIterator[str]:
    """Serves a scenario, or a stand-in of another kind, on 127.0.0.1 and gives its URL.

    Raises:
        InputError: the port is taken.
    """
    upstream = Scripted(scenario) if isinstance(scenario, Scenario) else scenario
    listener = Listener()

    async def serve(channel: Channel) -> None:
        await _serve(upstream, channel)

    try:
        held = listener.loopback("scripted", serve, port)
    except OSError as error:
        raise InputError(f"port {port}: {error.strerror}", mend="take another, or 0") from error
    try:
        yield f"http://127.0.0.1:{held}"
    finally:
        await listener.close()


async def _serve(upstream: Upstream, channel: Channel) -> None:
    place = place_of(channel.method, channel.path)
    if place is None:
        await channel.refuse(Api.CHAT, 404, "not_found", f"nothing at {channel.path}")
    elif place.purpose in {Purpose.HELLO, Purpose.MODELS}:
        body = b'{"object":"list","data":[],"models":[]}'
        await channel.reply(200, {"content-type": "application/json"}, body)
    else:
        await _answer(upstream, place, channel)


async def _answer(upstream: Upstream, place: Place, channel: Channel) -> None:
    try:
        body = await channel.body(_MOST, _uncounted)
    except TooLarge:
        await channel.refuse(place.api, 413, "request_too_large", f"more than {_MOST} bytes")
        return
    if (question := read_question(place.api, place.path, body)) is None:
        await channel.refuse(place.api, 400, "bad_request", "the body is no JSON object")
        return
    asked = Asked(
        trial="",
        purpose=place.purpose,
        api=place.api,
        path=place.path,
        query=without_key(channel.query),
        headers=passed_on(channel.headers),
        body=body,
        request=digest(body),
        prompt=question.prompt,
    )
    async with upstream.answer(asked) as answered:
        await channel.begin(answered.status, answered.headers)
        try:
            async for chunk in answered.chunks:
                await channel.piece(chunk)
        except Cut:
            channel.cut()  # as the scenario wants it
            return
        await channel.end()


def _uncounted(n_bytes: int) -> None:
    """Counts nothing: who serves a scenario alone serves whoever comes."""
    del n_bytes
