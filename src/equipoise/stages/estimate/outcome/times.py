"""Holds the time that something had against the time that it took: what cannot be is told."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_SLACK_S = 15.0
_SLACK = 0.1
"""Ending a tree of processes takes time too: so much, and this share of the limit, may be over."""

_EARLY_S = 1.0
_CLOCKS_S = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Timed:
    """One thing that had a limit: a session of an agent, or a run of tests.

    `limit_s` is the limit that it had, `declared_s` those that were declared for it before (more
    than one where it was amended; none = nobody declared it). `took_s` is what the one who kept it
    measured, `clock_s` what whoever asked for it measured. `is_cut`: it was ended at its limit.
    `parts_s` is the sum of what its parts say they took. Null = not recorded.
    """

    what: str
    limit_s: float | None
    took_s: float | None
    is_cut: bool
    declared_s: Sequence[float] = ()
    clock_s: float | None = None
    parts_s: float | None = None


def contradictions(one: Timed) -> Iterator[str]:
    """Yields what of its times cannot be, each in a sentence; what is not recorded says nothing."""
    limit, took = one.limit_s, one.took_s
    if limit is not None and one.declared_s and not any(_same(limit, d) for d in one.declared_s):
        declared = " or ".join(f"{d:g} s" for d in dict.fromkeys(one.declared_s))
        yield f"{one.what} had {limit:g} s, and {declared} were declared"
    if limit is not None and took is not None:
        if not one.is_cut and took > limit + _SLACK_S + _SLACK * limit:
            yield f"{one.what} is said to have ended in time: {took:.1f} s, of {limit:g} s"
        if one.is_cut and took < limit - _EARLY_S:
            yield f"{one.what} was ended at its limit of {limit:g} s after {took:.1f} s"
    if took is not None and one.clock_s is not None:
        apart = one.clock_s - took
        if apart < -_EARLY_S or apart > _CLOCKS_S + 0.5 * took:
            yield f"{one.what} took {took:.1f} s by one clock and {one.clock_s:.1f} s by another"
    if took is not None and one.parts_s is not None and one.parts_s > 1.05 * took + _EARLY_S:
        yield f"{one.what} took {took:.1f} s, and its tests {one.parts_s:.1f} s together"


def _same(first: float, second: float) -> bool:
    return abs(first - second) < 1e-6 * max(1.0, second)
