"""A judgement: what a model judge said of a packet in one repeat, or why nothing can be read."""

from collections.abc import Iterable
from enum import StrEnum

import msgspec

from equipoise.records.call import Price
from equipoise.records.trial import Usage

JUDGE_SIMULATED = "judge_simulated"
"""Code of the notice in an archive some of whose grades rest on judges that are stand-ins."""


class ReadState(StrEnum):
    """What came of asking a judge once. Only `READ` has a verdict; nothing else is ever a tie."""

    READ = "read"
    UNREADABLE = "unreadable"  # it answered, and no verdict stands in the answer
    REFUSED = "refused"
    TRUNCATED = "truncated"
    FAILED = "failed"  # no answer came: the provider, the network, a cap


class Judgement(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    tag_field="record",
    tag="judgement",
):
    """One verdict of one judge on one packet, in one repeat.

    `judge` is the judge's name in the plan, `template` the variant of the question's wording.
    `best` and `worst` are places in the packet counted from 0 (null = not asked, or not given;
    `is_tie`: the judge said that two options are equal). `scores` has the value of each criterion
    in [0,1] for a packet of one option; `quotes` the verbatim words it gave for each. `covers` has,
    of the form ``cover``, the numbers of the items that do what a criterion says. `raw` is the
    sha256 of the answer's document, `request` that of what was asked including repeat and order.
    `is_cached`: read from an earlier answer to the same request of the same repeat; a repeat is
    never answered from another one. It carries no cost to the verdict: `usage` and `cost` are the
    runner's own. An answer that cannot be read is asked for again: each attempt is a judgement of
    its own, numbered by `attempts`, and the last one holds (see `standing`). `why` says why there
    is no verdict.
    """

    packet: str
    judge: str
    repeat: int
    order: int
    state: ReadState
    model_asked: str
    at: str
    request: str
    model_answered: str | None = None
    provider: str = ""
    family: str = ""
    template: str = ""
    best: int | None = None
    worst: int | None = None
    is_tie: bool = False
    scores: dict[str, float] = {}
    quotes: dict[str, str] = {}
    covers: dict[str, tuple[int, ...]] = {}
    why: str = ""
    raw: str = ""
    attempts: int = 1
    temperature: float | None = None
    seed: int | None = None
    usage: Usage | None = None
    cost: Price | None = None
    is_cached: bool = False
    is_simulated: bool = False


def standing(judgements: Iterable[Judgement]) -> list[Judgement]:
    """Gives the judgement that holds of each question: its last attempt, in order of the first."""
    held: dict[tuple[str, str, int, int, str], Judgement] = {}
    for one in judgements:
        held[one.packet, one.judge, one.repeat, one.order, one.template] = one
    return list(held.values())
