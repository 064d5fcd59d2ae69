"""What every answer of the server says to browsers, and which requests come from other pages."""

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "x-robots-tag": "noindex, nofollow",
}


class Headers:
    """Adds the headers to every answer, refusals and failures among them."""

    def __init__(self, app: ASGIApp) -> None:
        """Wraps an app."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one request."""

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, guarded)


def is_from_elsewhere(request: Request) -> bool:
    """Says whether a form was sent by a page of another origin.

    Browsers say so in ``Sec-Fetch-Site``, older ones in ``Origin`` (which is ``null`` under our
    referrer policy). The signed stamp in each form holds where a browser says neither.
    """
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site not in {"same-origin", "none"}
    origin = request.headers.get("origin")
    return origin not in {None, "null"} and origin.split("://")[-1] != request.headers.get("host")
