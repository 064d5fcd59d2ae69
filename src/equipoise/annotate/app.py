"""The app: every route, who may use it, and what each does."""

import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from functools import partial
from importlib.resources import files

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from equipoise.annotate.answering import Answering, Outcome
from equipoise.annotate.campaign import Campaign
from equipoise.annotate.guarding import Headers, is_from_elsewhere
from equipoise.annotate.limits import Bucket, TooMuch, read_form
from equipoise.annotate.links import DASHBOARD
from equipoise.annotate.pages import Pages
from equipoise.annotate.store import Store
from equipoise.records.answer import Answer
from equipoise.records.codec import digest

_LOG = logging.getLogger(__name__)
_STATIC = {"app.js": "text/javascript; charset=utf-8", "app.css": "text/css; charset=utf-8"}
_GUESSES_AT_ONCE, _GUESSES_PER_S = 30, 0.5
_ACTS_AT_ONCE, _ACTS_PER_S = 120, 20

Overview = Callable[[Campaign, Sequence[Answer], bytes], object]
"""What the dashboard shows: `equipoise.annotate.dashboard.overview`, which wants statistics."""

_Endpoint = Callable[[Request], Awaitable[Response]]
_Page = Callable[..., Outcome]
_Act = Callable[[str, str, dict[str, str]], Outcome]


def make_app(
    campaign: Campaign, store: Store, clock: Callable[[], datetime], overview: Overview
) -> Starlette:
    """Gives the app over a campaign; `clock` gives the time in UTC."""
    return _App(campaign, store, clock, overview).made()


class _App:
    """What the routes share."""

    def __init__(
        self,
        campaign: Campaign,
        store: Store,
        clock: Callable[[], datetime],
        overview: Overview,
    ) -> None:
        self._campaign, self._store, self._clock = campaign, store, clock
        self._overview = overview
        static = files("equipoise.annotate").joinpath("static")
        self._static = {name: static.joinpath(name).read_bytes() for name in _STATIC}
        version = digest(b"".join(self._static.values()))[:12]
        self._pages = Pages(store.secret, is_simulated=campaign.is_simulated, version=version)
        self._answering = Answering(campaign, store, self._pages, clock)
        self._tries = Bucket(_GUESSES_AT_ONCE, _GUESSES_PER_S, time.monotonic)
        self._acts = Bucket(_ACTS_AT_ONCE, _ACTS_PER_S, time.monotonic)

    def made(self) -> Starlette:
        do = self._answering
        pages: dict[str, _Page] = {
            "": do.welcome,
            "/set": do.shows,
            "/done": do.done,
            "/review/{place:int}": do.review,
        }
        acts: dict[str, _Act] = {
            "/answer": do.answer,
            "/draft": do.draft,
            "/undo": do.undo,
            "/guess": do.guess,
        }
        one = "/a/{token}"
        routes = [
            *(
                Route(one + at, self._held(partial(self._shows, page)))
                for at, page in pages.items()
            ),
            *(
                Route(one + at, self._held(partial(self._acts_on, act)), methods=["POST"])
                for at, act in acts.items()
            ),
            Route(one + "/{name}", self._held(self._serves_static)),
            Route("/d/{token}", self._held(self._dashboard)),
            Route("/d/{token}/{name}", self._held(self._serves_static)),
        ]
        app = Starlette(routes=routes, exception_handlers={HTTPException: self._refuses})
        app.router.redirect_slashes = False
        app.add_middleware(Headers)
        return app

    async def _shows(self, page: _Page, request: Request) -> Response:
        who = await self._person(request)
        given = {"place": request.path_params["place"]} if "place" in request.path_params else {}
        return self._response(request, await run_in_threadpool(page, who, _here(request), **given))

    async def _acts_on(self, act: _Act, request: Request) -> Response:
        who = await self._person(request)
        if is_from_elsewhere(request):
            await self._note(who, "refused: a form of another page")
            raise HTTPException(403)
        try:
            form = await read_form(request)
        except TooMuch:
            await self._note(who, "refused: a body that is no form of ours")
            raise HTTPException(413) from None
        return self._response(request, await run_in_threadpool(act, who, _here(request), form))

    async def _serves_static(self, request: Request) -> Response:
        await self._owner(request)
        name = request.path_params["name"]
        if name not in _STATIC:
            raise HTTPException(404)
        return Response(
            self._static[name],
            headers={"content-type": _STATIC[name], "cache-control": "private, max-age=86400"},
        )

    async def _dashboard(self, request: Request) -> Response:
        if await self._owner(request) != DASHBOARD:
            raise HTTPException(404)
        await self._note("", "looked at the dashboard")
        seen = await run_in_threadpool(self._seen)
        page = self._pages.render("dashboard", here=_here(request), seen=seen, at=self._clock())
        return HTMLResponse(page)

    def _seen(self) -> object:
        return self._overview(self._campaign, self._store.all(), self._store.secret)

    async def _person(self, request: Request) -> str:
        """Gives the annotator whose link this is; the dashboard's is none."""
        who = await self._owner(request)
        if who == DASHBOARD:
            raise HTTPException(404)
        return who

    async def _owner(self, request: Request) -> str:
        """Gives whose token stands in the path, and holds them to their rate."""
        is_dashboard = request.url.path.startswith("/d/")
        who = self._campaign.tokens.owner(request.path_params["token"])
        if who is None or is_dashboard != (who == DASHBOARD):
            if not self._tries.takes(request.client.host if request.client else ""):
                raise HTTPException(429)
            await self._note("", "refused: a link that is nobody's")
            raise HTTPException(404)
        if not self._acts.takes(who):
            raise HTTPException(429)
        return who

    async def _note(self, who: str, what: str) -> None:
        await run_in_threadpool(self._store.note, self._clock(), who, what)

    def _response(self, request: Request, outcome: Outcome) -> Response:
        """Gives what happened as a page, or as JSON to a script that asks for it."""
        wants_json = "application/json" in request.headers.get("accept", "")
        if outcome.page:
            if wants_json:
                return JSONResponse({"says": outcome.says}, outcome.status)
            return HTMLResponse(outcome.page, outcome.status)
        if wants_json:
            status = 200 if outcome.status == 303 else outcome.status
            return JSONResponse({"next": outcome.to, "says": outcome.says}, status)
        return RedirectResponse(outcome.to, 303)

    async def _refuses(self, request: Request, error: Exception) -> Response:
        """Answers alike whether a link, a route or a method is not there."""
        assert isinstance(error, HTTPException)
        status = 404 if error.status_code == 405 else error.status_code
        words = _WORDS.get(status, _WORDS[404])
        if "application/json" in request.headers.get("accept", ""):
            return JSONResponse({"says": words}, status)
        return HTMLResponse(self._pages.render("refused", here="", says=words), status)

    def _held(self, endpoint: _Endpoint) -> _Endpoint:
        """Gives an endpoint whose failures are answered and told to who runs the server."""

        async def run(request: Request) -> Response:
            try:
                return await endpoint(request)
            except HTTPException:
                raise
            except Exception as error:  # noqa: BLE001  the border of one request
                token = str(request.path_params["token"])
                says = " ".join(str(error).replace(token, "...").split())
                _LOG.error("a request failed: %s: %s", type(error).__name__, says)
                return HTMLResponse(self._pages.render("refused", here="", says=_WORDS[500]), 500)

        return run


_WORDS = {
    403: "This form came from another page. Open your link again.",
    404: "There is nothing here. Use the link that you were given, whole.",
    413: "That was too much to take.",
    429: "Too many requests. Wait a moment.",
    500: "The server could not do that. What it told you was saved is saved. Try again.",
}


def _here(request: Request) -> str:
    """Gives the path of the link, to which the pages' own links are added."""
    kind = request.url.path.split("/")[1]
    return f"/{kind}/{request.path_params['token']}"
