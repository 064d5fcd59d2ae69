"""Means over chunks with limits over chunks: a chunk is the unit, whatever stands in it."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from equipoise.errors import NotEstimable
from equipoise.records.term_shares import Mean, Share
from equipoise.records.verdict import Tag
from equipoise.stats.intervals import quasi_wilson, student_t

LEAST_CHUNKS = 13
"""With fewer chunks every figure is [underpowered]: an exact test of a real gap finds little."""

_NOTHING = "no chunk has a value"
_ALONE = "one chunk alone shows no spread"


def is_few(n_chunks: int) -> bool:
    """Whether so few chunks leave a figure underpowered."""
    return n_chunks < LEAST_CHUNKS


def share_of_counts(
    counts: Mapping[str, tuple[int, int]], *, n_missing: int = 0, tags: Sequence[str] = ()
) -> Share:
    """The mean over chunks of yes / all; chunks without cases do not count.

    Args:
        counts: chunk -> (yes, all).
        n_missing: chunks that have no value and should.
        tags: more than those that the number of chunks asks for.
    """
    shares = [yes / all_ for yes, all_ in counts.values() if all_]
    found = share_of(shares, n_missing=n_missing, tags=tags)
    n, n_yes = sum(c[1] for c in counts.values()), sum(c[0] for c in counts.values())
    return replace(found, n=n, n_yes=n_yes)


def share_of(values: Sequence[float], *, n_missing: int = 0, tags: Sequence[str] = ()) -> Share:
    """The mean of one value from 0 to 1 a chunk."""
    bare = Share(
        value=sum(values) / len(values) if values else None,
        lo=None,
        hi=None,
        n_chunks=len(values),
        n_missing=n_missing,
        tags=_tags(len(values), tags),
    )
    if len(values) < 2:
        return replace(bare, why=_ALONE if values else _NOTHING)
    try:
        found = quasi_wilson(values)
    except NotEstimable as reason:
        return replace(bare, why=reason.why)
    lo, hi = found.interval.lo, found.interval.hi
    return replace(bare, lo=lo, hi=hi, method="95 % quasi-Wilson over chunks")


def mean_of(values: Sequence[float], *, n_missing: int = 0, tags: Sequence[str] = ()) -> Mean:
    """The mean and sum of one number a chunk that is 0 or more."""
    bare = Mean(
        value=sum(values) / len(values) if values else None,
        lo=None,
        hi=None,
        n_chunks=len(values),
        total=float(sum(values)) if values else None,
        n_missing=n_missing,
        tags=_tags(len(values), tags),
    )
    if len(values) < 2:
        return replace(bare, why=_ALONE if values else _NOTHING)
    try:
        found = student_t(values)
    except NotEstimable as reason:
        return replace(bare, why=reason.why)
    lo, hi = max(0.0, found.interval.lo), found.interval.hi
    return replace(bare, lo=lo, hi=hi, method="95 % Student t over chunks, cut at 0")


def _tags(n_chunks: int, more: Sequence[str]) -> tuple[str, ...]:
    few = (Tag.UNDERPOWERED.value,) if is_few(n_chunks) else ()
    return (*few, *more)
