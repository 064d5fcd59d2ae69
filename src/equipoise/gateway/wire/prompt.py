"""What of a request a model gets to see: equal prompts have equal hashes in every session."""

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


def prompt_sha256(api: Api, body: Mapping[str, Any]) -> str:
    """Gives the sha256 of a request without the names of its session, its user and its items.

    Harnesses put new ones into every request. Whatever the model sees is in it, and so is how the
    answer is to come.
    """
    kept = {key: value for key, value in body.items() if key not in _UNSEEN}
    if api is Api.RESPONSES and isinstance(kept.get("input"), list):
        kept["input"] = [_unnamed(item) for item in kept["input"]]
    return digest(encode(kept))


def _unnamed(item: Any) -> Any:
    if not isinstance(item, dict) or item.get("type") == "item_reference":
        return item
    return {key: value for key, value in item.items() if key != "id"}
