"""The figures of one mode: consistency, fidelity, tokens, each on its own, and its echoes."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from equipoise.records.term_memory import Axis, ModeShown, TakeShown
from equipoise.records.term_shares import Mean, Share
from equipoise.studies.translation.shares import mean_of, share_of, share_of_counts
from equipoise.terms.modes import SAYS, Mode

Tags = Mapping[str, tuple[str, ...]]
"""Axis -> the tags of all its figures."""


def mode_shown(
    mode: Mode,
    takes: Sequence[TakeShown],
    planned: Sequence[str],
    due: Mapping[str, tuple[str, ...]],
    tags: Tags,
) -> ModeShown:
    """The figures of a mode.

    Args:
        mode: the mode.
        takes: its takes that count.
        planned: chunks that should have a take.
        due: chunk -> the terms due in it.
        tags: of each axis.
    """
    n_missing = len(planned) - len(takes)
    with_terms = [chunk for chunk in planned if due[chunk]]
    counted = [one for one in takes if one.due]
    faults: Counter[str] = Counter()
    for one in takes:
        faults.update(one.faults)
    return ModeShown(
        mode=mode.value,
        says=SAYS[mode],
        models=tuple(dict.fromkeys(one.model for one in takes)),
        n_chunks=len(planned),
        n_takes=len(takes),
        n_missing=n_missing,
        n_empty=sum(one.is_empty for one in takes),
        n_regenerated=sum(one.attempt > 1 for one in takes),
        consistency=_axis(
            [one for one in counted if not one.is_empty],
            len(with_terms),
            _share_rendered,
            lambda some, missing: _of_counts(some, missing, tags["consistency"]),
        ),
        unstripped=share_of_counts(
            {one.chunk: (one.unstripped, len(one.due)) for one in counted},
            tags=tags["consistency"],
        ),
        fidelity=_axis(
            [one for one in takes if one.fidelity is not None and not one.is_empty],
            len(planned),
            _share_faithful,
            lambda some, missing: share_of(
                [_share_faithful(one) for one in some], n_missing=missing, tags=tags["fidelity"]
            ),
        ),
        tokens_in=_tokens([one.tokens_in for one in takes], n_missing, tags),
        tokens_out=_tokens([one.tokens_out for one in takes], n_missing, tags),
        echo=share_of_counts(
            {one.chunk: (bool(one.first_echo), 1) for one in takes}, tags=tags["tokens"]
        ),
        n_judged=sum(one.fidelity is not None for one in takes),
        n_unreadable=sum(one.fidelity_why.startswith("nobody can read") for one in takes),
        n_unjudged=sum(one.fidelity is None for one in takes)
        - sum(one.fidelity_why.startswith("nobody can read") for one in takes),
        faults=dict(faults),
    )


def is_clean(take: TakeShown) -> bool:
    """Whether a take is in the clean aggregate: it repeats nothing, and something can be scored."""
    return not take.echo and not take.is_empty


def _axis(
    scored: Sequence[TakeShown],
    n_wanted: int,
    value: Callable[[TakeShown], float],
    share: Callable[[Sequence[TakeShown], int], Share],
) -> Axis:
    clean = [one for one in scored if is_clean(one)]
    n_excluded = n_wanted - len(clean)
    total = sum(map(value, clean))
    return Axis(
        clean=share(clean, n_excluded),
        full=share(scored, n_wanted - len(scored)),
        n_excluded=n_excluded,
        worst=total / n_wanted if n_wanted else None,
        best=(total + n_excluded) / n_wanted if n_wanted else None,
    )


def _share_rendered(take: TakeShown) -> float:
    return len(take.rendered) / len(take.due)


def _share_faithful(take: TakeShown) -> float:
    assert take.fidelity is not None
    return take.fidelity / 100.0


def _of_counts(takes: Sequence[TakeShown], n_missing: int, tags: tuple[str, ...]) -> Share:
    counts = {one.chunk: (len(one.rendered), len(one.due)) for one in takes}
    return share_of_counts(counts, n_missing=n_missing, tags=tags)


def _tokens(counts: Sequence[int | None], n_missing: int, tags: Tags) -> Mean:
    known = [float(one) for one in counts if one is not None]
    lacking = n_missing + len(counts) - len(known)
    return mean_of(known, n_missing=lacking, tags=tags["tokens"])
