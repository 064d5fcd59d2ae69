"""The gateway: a way to a model for each trial, with a record of every call that is made on it."""

import hashlib
import hmac
import secrets
import shutil
from collections.abc import Callable, Collection, Mapping
from contextlib import AsyncExitStack
from datetime import datetime
from pathlib import Path
from typing import Self, TypeVar

from equipoise.errors import InputError
from equipoise.gateway.asking import Collecting
from equipoise.gateway.calling import Caller, Terms, models_listed
from equipoise.gateway.channel import Channel
from equipoise.gateway.exchange import Asked, Exchange, Upstream
from equipoise.gateway.headers import passed_on, token_in, without_key
from equipoise.gateway.limits import Limits
from equipoise.gateway.listening import Listener, Serve, socket_folder, sweep
from equipoise.gateway.model_ids import check_model
from equipoise.gateway.prices import NoPrices, Prices
from equipoise.gateway.session import Keep, Session
from equipoise.gateway.spent import SpentFile
from equipoise.gateway.taking import TooMuch, taken
from equipoise.gateway.wire.facts import Api
from equipoise.gateway.wire.paths import Place, Purpose, place_of
from equipoise.gateway.wire.reading import asked as read_question
from equipoise.ports.agents import Route
from equipoise.records.call import ModelCall
from equipoise.records.codec import digest

T = TypeVar("T")


class RecordingGateway:
    """Serves every trial that is opened, on one loopback port and on a unix socket for each.

    Used as an asynchronous context manager on the loop that runs the trials; `open` and `close` are
    called on that loop. On a trial's own socket no token is needed: the socket is the proof.

    Args:
        upstreams: who answers, for all wire formats or for each.
        clock: gives the date of each record.
        limits: what may be spent, how much at once, when to ask again.
        prices: tables of prices; without one every cost is unknown.
        may_reach_out: whether a request may have the provider run tools of its own, such as a
            search of the web, and fetch what it names: ways out of every sandbox.
        allowed_aliases: model ids that the study takes although they are aliases.
        folder: where the sockets stand; null = none are made.
        spent: the file in which spending is noted while there is a cap; null = it is not, and a cap
            knows only what `limits` say of earlier parts.
        keep: is given each exchange as a document as soon as it has ended; where it is null they
            are held in memory until `exchanges` gives them.
    """

    def __init__(
        self,
        upstreams: Upstream | Mapping[Api, Upstream],
        clock: Callable[[], datetime],
        *,
        limits: Limits | None = None,
        prices: Prices | None = None,
        may_reach_out: bool = False,
        allowed_aliases: Collection[str] = (),
        folder: Path | None = None,
        spent: Path | None = None,
        keep: Keep | None = None,
    ) -> None:
        """Takes who answers; nothing listens yet."""
        by_api = upstreams if isinstance(upstreams, Mapping) else dict.fromkeys(Api, upstreams)
        self._upstreams = by_api
        self._limits = limits or Limits()
        self._spent = SpentFile(spent) if spent and self._limits.has_cap else None
        terms = Terms(
            limits=self._limits,
            notes=self._spent,
            prices=prices or NoPrices(),
            may_reach_out=may_reach_out,
            clock=clock,
            keep=keep,
        )
        self._caller = Caller(by_api, terms)
        self._allowed = frozenset(allowed_aliases)
        self._wanted = folder
        self._folder: Path | None = None
        self._listener = Listener()
        self._sessions: dict[str, Session] = {}
        self._by_token: dict[bytes, Session] = {}
        self._held: dict[str, tuple[Exchange, ...]] = {}
        self._stack = AsyncExitStack()
        self.port = 0

    async def __aenter__(self) -> Self:
        """Listens, and removes the sockets of a gateway that was killed.

        Raises:
            Blocked: an upstream lacks what it needs, such as its key.
        """
        async with AsyncExitStack() as stack:
            for upstream in dict.fromkeys(self._upstreams.values()):
                await stack.enter_async_context(upstream)
            if self._wanted is not None:
                self._folder = socket_folder(self._wanted)
                sweep(self._folder)
            self.port = self._listener.loopback("loopback", self._on_loopback)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *error: object) -> None:
        """Closes every trial and ends what is under way."""
        for trial in list(self._sessions):
            self.close(trial)
        await self._listener.close()
        if self._spent is not None:
            self._spent.close()
        await self._stack.aclose()
        if self._folder is not None and self._folder != (self._wanted or Path()).resolve():
            shutil.rmtree(self._folder, ignore_errors=True)

    def open(self, trial: str, model: str, *, side_models: tuple[str, ...] = ()) -> Route:
        """Opens the way of a trial to exactly this model.

        Raises:
            InputError: the trial has one already, or the model's id names no version.
        """
        if trial in self._sessions:
            raise InputError(
                f"trial {trial!r} has a way to its model already", mend="close it first"
            )
        for name in (model, *side_models):
            check_model(name, allowed=self._allowed)
        token = secrets.token_urlsafe(24)
        path = None
        if self._folder is not None:
            path = self._folder / f"{hashlib.sha256(trial.encode()).hexdigest()[:16]}.sock"
        url = f"http://127.0.0.1:{self.port}/t/{token}"
        route = Route(trial=trial, url=url, socket=path, token=token)
        session = Session(route=route, model=model, side_models=frozenset(side_models))
        if path is not None:
            self._listener.unix(f"trial {trial}", self._on_socket(session), path)
        self._sessions[trial] = session
        self._by_token[_named(token)] = session
        self._held.pop(trial, None)
        return route

    def close(self, trial: str) -> tuple[ModelCall, ...]:
        """Closes it and gives the calls that were made, in order; one under way is cut.

        Raises:
            InputError: the trial has none.
        """
        session = self._session(trial)
        session.is_closed = True
        for call in list(session.under_way.values()):
            call.fault = call.fault or "closed"
            self._caller.finish(session, call)
            call.scope.cancel()
        if session.route.socket is not None:
            self._listener.stop(f"trial {trial}")
        del self._sessions[trial], self._by_token[_named(session.route.token)]
        self._caller.purse.forget(trial)
        if session.exchanges:
            self._held[trial] = _in_order(session.exchanges)
        return _in_order(session.calls)

    def vendor(self, api: Api) -> str:
        """Gives whose models answer in this format; may be empty."""
        return self._upstreams[api].vendor

    async def ask(
        self, trial: str, model: str, api: Api, path: str, body: bytes, *, seq: int = 1
    ) -> Exchange:
        """Asks from within, by the same rules and with the same record as a harness.

        Args:
            trial: what the call is recorded under; it needs no way of its own.
            model: the only model that the body may ask.
            api: the format of the body.
            path: the vendor's, such as ``/v1/messages``.
            body: the request.
            seq: the number of the call in its record.

        Raises:
            InputError: the model's id names no version, or the body is no request.
        """
        check_model(model, allowed=self._allowed)
        question = read_question(api, path, body)
        if question is None:
            raise InputError("a body that is no JSON object", wanted="a request")
        route = Route(trial=trial, url="", socket=None, token="")
        session = Session(route=route, model=model, n_calls=seq - 1)
        asked = Asked(
            trial=trial,
            purpose=Purpose.CALL,
            api=api,
            path=path,
            headers=passed_on({"content-type": "application/json"}),
            body=body,
            request=digest(body),
            prompt=question.prompt,
        )
        return await self._caller.call(session, asked, question, Collecting())

    @property
    def spent_usd(self) -> float:
        """Gives what the run has cost so far, as far as it is known; for a cap, at most."""
        return self._caller.purse.spent_usd

    def exchanges(self, trial: str) -> tuple[Exchange, ...]:
        """Gives what went over the wire of a trial; after `close` once, then it is forgotten."""
        if trial in self._held:
            return self._held.pop(trial)
        return _in_order(self._sessions[trial].exchanges) if trial in self._sessions else ()

    def _session(self, trial: str) -> Session:
        if trial not in self._sessions:
            raise InputError(f"trial {trial!r} has no way to a model", mend="open it first")
        return self._sessions[trial]

    async def _on_loopback(self, channel: Channel) -> None:
        token, path = _split(channel.path)
        session = self._found(token or token_in(channel.headers, channel.query))
        await self._serve(session, path, channel)

    def _on_socket(self, session: Session) -> Serve:
        async def serve(channel: Channel) -> None:
            token, path = _split(channel.path)
            is_other = token and self._found(token) is not session
            await self._serve(None if is_other else session, path, channel)

        return serve

    def _found(self, token: str) -> Session | None:
        session = self._by_token.get(_named(token))
        if session is None or not hmac.compare_digest(session.route.token, token):
            return None
        return session

    async def _serve(self, session: Session | None, path: str, channel: Channel) -> None:
        place = place_of(channel.method, path)
        api = place.api if place is not None else Api.CHAT
        if place is not None and place.purpose is Purpose.HELLO:
            await channel.reply(200, {"content-type": "text/plain"}, b"ok\n")
        elif session is None or session.is_closed:
            message = (
                "this token belongs to no trial that is under way; a trial's base URL and token "
                "are valid from its start to its end"
            )
            await channel.refuse(api, 401, "unknown_token", message)
        elif place is None:
            await channel.refuse(api, 404, "not_found", f"the gateway has nothing at {path}")
        elif place.purpose is Purpose.MODELS:
            body = models_listed(session, api)
            await channel.reply(200, {"content-type": "application/json"}, body)
        else:
            await self._ask(session, place, channel)

    async def _ask(self, session: Session, place: Place, channel: Channel) -> None:
        try:
            body = await taken(session, channel, self._limits)
        except TooMuch as error:
            self._caller.note(session, place.api, error.fault, 413)
            await channel.refuse(place.api, 413, error.fault, str(error))
            return
        question = read_question(place.api, place.path, body)
        if question is None:
            await channel.refuse(place.api, 400, "bad_request", "the body is no JSON object")
            return
        asked = Asked(
            trial=session.route.trial,
            purpose=place.purpose,
            api=place.api,
            path=place.path,
            query=without_key(channel.query),
            headers=passed_on(channel.headers),
            body=body,
            request=digest(body),
            prompt=question.prompt,
        )
        if place.purpose is Purpose.COUNT:
            await self._caller.count(session, asked, question, channel)
        else:
            await self._caller.call(session, asked, question, channel)


def _named(token: str) -> bytes:
    """Gives what a token is looked up by: how long that takes says nothing of the token."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


def _split(path: str) -> tuple[str, str]:
    """Parts ``/t/TOKEN/rest`` into token and rest; a path without a token has an empty one."""
    if not path.startswith("/t/"):
        return "", path
    token, slash, rest = path[3:].partition("/")
    return token, slash + rest


def _in_order(held: Mapping[int, T]) -> tuple[T, ...]:
    return tuple(held[seq] for seq in sorted(held))
