"""Shares and means over chunks in words: never without counts, limits or the reason for none."""

from collections.abc import Iterable

from equipoise.records.counted import counted
from equipoise.records.term_shares import Mean, Share


def share_told(share: Share, what: str) -> str:
    """Gives ``0.950 [0.812, 0.990], 19 of 20 due terms rendered, 8 chunks``."""
    counts = f", {share.n_yes:,} of {share.n:,} {what}" if share.n is not None else ""
    missing = f", {share.n_missing:,} without a value" if share.n_missing else ""
    return f"{_figure(share, 3)}{counts}, {counted(share.n_chunks, 'chunk')}{missing}"


def mean_told(mean: Mean, what: str) -> str:
    """Gives ``1237.0 [1100.2, 1373.8] tokens a chunk, 6185 in all, 5 chunks``."""
    total = f", {mean.total:,.0f} in all" if mean.total is not None else ""
    missing = f", {mean.n_missing:,} without a value" if mean.n_missing else ""
    return f"{_figure(mean, 1)} {what}{total}, {counted(mean.n_chunks, 'chunk')}{missing}"


def tags_told(tags: Iterable[str]) -> str:
    """Gives ``  [underpowered] [soft]``; empty without tags."""
    found = " ".join(f"[{tag}]" for tag in tags)
    return f"  {found}" if found else ""


def _figure(one: Share | Mean, digits: int) -> str:
    if one.value is None:
        return f"not evaluable: {one.why}"
    if one.lo is None or one.hi is None:
        return f"{one.value:,.{digits}f} (no limits: {one.why})"
    return f"{one.value:,.{digits}f} [{one.lo:,.{digits}f}, {one.hi:,.{digits}f}]"
