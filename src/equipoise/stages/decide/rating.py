"""Differences on an axis to one of five words, and what forbids to say any of them."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from equipoise.errors import InputError
from equipoise.records.ranking import PairShown, RatingEstimate, RuleShown
from equipoise.records.verdict import Tag, Word

NO_KAPPA = "no-κ mode"
WIDEN = "add annotators or sets"
PEOPLE = "people"
VALIDATED = "validated judge"
NOT_VALIDATED = "judge not validated"


def judged(found: RatingEstimate, mde: float, blocked: str | None) -> RatingEstimate:
    """Gives the estimate with a word for each pair.

    Better where the joint limits lie above 0, worse where below; equivalent where the 90 % limits
    lie inside +-mde (two one-sided tests); else nobody can tell, and what these answers could have
    shown is said beside it.

    Args:
        found: differences with limits.
        mde: registered; also the equivalence margin.
        blocked: why nothing may be concluded; the word is then only indicative.
    """
    pairs = tuple(_judged(pair, mde, blocked) for pair in found.pairs)
    return msgspec.structs.replace(found, pairs=pairs)


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
    return f"about {n:,} units (now {pair.n_clusters:,}) would show a difference of {pair.mde:g}"


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
    rule: Mapping[str, Any],
    estimates: Mapping[str, RatingEstimate | None],
    tags: Mapping[str, Sequence[str]],
    mde: float,
) -> RuleShown:
    """Gives the word of a rule: superior on one axis and non-inferior on all others.

    Better where the arm is better on the first axis and its joint lower limit lies above -margin on
    each of the others; worse where it is worse on the first or its upper limit lies below -margin
    on another; equivalent where it is so on all; not evaluable where an axis is; else cannot tell.

    Args:
        rule: ``arm``, ``against``, ``superior_on``, ``noninferior_on`` (axes), ``margin``.
        estimates: axis -> the estimate whose words count, words said.
        tags: axis -> its tags.
        mde: registered, the margin where the rule has none.

    Raises:
        InputError: the rule names an axis or an arm that the study does not have.
    """
    arm, against, first = (str(rule.get(k, "")) for k in ("arm", "against", "superior_on"))
    others = tuple(str(name) for name in rule.get("noninferior_on", ()))
    margin = float(rule.get("margin", mde))
    if strangers := [name for name in (first, *others) if name not in estimates]:
        raise InputError(
            f"the rule for {arm!r} names the axes {strangers}",
            wanted=f"axes of the study: {sorted(estimates)}",
            code="unknown_axis",
        )
    pairs = {name: _pair(estimates[name], arm, against) for name in (first, *others)}
    word, said = _rule_word(pairs, first, others, margin)
    found = dict.fromkeys(tag for name in pairs for tag in tags.get(name, ()))
    return RuleShown(
        arm=arm,
        against=against,
        superior_on=first,
        noninferior_on=others,
        margin=margin,
        word=word.value,
        said=said,
        tags=tuple(found),
    )


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


def _rule_word(
    pairs: Mapping[str, PairShown | None], first: str, others: Sequence[str], margin: float
) -> tuple[Word, str]:
    missing = [n for n, p in pairs.items() if p is None or p.word == Word.NOT_EVALUABLE.value]
    if missing:
        return Word.NOT_EVALUABLE, f"no difference on {', '.join(missing)}"
    held = {name: pair for name, pair in pairs.items() if pair is not None}
    words = {name: Word(pair.word) for name, pair in held.items()}
    may = {name: not pair.indicative for name, pair in held.items()}
    low = {n: p.lo is not None and p.lo > -margin and may[n] for n, p in held.items()}
    under = [n for n in others if may[n] and (held[n].hi or 0.0) < -margin]
    told = "; ".join(
        f"{name}: {words[name].value}"
        + ("" if name == first else f", {'not ' if not low[name] else ''}shown non-inferior")
        for name in (first, *others)
    )
    if words[first] is Word.WORSE or under:
        return Word.WORSE, told
    if words[first] is Word.BETTER and all(low[name] for name in others):
        return Word.BETTER, told
    if all(word is Word.EQUIVALENT for word in words.values()):
        return Word.EQUIVALENT, told
    return Word.CANNOT_TELL, told


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
