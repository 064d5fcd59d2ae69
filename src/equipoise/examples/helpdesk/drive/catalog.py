"""The loss catalogue: what can go wrong in a conversation, and how much each thing weighs."""

from collections.abc import Iterable
from typing import TypedDict


class Category(TypedDict):
    """One category; ``max`` is the raw value at which it is fully lost."""

    id: str
    weight: float
    type: str
    max: float


class Catalog(TypedDict):
    """A catalogue under its version."""

    version: str
    categories: list[Category]


CATALOG: Catalog = {
    "version": "v1",
    "categories": [
        {"id": "tool_call_wrong_arg", "weight": 0.35, "type": "deterministic", "max": 1.0},
        {"id": "wrong_answer", "weight": 0.25, "type": "deterministic", "max": 1.0},
        {"id": "wrong_intent", "weight": 0.15, "type": "deterministic", "max": 1.0},
        {"id": "missing_ticket", "weight": 0.15, "type": "deterministic", "max": 1.0},
        {"id": "wrong_language", "weight": 0.10, "type": "deterministic", "max": 1.0},
    ],
}


def unit_loss(raw: Iterable[tuple[str, float]]) -> float:
    """The loss of one trial in [0, 1]: the weighted share of what was lost, to six places.

    Args:
        raw: category ids with their raw values; a category not named was evaluated and is 0.
    """
    by_id = {category["id"]: category for category in CATALOG["categories"]}
    whole = sum(category["weight"] for category in CATALOG["categories"])
    lost = sum(by_id[c]["weight"] * min(v, by_id[c]["max"]) / by_id[c]["max"] for c, v in raw)
    return round(lost / whole, 6)
