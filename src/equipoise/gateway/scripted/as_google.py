"""An answer as Google's generateContent has it, whole and streamed."""

from typing import Any

import msgspec

from equipoise.gateway.scripted.saying import Said, pieces

_STOPS = {"end": "STOP", "tools": "STOP", "length": "MAX_TOKENS", "refusal": "SAFETY"}


def whole(said: Said) -> dict[str, Any]:
    """Gives the answer in one piece."""
    return _piece(said, [{"text": said.text}] if said.text else [], is_last=True)


def events(said: Said, *, is_sse: bool) -> list[bytes]:
    """Gives the pieces of the stream, each as its bytes: events, or an array that grows."""
    found = [_piece(said, [{"text": text}], is_last=False) for text in pieces(said.text)]
    found.append(_piece(said, [], is_last=True))
    written = [msgspec.json.encode(piece) for piece in found]
    if is_sse:
        return [b"data: " + piece + b"\r\n\r\n" for piece in written]
    return [b"[" + written[0], *(b"\n,\r\n" + piece for piece in written[1:]), b"]"]


def _piece(said: Said, parts: list[dict[str, Any]], *, is_last: bool) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"parts": parts, "role": "model"}, "index": 0}
    body: dict[str, Any] = {"candidates": [candidate]}
    if is_last:
        calls = [{"functionCall": {"name": u.name, "args": dict(u.input)}} for u in said.uses]
        candidate["content"]["parts"] = parts + calls
        candidate["finishReason"] = _STOPS[said.stop]
        if said.usage is not None:
            body["usageMetadata"] = _usage(said)
    return {**body, "modelVersion": said.model, "responseId": said.key}


def _usage(said: Said) -> dict[str, Any]:
    assert said.usage is not None
    cached = said.usage.cache_read
    prompt = said.usage.input + cached + said.usage.cache_write
    told = {"promptTokenCount": prompt, "candidatesTokenCount": said.usage.output}
    told["totalTokenCount"] = prompt + said.usage.output
    return {**told, "cachedContentTokenCount": cached} if cached else told
