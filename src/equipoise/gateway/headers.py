"""Which headers pass through the gateway: none of the connection, none that tells who pays."""

from collections.abc import Mapping

_CONNECTION = frozenset(
    (
        *("connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "te", "trailer"),
        *("trailers", "transfer-encoding", "upgrade", "host", "content-length", "expect"),
        *("proxy-connection", "forwarded", "via"),
    )
)
_AUTH = frozenset(
    (
        *("authorization", "x-api-key", "api-key", "x-goog-api-key", "cookie", "set-cookie"),
        *("openai-organization", "openai-project", "anthropic-organization-id"),
        *("x-goog-user-project", "chatgpt-account-id"),
    )
)


def passed_on(headers: Mapping[str, str]) -> dict[str, str]:
    """Gives the headers of a request that may reach an upstream.

    The answer is asked for uncompressed, so that what is read is what is passed.
    """
    kept = {k: v for k, v in headers.items() if _passes(k) and k != "accept-encoding"}
    return {**kept, "accept-encoding": "identity"}


def passed_back(headers: Mapping[str, str]) -> dict[str, str]:
    """Gives the headers of an answer that may reach the harness."""
    return {k: v for k, v in headers.items() if _passes(k) and k not in {"alt-svc", "date"}}


def token_in(headers: Mapping[str, str], query: str) -> str:
    """Gives what a request presents as its key, wherever its vendor puts it; may be empty."""
    bearer = headers.get("authorization", "")
    if bearer.lower().startswith("bearer "):
        return bearer[7:].strip()
    for name in ("x-api-key", "x-goog-api-key", "api-key"):
        if headers.get(name):
            return headers[name].strip()
    for pair in query.split("&"):
        if pair.startswith("key="):
            return pair[4:]
    return ""


def without_key(query: str) -> str:
    """Gives the query without a key that stands in it."""
    return "&".join(p for p in query.split("&") if p and not p.startswith(("key=", "api_key=")))


def _passes(name: str) -> bool:
    is_forwarding = name.startswith(("x-forwarded-", "proxy-"))
    return name not in _CONNECTION and name not in _AUTH and not is_forwarding
