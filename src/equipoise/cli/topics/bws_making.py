"""The topic `bws.make_sets`: balanced best-worst sets of a list of items."""

from typing import Any

import msgspec
import numpy as np

from equipoise.cli.topics import Topic
from equipoise.errors import InputError
from equipoise.stats.bws_design import balance
from equipoise.stats.bws_sets import design_sets

_MOST = 1_000_000


class Making(msgspec.Struct):
    """What sets are made of.

    Attributes:
        items: all items, each once.
        k: items a set.
        sets: number of sets; null for one cycle of the design.
        seed: of the search, where one is needed.
    """

    items: list[str | int]
    k: int
    sets: int | None = None
    seed: int = 1


def _make(given: Making) -> dict[str, Any]:
    names = [str(item) for item in given.items]
    if len(set(names)) < len(names):
        raise InputError("an item is listed twice", wanted="every item once", code="duplicate_item")
    if given.sets is not None and not 1 <= given.sets <= _MOST:
        raise InputError(
            f"{given.sets} sets", wanted=f"1 to {_MOST:,} of them", code="out_of_range"
        )
    made = design_sets(len(names), given.k, np.random.default_rng(given.seed))
    cycle = [[names[item] for item in shown] for shown in made.sets]
    wanted = len(cycle) if given.sets is None else given.sets
    sets = [cycle[number % len(cycle)] for number in range(wanted)]
    found = balance(sets, items=names)
    return {
        "sets": sets,
        "how": made.says,
        "cycle": len(cycle),
        "shown_min_max": found.shown,
        "pair_min_max": found.pair,
        "position_min_max": found.position,
        "follows_min_max": found.follows,
        "balanced": found.label,
    }


TOPICS = {
    "bws.make_sets": Topic(
        says="Best-worst sets of a list of items, balanced over pairs, places and neighbours.",
        takes=Making,
        gives={
            "sets": "items of each set, in the order of its places",
            "how": "where they come from: a Williams square, a difference family, or a search",
            "cycle": "sets after which everything comes again; fewer are not balanced",
            "shown_min_max": "smallest and largest number of times an item is shown",
            "pair_min_max": "the same for times two items share a set",
            "position_min_max": "the same for times an item stands at a place",
            "follows_min_max": "the same for times an item comes directly after another",
            "balanced": "what is equal, in words",
        },
        compute=_make,
    ),
}
