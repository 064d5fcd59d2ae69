"""Differences on an axis to one of five words, and what forbids to say any of them."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from equipoise.errors import InputError
from equipoise.records.ranking import PairShown, PromiseShown, RatingEstimate, RuleShown
from equipoise.records.verdict import Tag, Word

NO_KAPPA = "no-κ mode"
_FEW = 10
WIDEN = "add annotators or sets"
PEOPLE = "people"
SUPERIOR = "superior"
VALIDATED = "validated judge"
NOT_VALIDATED = "judge not validated"


def judged(
    found: RatingEstimate, mde: float, blocked: str | None, *, is_trusted: bool = True
) -> RatingEstimate:
    """Gives the estimate with a word for each pair.

    Better where the joint limits lie above 0, worse where below; equivalent where the 90 % limits
    lie inside +-mde (two one-sided tests); else nobody can tell, and what these answers could have
    shown is said beside it.

    Args:
        found: differences with limits.
        mde: registered; also the equivalence margin.
        blocked: why nothing may be concluded; the word is then only indicative.
        is_trusted: whether the source was found to tell differences at all. A judge that chooses by
            chance finds everything equivalent; so one that was not held against people never says
            that word.
    """
    pairs = tuple(
        _judged(pair, mde, _hindrance(pair, mde, blocked, is_trusted)) for pair in found.pairs
    )
    return msgspec.structs.replace(found, pairs=pairs)


def _hindrance(pair: PairShown, mde: float, blocked: str | None, is_trusted: bool) -> str | None:
    if blocked is None and not is_trusted and word_of(pair, mde) is Word.EQUIVALENT:
        return "judge not validated: one that chooses by chance would say the same"
    if blocked is None and pair.n_clusters < _FEW and word_of(pair, mde) is Word.EQUIVALENT:
        return f"equivalence is not concluded from {pair.n_clusters} clusters ({_FEW} are wanted)"
    return blocked


def _judged(pair: PairShown, mde: float, blocked: str | None) -> PairShown:
    word = word_of(pair, mde)
    said, needed = _said(pair, word, mde), _needed(pair, word)
    if blocked is None or word is Word.NOT_EVALUABLE:
        return msgspec.structs.replace(pair, word=word.value, said=said, needed=needed)
    return msgspec.structs.replace(
        pair,
        word=Word.CANNOT_TELL.value,
        said=f"{blocked}; indicative only: {said}",
        needed=needed,
        indicative=word.value,
    )


def word_of(pair: PairShown, mde: float) -> Word:
    """Gives the word that the limits of a pair allow, whatever else forbids it."""
    if pair.delta is None:
        return Word.NOT_EVALUABLE
    if pair.lo is None or pair.hi is None:
        return Word.CANNOT_TELL
    if pair.lo > 0:
        return Word.BETTER
    if pair.hi < 0:
        return Word.WORSE
    inner = (pair.inner_lo, pair.inner_hi)
    if None not in inner and -mde < (inner[0] or 0.0) and (inner[1] or 0.0) < mde:
        return Word.EQUIVALENT
    return Word.CANNOT_TELL


def _said(pair: PairShown, word: Word, mde: float) -> str:
    if pair.delta is None:
        return pair.why
    shown = f"difference of scores {pair.delta:+.3f}"
    if pair.lo is not None and pair.hi is not None:
        level = f"{100 * pair.level:g} % limits for all pairs together"
        shown += f", {level} {pair.lo:+.3f} to {pair.hi:+.3f}"
    if word is Word.EQUIVALENT and pair.inner_lo is not None and pair.inner_hi is not None:
        shown += f"; 90 % limits {pair.inner_lo:+.3f} to {pair.inner_hi:+.3f} inside ±{mde:g}"
    return f"{shown}; {powered(pair)}"


def powered(pair: PairShown) -> str:
    """Says what these answers could have shown: no "no difference" without it."""
    if pair.power is None or pair.detectable is None:
        return f"registered mde {pair.mde:g}, power not estimable: every cluster says the same"
    return (
        f"registered mde {pair.mde:g}, which these answers show with {100 * pair.power:.0f} % "
        f"probability; they show {pair.detectable:.3f} with 80 %"
    )


def _needed(pair: PairShown, word: Word) -> str:
    if word is not Word.CANNOT_TELL:
        return ""
    if pair.detectable is None or pair.detectable <= pair.mde:
        return WIDEN
    times = (pair.detectable / pair.mde) ** 2
    n = int(-(-pair.n_clusters * times // 1))
    return (
        f"about {n:,} clusters of units (now {pair.n_clusters:,}) would show a difference of "
        f"{pair.mde:g}"
    )


def blocked_by(
    mode: str, mode_said: str, agreement: float | None, least: float | None
) -> str | None:
    """Says why people's verdicts may not decide; None where they may.

    Args:
        mode: ``no_kappa`` never decides.
        mode_said: its sentence.
        agreement: the primary coefficient on the best.
        least: its registered minimum; None = none.
    """
    if mode == "no_kappa":
        return f"{NO_KAPPA} ({mode_said})"
    if least is not None and (agreement is None or agreement < least):
        shown = "not estimable" if agreement is None else f"{agreement:.3f}"
        return f"agreement {shown} is below the registered minimum {least:g}: {WIDEN}"
    return None


def ruled(
    rules: Sequence[Mapping[str, Any]],
    baseline: str,
    estimates: Mapping[str, RatingEstimate | None],
    tags: Mapping[str, Sequence[str]],
    mde: float,
) -> tuple[RuleShown, ...]:
    """Gives one word for all that was promised of each arm on several axes.

    Better where every promise is kept and one of them was superiority; worse where one is shown to
    be broken; equivalent where all are kept and none was superiority, and the arm is equivalent on
    each axis; not evaluable where an axis has no difference; else nobody can tell.

    Args:
        rules: ``arm``, ``axis``, ``is`` (``superior``, ``non-inferior``, ``equivalent``) and
            ``margin`` of each promise; a margin of 0 of the latter two is the mde.
        baseline: the arm that they are against.
        estimates: axis -> the estimate whose words count, words said.
        tags: axis -> its tags.
        mde: registered.

    Raises:
        InputError: a rule names an axis that the study does not have.
    """
    if strangers := sorted({str(rule["axis"]) for rule in rules} - set(estimates)):
        raise InputError(
            f"rules name the axes {strangers}",
            wanted=f"axes of the study: {sorted(estimates)}",
            code="unknown_axis",
        )
    found = []
    for arm in dict.fromkeys(str(rule["arm"]) for rule in rules):
        own = [rule for rule in rules if rule["arm"] == arm]
        promises = tuple(
            _promise(rule, _pair(estimates[str(rule["axis"])], arm, baseline), mde) for rule in own
        )
        word = _rule_word(promises)
        found.append(
            RuleShown(
                arm=arm,
                against=baseline,
                promises=promises,
                word=word.value,
                said="; ".join(one.said for one in promises),
                tags=tuple(dict.fromkeys(tag for one in promises for tag in tags[one.axis])),
            )
        )
    return tuple(found)


def _pair(found: RatingEstimate | None, arm: str, against: str) -> PairShown | None:
    for pair in found.pairs if found else ():
        if (pair.arm, pair.against) == (arm, against):
            return pair
        if (pair.arm, pair.against) == (against, arm):
            return turned(pair)
    return None


_TURNED = {Word.BETTER.value: Word.WORSE.value, Word.WORSE.value: Word.BETTER.value}


def turned(pair: PairShown) -> PairShown:
    """Gives the same difference with its arms exchanged."""

    def minus(value: float | None) -> float | None:
        return None if value is None else -value

    return msgspec.structs.replace(
        pair,
        arm=pair.against,
        against=pair.arm,
        delta=minus(pair.delta),
        lo=minus(pair.hi),
        hi=minus(pair.lo),
        inner_lo=minus(pair.inner_hi),
        inner_hi=minus(pair.inner_lo),
        logit=minus(pair.logit),
        logit_lo=minus(pair.logit_hi),
        logit_hi=minus(pair.logit_lo),
        won=pair.lost,
        lost=pair.won,
        word=_TURNED.get(pair.word, pair.word),
        indicative=_TURNED.get(pair.indicative, pair.indicative),
    )


def _promise(rule: Mapping[str, Any], pair: PairShown | None, mde: float) -> PromiseShown:
    axis, kind, margin = str(rule["axis"]), str(rule["is"]), float(rule.get("margin", 0.0))
    if kind != SUPERIOR and margin == 0.0:
        margin = mde
    is_kept = None if pair is None or pair.indicative else _is_kept(pair, kind, margin)
    word = pair.word if pair else Word.NOT_EVALUABLE.value
    shown = {True: "shown", False: "shown to be broken", None: "not shown"}[is_kept]
    beyond = f" (margin {margin:g})" if margin else ""
    why = f": {pair.said}" if pair and pair.indicative else ""
    return PromiseShown(
        axis=axis,
        promise=kind,
        margin=margin,
        is_kept=is_kept,
        word=word,
        said=f"{kind} on {axis}{beyond} {shown}{why}",
    )


def _is_kept(pair: PairShown, kind: str, margin: float) -> bool | None:
    if pair.lo is None or pair.hi is None:
        return None
    if kind == SUPERIOR:
        return True if pair.lo > margin else False if pair.hi < 0 else None
    if pair.hi < -margin:
        return False
    if kind == "non-inferior":
        return True if pair.lo > -margin else None
    if pair.lo > margin:
        return False
    inner = (pair.inner_lo, pair.inner_hi)
    is_inside = None not in inner and -margin < (inner[0] or 0.0) and (inner[1] or 0.0) < margin
    return True if is_inside else None


def _rule_word(promises: Sequence[PromiseShown]) -> Word:
    if any(one.word == Word.NOT_EVALUABLE.value for one in promises):
        return Word.NOT_EVALUABLE
    if any(one.is_kept is False for one in promises):
        return Word.WORSE
    if not all(one.is_kept for one in promises):
        return Word.CANNOT_TELL
    if any(one.promise == SUPERIOR for one in promises):
        return Word.BETTER
    if all(one.word == Word.EQUIVALENT.value for one in promises):
        return Word.EQUIVALENT
    return Word.CANNOT_TELL


def exit_code(words: Sequence[str], *, is_strict: bool) -> int:
    """Gives 1 where an arm is worse than the baseline, 5 where nothing could be evaluated, else 0.

    With `is_strict`, 4 where nobody can tell.
    """
    if Word.WORSE.value in words:
        return 1
    if not words or all(word == Word.NOT_EVALUABLE.value for word in words):
        return 5
    return 4 if is_strict and Word.CANNOT_TELL.value in words else 0


def tags_of(decides: str, *, is_validated: bool, is_simulated: bool, is_sealed: bool) -> list[str]:
    """Gives the tags that stand beside every word of an axis."""
    if decides == PEOPLE:
        tags = [PEOPLE]
    else:
        tags = [VALIDATED] if is_validated else [Tag.SOFT.value, NOT_VALIDATED]
    if is_simulated:
        tags.append(Tag.SIMULATED.value)
    if not is_sealed:
        tags.append(Tag.EXPLORATORY.value)
    return tags
