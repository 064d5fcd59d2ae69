"""Each annotator on one axis: checks, self-agreement on sets seen twice, times, who is left out."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np

from equipoise.records.ranking import AnnotatorShown
from equipoise.records.rating_plan import ChecksPlan, RatingSet, SetKind
from equipoise.stages.estimate.rating.choices import Choice, ends, fault_of

_FAST_SHARE = 0.05
_FAST_PART = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What one annotator did on one axis: verdicts by kind of set, and acts that gave none.

    `guess` is what the annotator believed afterwards of who wrote the texts, "" = not asked.
    """

    annotator: str
    study: tuple[Choice, ...]
    retest: tuple[Choice, ...]
    checks: tuple[Choice, ...]
    first_tries: tuple[Choice, ...]
    n_skipped: int = 0
    n_undone: int = 0
    is_simulated: bool = False
    guess: str = ""


def annotators(
    answered: Sequence[Answered],
    sets: Mapping[str, RatingSet],
    plan: ChecksPlan,
    copies: Mapping[str, Collection[str]] | None = None,
) -> tuple[AnnotatorShown, ...]:
    """Gives one row an annotator, by name; the rule on silent checks is the plan's.

    Who missed more silent checks than the rule allows is excluded; who has not seen all of them yet
    is kept and marked incomplete.

    Args:
        answered: of each annotator.
        sets: by id, the checks with the arms that a careful rater picks.
        plan: how many checks there are and how many must be right.
        copies: of sets with one text twice, the arms that show it.
    """
    times = [c.seconds for one in answered for c in one.study if c.seconds is not None]
    typical = float(np.median(times)) if times else None
    rows = [
        msgspec.structs.replace(_row(one, sets, plan, typical), **_copies(one, copies or {}))
        for one in answered
    ]
    return tuple(sorted(rows, key=lambda row: row.annotator))


def _copies(one: Answered, copies: Mapping[str, Collection[str]]) -> dict[str, int]:
    """Counts the sets with one text twice, and those in which it was called best and worst."""
    seen = [c for c in one.checks if c.set in copies and not fault_of(c)]
    apart = sum(
        all(set(c.shown[place]) & set(copies[c.set]) for place in ends(c) if place is not None)
        for c in seen
    )
    return {"copies_seen": len(seen), "copies_apart": apart}


def is_right(choice: Choice, check: RatingSet) -> bool:
    """Says whether a verdict picks what the check expects; what it leaves open is right."""
    if fault_of(choice):
        return False
    top, bottom = ends(choice)
    for wanted, place in ((check.best, top), (check.worst, bottom)):
        if wanted is not None and (place is None or wanted not in choice.shown[place]):
            return False
    return True


def _row(
    one: Answered, sets: Mapping[str, RatingSet], plan: ChecksPlan, typical: float | None
) -> AnnotatorShown:
    seen, right = Counter[SetKind](), Counter[SetKind]()
    for kind, choices in (("last", one.checks), ("first", one.first_tries)):
        for choice in choices:
            check = sets[choice.set]
            if check.best is None and check.worst is None:
                continue
            if (check.kind is SetKind.LOUD) == (kind == "first"):
                seen[check.kind] += 1
                right[check.kind] += is_right(choice, check)
    n_silent = seen[SetKind.SILENT]
    missed = n_silent - right[SetKind.SILENT]
    is_excluded = bool(plan.n_silent) and missed > plan.n_silent - plan.need
    best, worst, n_retest = _repeated(one, sets)
    times = np.array([c.seconds for c in one.study if c.seconds is not None], dtype=np.float64)
    return AnnotatorShown(
        annotator=one.annotator,
        n_answers=len(one.study),
        n_skipped=one.n_skipped,
        n_undone=one.n_undone,
        silent_right=right[SetKind.SILENT],
        silent_seen=n_silent,
        loud_first_right=right[SetKind.LOUD],
        loud_seen=seen[SetKind.LOUD],
        tutorial_right=right[SetKind.TUTORIAL],
        tutorial_seen=seen[SetKind.TUTORIAL],
        copies_seen=0,
        copies_apart=0,
        is_excluded=is_excluded,
        is_complete=n_silent >= plan.n_silent,
        n_retest=n_retest,
        retest_best=best,
        retest_worst=worst,
        n_timed=len(times),
        seconds_median=float(np.median(times)) if len(times) else None,
        seconds_fast=float(np.quantile(times, _FAST_SHARE)) if len(times) else None,
        n_fast=sum(_is_fast(choice, typical) for choice in one.study),
        is_simulated=one.is_simulated,
        guess=one.guess,
        why=(
            f"{missed} of {n_silent} silent checks missed; the rule allows "
            f"{plan.n_silent - plan.need} of {plan.n_silent}"
            if is_excluded
            else ""
        ),
    )


def _is_fast(choice: Choice, typical: float | None) -> bool:
    if choice.is_fast:
        return True
    return choice.seconds is not None and choice.seconds < _FAST_PART * (typical or 0.0)


def _repeated(
    one: Answered, sets: Mapping[str, RatingSet]
) -> tuple[float | None, float | None, int]:
    """Gives the share of sets seen twice with the same best, the same worst, and their number."""
    first = {choice.set: choice for choice in one.study if not fault_of(choice)}
    same: dict[int, list[bool]] = defaultdict(list)
    n = 0
    for again in one.retest:
        before = first.get(sets[again.set].of)
        if before is None or fault_of(again):
            continue
        n += 1
        for end in (0, 1):
            places = (ends(before)[end], ends(again)[end])
            if all(place is not None for place in places):
                arms = [c.shown[p] for c, p in zip((before, again), places, strict=True)]  # type: ignore[index]  # places were seen
                same[end].append(bool(set(arms[0]) & set(arms[1])))
    shares = [float(np.mean(same[end])) if same[end] else None for end in (0, 1)]
    return shares[0], shares[1], n
