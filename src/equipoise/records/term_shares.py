"""Figures over chunks: a share or a mean, with counts, limits, and why there is none."""

import msgspec


class Share(msgspec.Struct, frozen=True, kw_only=True):
    """A mean over chunks of something from 0 to 1, each chunk counted once.

    Args:
        value: the mean; null with `why`.
        lo: lower limit, over chunks.
        hi: upper limit.
        n_chunks: chunks behind it.
        n: single cases in them, such as terms that were due; null where a chunk has one value.
        n_yes: those that were so.
        n_missing: chunks that should be there and have no value.
        method: of the limits.
        tags: ``underpowered``, ``soft``, ``simulated``.
        why: why there is no value or no limits.
    """

    value: float | None
    lo: float | None
    hi: float | None
    n_chunks: int
    n: int | None = None
    n_yes: int | None = None
    n_missing: int = 0
    method: str = ""
    tags: tuple[str, ...] = ()
    why: str = ""


class Mean(msgspec.Struct, frozen=True, kw_only=True):
    """A mean over chunks of something without limits, such as tokens; `total` is its sum."""

    value: float | None
    lo: float | None
    hi: float | None
    n_chunks: int
    total: float | None
    n_missing: int = 0
    method: str = ""
    tags: tuple[str, ...] = ()
    why: str = ""
