"""One mode against another, on each axis alone, over the chunks that both have clean."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from equipoise.errors import NotEstimable
from equipoise.records.term_memory import ModeDifference, TakeShown
from equipoise.records.verdict import Tag
from equipoise.stats.differences import paired_t
from equipoise.stats.mover import paired_difference
from equipoise.studies.translation.memory_figures import Tags, is_clean
from equipoise.studies.translation.shares import is_few
from equipoise.terms.modes import Mode

PAIRS = (
    (Mode.SELECTED, Mode.WHOLE),
    (Mode.SELECTED, Mode.NONE),
    (Mode.WHOLE, Mode.NONE),
    (Mode.EXCHANGED, Mode.NONE),
    (Mode.EXCHANGED, Mode.SELECTED),
)
"""The comparisons that are shown: the first mode less the second."""

CONSISTENCY, FIDELITY, COST = "consistency", "fidelity", "tokens in"


def differences(takes: Iterable[TakeShown], tags: Tags) -> list[ModeDifference]:
    """All pairs of modes that both have takes, on all axes."""
    by_mode: dict[str, dict[str, TakeShown]] = {}
    for take in takes:
        by_mode.setdefault(take.mode, {})[take.chunk] = take
    return [
        found
        for one, other in PAIRS
        if one.value in by_mode and other.value in by_mode
        for found in _of_pair(one, other, by_mode, tags)
    ]


def _of_pair(
    one: Mode, other: Mode, by_mode: Mapping[str, Mapping[str, TakeShown]], tags: Tags
) -> Iterator[ModeDifference]:
    mine, theirs = by_mode[one.value], by_mode[other.value]
    both = [(mine[chunk], theirs[chunk]) for chunk in mine if chunk in theirs]
    clean = [pair for pair in both if all(map(is_clean, pair))]
    due = [pair for pair in clean if pair[0].due]
    yield _difference(
        (CONSISTENCY, one, other),
        [len(a.rendered) / len(a.due) for a, _ in due],
        [len(b.rendered) / len(b.due) for _, b in due],
        tags["consistency"],
    )
    scored = [
        (a.fidelity, b.fidelity)
        for a, b in clean
        if a.fidelity is not None and b.fidelity is not None
    ]
    yield _difference(
        (FIDELITY, one, other),
        [a / 100.0 for a, _ in scored],
        [b / 100.0 for _, b in scored],
        tags["fidelity"],
    )
    paid = [(a.tokens_in, b.tokens_in) for a, b in both if a.tokens_in and b.tokens_in]
    yield _ratio((COST, one, other), paid, tags["tokens"])


def _bare(named: tuple[str, Mode, Mode], n_chunks: int, tags: tuple[str, ...]) -> ModeDifference:
    axis, one, other = named
    few = (Tag.UNDERPOWERED.value,) if is_few(n_chunks) else ()
    return ModeDifference(
        axis=axis,
        mode=one.value,
        against=other.value,
        value=None,
        lo=None,
        hi=None,
        n_chunks=n_chunks,
        method="",
        tags=(*few, *tags),
        why="",
    )


def _difference(
    named: tuple[str, Mode, Mode],
    new: Sequence[float],
    base: Sequence[float],
    tags: tuple[str, ...],
) -> ModeDifference:
    bare = _bare(named, len(new), tags)
    if len(new) < 2:
        return replace(bare, why="fewer than 2 chunks have both")
    found = paired_difference(new, base)
    return replace(
        bare,
        value=found.value,
        lo=found.interval.lo,
        hi=found.interval.hi,
        method=f"95 % {found.method}, chunks matched",
    )


def _ratio(
    named: tuple[str, Mode, Mode], paid: Sequence[tuple[int, int]], tags: tuple[str, ...]
) -> ModeDifference:
    """The ratio of geometric means, by the paired t of logarithms."""
    bare = _bare(named, len(paid), tags)
    logs = [(math.log(a), math.log(b)) for a, b in paid]
    if not logs:
        return replace(bare, why="no chunk has both counts of tokens")
    value = math.exp(sum(a - b for a, b in logs) / len(logs))
    try:
        found = paired_t([a for a, _ in logs], [b for _, b in logs])
    except NotEstimable as reason:
        return replace(bare, value=value, why=reason.why)
    return replace(
        bare,
        value=value,
        lo=math.exp(found.interval.lo),
        hi=math.exp(found.interval.hi),
        method="95 % paired t of logarithms, chunks matched",
    )
