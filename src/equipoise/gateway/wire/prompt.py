"""What of a request a model gets to see: equal prompts have equal hashes in every session."""

import re
from collections.abc import Mapping
from typing import Any

from equipoise.gateway.wire.facts import Api
from equipoise.records.codec import digest, encode

_UNSEEN = frozenset(
    (
        *("metadata", "client_metadata", "user", "safety_identifier"),
        *("prompt_cache_key", "prompt_cache_retention"),
    )
)
"""Fields of a request that name its session or its user and reach no model."""
_DRAWN = re.compile(
    rb"Chunk ID: [0-9a-f]+|Wall time: [0-9.]+ seconds"  # Codex, at each output of a command
    rb"|<current_date>[0-9-]{10}</current_date>"  # Codex
    rb"|Today's date(?: is|:) [0-9-]{10}"  # Claude Code
)
"""Words in a prompt that say nothing of the task and differ in every session."""


def prompt_sha256(api: Api, body: Mapping[str, Any]) -> str:
    """Gives the sha256 of a request without the names of its session, its user and its items.

    Harnesses put new ones into every request. Whatever the model sees is in it, and so is how the
    answer is to come.
    """
    return digest(_seen(api, body))


def alike_sha256(api: Api, body: Mapping[str, Any]) -> str:
    """Gives the hash of what a model sees without what a harness draws anew: dates and times."""
    return digest(_DRAWN.sub(b"", _seen(api, body)))


def _seen(api: Api, body: Mapping[str, Any]) -> bytes:
    kept = {key: value for key, value in body.items() if key not in _UNSEEN}
    if api is Api.RESPONSES and isinstance(kept.get("input"), list):
        kept["input"] = [_unnamed(item) for item in kept["input"]]
    return encode(kept)


def _unnamed(item: Any) -> Any:
    if not isinstance(item, dict) or item.get("type") == "item_reference":
        return item
    return {key: value for key, value in item.items() if key != "id"}
