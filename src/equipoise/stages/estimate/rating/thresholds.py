"""s*: the judge's score from which an arm is chosen; fitted on one half, reported on the other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from equipoise.errors import InputError, NotEstimable, Tampered
from equipoise.records.codec import digest, encode
from equipoise.records.validation import LockedThreshold
from equipoise.stages.estimate.rating.validating import Labelled, Source
from equipoise.stats.threshold_choice import choose_threshold, rate_above

_GRID = tuple(round(0.5 + 0.05 * step, 2) for step in range(10))
_ALPHA = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """An arm on a set: the judge's share for it against the baseline, and whether people agree."""

    set: str
    arm: str
    unit: str
    cluster: str
    score: float
    win: float


def items_of(source: Source, people: Mapping[str, Labelled], baseline: str) -> list[Item]:
    """Gives an item for each set and arm that judge and people set against the baseline."""
    found = []
    for name in sorted(people):
        one, points = people[name], source.points.get(name)
        if points is None or baseline not in points:
            continue
        for arm in sorted(set(points) & set(one.points) - {baseline}):
            gap = one.points[arm] - one.points[baseline]
            found.append(
                Item(
                    set=name,
                    arm=arm,
                    unit=one.unit,
                    cluster=one.cluster,
                    score=(points[arm] - points[baseline] + 2.0) / 4.0,
                    win=0.5 if abs(gap) < 1e-9 else float(gap > 0),
                )
            )
    return found


def threshold(
    source: Source,
    items: Sequence[Item],
    axis: str,
    asked: Mapping[str, Any],
    locked: LockedThreshold | None,
    *,
    is_amended: bool,
) -> LockedThreshold:
    """Gives s* and what people say of that which it accepts, on the half it has not seen.

    Args:
        source: the judge whose scores these are.
        items: of all sets.
        axis: which is rated.
        asked: the plan's ``threshold``: units of ``calibration`` and ``final``, perhaps ``target``
            and ``grid``.
        locked: what was chosen before; it stays, whatever the data say by now.
        is_amended: whether an amendment has changed what was chosen.

    Raises:
        InputError: a unit is in both parts (``split_overlaps``).
        Tampered: what is locked is not what the calibration data give, and no amendment says so.
    """
    parts = {part: set(asked.get(part, ())) for part in ("calibration", "final")}
    if both := sorted(parts["calibration"] & parts["final"]):
        raise InputError(
            f"units {both[:5]} are in both parts",
            wanted="a threshold chosen on other units than it is reported on",
            code="split_overlaps",
        )
    own = [one for one in items if one.unit in parts["calibration"]]
    rest = [one for one in items if one.unit in parts["final"]]
    found = locked or _fitted(source, own, axis, asked)
    seen = data_sha256(own)
    if locked is not None and locked.data_sha256 == seen and not is_amended:
        _refuse_other(locked, _fitted(source, own, axis, asked))
    notes = (
        ("the calibration data are others by now; s* stays as it was locked",)
        if locked is not None and locked.data_sha256 != seen
        else ()
    )
    return _reported(msgspec.structs.replace(found, notes=notes), rest)


def _refuse_other(locked: LockedThreshold, fitted: LockedThreshold) -> None:
    if locked.s != fitted.s:
        raise Tampered(
            f"the locked threshold of axis {locked.axis!r} is {locked.s}, the calibration half "
            f"gives {fitted.s}; mend: put threshold.json back, or change it by `equipoise amend`"
        )


def data_sha256(items: Sequence[Item]) -> str:
    """Gives the hash of what a threshold is fitted on."""
    return digest(encode([[one.set, one.arm, one.score, one.win] for one in items]))


def _fitted(
    source: Source, items: Sequence[Item], axis: str, asked: Mapping[str, Any]
) -> LockedThreshold:
    grid = tuple(float(s) for s in asked.get("grid", _GRID))
    target = asked.get("target")
    bare = LockedThreshold(
        judge=source.name,
        axis=axis,
        grid=grid,
        target=None if target is None else float(target),
        s=None,
        n_calibration=len({one.cluster for one in items}),
        calibration_rate=None,
        n_final=0,
        n_accepted=0,
        final_rate=None,
        final_lo=None,
        final_hi=None,
        level=1 - _ALPHA,
        method=(
            "highest win rate on the calibration half"
            if target is None
            else "learn then test: Hoeffding-Bentkus with Holm over the grid, smallest that passes"
        ),
        data_sha256=data_sha256(items),
    )
    try:
        chosen = choose_threshold(
            [one.score for one in items],
            [one.win for one in items],
            [one.cluster for one in items],
            grid,
            target=bare.target,
            alpha=_ALPHA,
        )
    except NotEstimable as error:
        return msgspec.structs.replace(bare, why=str(error))
    return msgspec.structs.replace(bare, s=chosen.s, calibration_rate=chosen.rate)


def _reported(found: LockedThreshold, items: Sequence[Item]) -> LockedThreshold:
    n_final = len({one.cluster for one in items})
    if found.s is None:
        return msgspec.structs.replace(found, n_final=n_final)
    try:
        rate = rate_above(
            [one.score for one in items],
            [one.win for one in items],
            [one.cluster for one in items],
            found.s,
            level=found.level,
        )
    except NotEstimable as error:
        return msgspec.structs.replace(found, n_final=n_final, why=str(error))
    return msgspec.structs.replace(
        found,
        n_final=n_final,
        n_accepted=rate.n_accepted,
        final_rate=rate.value,
        final_lo=rate.low,
        final_hi=rate.high,
    )
