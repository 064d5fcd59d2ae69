"""What two suites show: which cells are listed, and one of the five words for the change."""

from collections.abc import Collection, Mapping, Sequence

import msgspec

from equipoise.records.plan import Plan
from equipoise.records.suite import (
    LossCitation,
    LossComparison,
    LossRow,
    ScoreDifference,
    Suite,
    SuiteLook,
)
from equipoise.records.verdict import Tag, Word

TOO_SMALL = "too small to clear anyone"
"""Tag of a comparison whose reportable change is above three margins in every cell."""

_TIMES = 3.0


def judged(rows: Sequence[LossRow], mde: float) -> tuple[LossRow, ...]:
    """Gives the rows with what each fails by, citations left aside.

    A row that gained is held to the mirrored rule: both upper bounds below -mde.
    """
    return tuple(_judged(row, mde) for row in rows)


def _judged(row: LossRow, mde: float) -> LossRow:
    bounds = (row.literal_lo, row.literal_hi, row.guarded_lo, row.guarded_hi)
    if row.delta is None or any(bound is None for bound in bounds):
        return msgspec.structs.replace(row, failed=("not evaluable",))
    literal_lo, literal_hi, guarded_lo, guarded_hi = (bound or 0.0 for bound in bounds)
    is_gain = row.delta < 0
    literal, guarded = (-literal_hi, -guarded_hi) if is_gain else (literal_lo, guarded_lo)
    failed = [
        name
        for name, holds in (
            ("literal", literal > mde),
            ("guarded", guarded > mde),
            ("n_min", min(row.n_new, row.n_base) >= row.n_min),
        )
        if not holds
    ]
    return msgspec.structs.replace(row, failed=tuple(failed), is_improvement=is_gain and not failed)


def concluded(
    rows: Sequence[LossRow], citations: Mapping[tuple[str, str], LossCitation]
) -> tuple[LossRow, ...]:
    """Lists the rows that fail by nothing and have a citation; without one they miss evidence."""
    return tuple(_concluded(row, citations.get((row.partition, row.category))) for row in rows)


def _concluded(row: LossRow, citation: LossCitation | None) -> LossRow:
    if row.failed:
        return row
    if citation is None:
        return msgspec.structs.replace(row, failed=("citation",))
    return msgspec.structs.replace(row, is_listed=True, citation=citation)


def ceiling(comparison: LossComparison, suites: tuple[Suite, Suite], plan: Plan) -> LossComparison:
    """Gives the comparison of an outcome study: where all is lost, or nothing, nobody can tell.

    Tests that everybody passes, or nobody, show no difference, and that they would have shown one
    is not known. Comparisons of other studies come back as they are.
    """
    if plan.kind != "outcome" or comparison.verdict != Word.EQUIVALENT:
        return comparison
    scores = [one.suite_score or 0.0 for one in suites]
    if not any(scores):
        why = "ceiling: cannot tell. Neither arm lost anything in any cell"
        needed = "scenarios in which some arm loses something"
    elif min(scores) >= _ALL:
        why = "floor: cannot tell. Both arms lost everything in every cell"
        needed = "scenarios in which some arm reaches something"
    else:
        return comparison
    return msgspec.structs.replace(
        comparison, verdict=Word.CANNOT_TELL.value, why=why, needed=needed
    )


def void(comparison: LossComparison, suites: Sequence[Suite]) -> LossComparison:
    """Gives the comparison of suites of which one has no score: not evaluable, no rows."""
    why = "; ".join(f"{s.arm}: {s.not_scored}" for s in suites if s.suite_score is None)
    return msgspec.structs.replace(
        comparison, rows=(), verdict=Word.NOT_EVALUABLE.value, why=f"{why}."
    )


def verdict(
    comparison: LossComparison,
    shown: ScoreDifference | None,
    suites: Sequence[Suite],
    *,
    soft: Collection[tuple[str, str]],
) -> LossComparison:
    """Gives the comparison with its word: what the registered cells show decides.

    Worse where a regression is listed; else the plan's stopping rule decides where its boundary is
    crossed, on the suite score. Better where only improvements are, every partition is
    scored on both sides, no change lacks nothing but evidence, and the 90 % interval of the score
    difference lies below mde: a gain seen in a part of the weight says nothing about the rest.
    Equivalent only where nothing is listed, every partition is scored, and that interval lies
    inside +-mde (two one-sided tests at 5 %); else nobody can tell. Where only one side could
    evaluate a part of what is weighed, the two may differ there by anything from -1 to 1.

    `soft` holds (partition, category) of the cells that were judged. The word is soft where one of
    them is among the regressions listed, or, where none is listed, among all that is compared.
    """
    rows = comparison.rows
    worse = [row for row in rows if row.is_listed and not row.is_improvement]
    better = [row for row in rows if row.is_listed and row.is_improvement]
    unproven = [row for row in rows if row.failed == ("citation",)]
    mde = comparison.mde
    is_whole = shown is not None and shown.covered > _ALL and not unproven
    is_below, is_above = shown.holds(mde) if shown is not None else (False, False)
    is_harmless = is_whole and is_below
    is_same = is_harmless and is_above
    score = _score_told(shown, mde)
    seen = comparison.look
    word, needed = Word.CANNOT_TELL, ""
    if worse:
        word = Word.WORSE
        surest = max(worse, key=lambda row: (row.limits or (0.0, 0.0))[0])
        why = (
            f"{_counted(len(worse), 'demonstrable regression')}{_also(better)} {score} "
            f"The surest regression is {_cell(surest)}."
        )
    elif seen is not None and seen.word:
        word = Word(seen.word)
        why = f"{looked(seen)[0]}{_as_a_whole(seen)}{_also(better)}."
    elif better and is_harmless:
        word = Word.BETTER
        surest = min(better, key=lambda row: (row.limits or (0.0, 0.0))[1])
        why = (
            f"No demonstrable regression{_also(better)} {score} "
            f"The surest improvement is {_cell(surest)}."
        )
    elif shown is None and not any(row.delta is not None for row in rows):
        word = Word.NOT_EVALUABLE
        why = "No registered cell could be evaluated on both sides."
    elif is_same and not better:
        word = Word.EQUIVALENT
        why = f"No demonstrable regression {score}"
    else:
        why = f"No demonstrable regression{_also(better)}{_unproven(len(unproven))} {score}"
        needed = _needed(comparison, shown)
        if seen is not None and seen.fraction < 1.0:
            needed = f"{_next(seen)}; {needed}"
    return msgspec.structs.replace(
        comparison,
        verdict=word.value,
        why=why.strip(),
        needed=needed,
        tags=_tags(comparison, word, suites, is_soft=_is_soft(worse, soft)),
        suite_delta=shown.delta if shown else None,
        suite_lo=shown.lo if shown else None,
        suite_hi=shown.hi if shown else None,
    )


def _is_soft(worse: Sequence[LossRow], soft: Collection[tuple[str, str]]) -> bool:
    deciding = {(row.partition, row.category) for row in worse}
    return bool(deciding & set(soft) if worse else soft)


def looked(seen: SuiteLook | None) -> tuple[str, ...]:
    """Says what the plan's stopping rule showed; nothing where the plan has none."""
    if seen is None:
        return ()
    at = f"look {seen.number} of {seen.looks} ({seen.n_executed} of {seen.n_planned} executions)"
    if seen.boundary is None:
        return (f"{seen.rule.value}: {at}: nothing to decide by yet",)
    found = "no spread seen" if seen.statistic is None else f"{seen.statistic:.3f}"
    said = f"{seen.rule.value}: {at}: {found} against {seen.boundary:.3f}"
    if not seen.word:
        guarded = " by the guarded limit" if (seen.statistic or 0.0) > seen.boundary else ""
        return (f"{said}, not crossed{guarded}",)
    saved = seen.n_planned - seen.n_executed
    return (f"{said}, crossed: {seen.word} as a whole, {saved} executions saved",)


def _as_a_whole(seen: SuiteLook) -> str:
    """Gives the difference at the look, with the limits that hold however often one looked."""
    if seen.delta is None or seen.lo is None or seen.hi is None:
        return ""
    return (
        f"; the suite score differs by {seen.delta:+.4f} ({seen.lo:+.4f} to {seen.hi:+.4f}, limits "
        "that hold at all looks together)"
    )


def _next(seen: SuiteLook) -> str:
    number = min(seen.looks, seen.number + 1)
    wanted = -(-seen.n_planned * number // seen.looks)
    return f"go on to look {number} of {seen.looks}: {wanted - seen.n_executed} more executions"


_ALL = 1.0 - 1e-9


def exit_code(comparison: LossComparison, *, is_strict: bool) -> int:
    """Gives 1 where a regression is listed or the stopping rule says worse, 5 for unusable runs.

    With `is_strict`, 4 for cannot tell; else 0.
    """
    is_listed = any(row.is_listed and not row.is_improvement for row in comparison.rows)
    if is_listed or comparison.verdict == Word.WORSE.value:
        return 1
    if comparison.verdict == Word.NOT_EVALUABLE.value:
        return 5
    return 4 if is_strict and comparison.verdict == Word.CANNOT_TELL.value else 0


def too_small(row: LossRow, mde: float) -> bool:
    """Says whether a cell lists only changes beyond three margins, or none at all."""
    return row.reportable is None or row.reportable > _TIMES * mde


def _tags(
    comparison: LossComparison, word: Word, suites: Sequence[Suite], *, is_soft: bool
) -> tuple[str, ...]:
    tags = [Tag.SOFT.value if is_soft else Tag.MEASURED.value]
    if any(suite.is_simulated for suite in suites):
        tags.append(Tag.SIMULATED.value)
    if not all(suite.seal for suite in suites):
        tags.append(Tag.EXPLORATORY.value)
    small = [too_small(row, comparison.mde) for row in comparison.rows]
    if word is Word.CANNOT_TELL and any(small):
        tags.append(Tag.UNDERPOWERED.value)
    if small and all(small):
        tags.append(TOO_SMALL)
    return tuple(tags)


def _score_told(shown: ScoreDifference | None, mde: float) -> str:
    if shown is None:
        return "and no partition is scored on both sides."
    inside = -mde < shown.lo and shown.hi < mde
    part = "" if shown.covered > _ALL else f" over {shown.covered:.0%} of the weight"
    lacking = (
        f" {shown.unseen:.1%} of what is weighed was evaluated on one side only, and is not in it."
        if shown.unseen > 0
        else ""
    )
    return (
        f"and the suite score differs by {shown.delta:+.4f}{part} (90 % interval {shown.lo:+.4f} "
        f"to {shown.hi:+.4f}, {'inside' if inside else 'not inside'} ±{mde:g}).{lacking}"
    )


def _also(better: Sequence[LossRow]) -> str:
    return f", {_counted(len(better), 'demonstrable improvement')}" if better else ""


def _unproven(n: int) -> str:
    return f", {_counted(n, 'change')} with missing evidence" if n else ""


def _cell(row: LossRow) -> str:
    return f"{row.partition} / {row.category}" if row.category else row.partition


def _counted(n: int, noun: str) -> str:
    return f"{n} {noun}{'s' * (n != 1)}"


def _needed(comparison: LossComparison, shown: ScoreDifference | None) -> str:
    few = sorted(
        {row.partition for row in comparison.rows if row.n_min > min(row.n_new, row.n_base)}
    )
    parts = []
    if few:
        named = ", ".join(few[:3]) + (f" and {len(few) - 3} more" if len(few) > 3 else "")
        parts.append(f"bring {_counted(len(few), 'partition')} ({named}) to n_min on both sides")
    if shown is not None and shown.unseen > 0:
        parts.append("let every category be evaluable on both sides")
    if shown is not None and shown.factor > 1.0:
        units = int(-(-shown.n * shown.factor // 1))
        parts.append(
            f"about {units:,} units per side (now {shown.n:,}) would show equivalence with 80 % "
            "probability if nothing had changed"
        )
    reach = [row.reportable for row in comparison.rows if row.reportable is not None]
    if reach:
        parts.append(f"these runs list changes from {min(reach):.3f} in the surest cell")
    return "; ".join(parts)
