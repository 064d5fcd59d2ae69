"""Best-worst answers: which are sound, and the counting score of each item."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from equipoise.errors import InputError, NotEstimable

IntArray = npt.NDArray[np.intp]
Faulty = Literal["refuse", "drop", "count"]

MISSING, STRANGER = -1, -2
"""Codes in ``BwsAnswers``: nothing given; a name that is no item of the study."""

FAULTS: Mapping[str, str] = {
    "set_too_small": "three or more items; a choice between two is a paired comparison",
    "duplicate_item": "every item once in a set; give two different texts two ids",
    "incomplete_choice": "both a best and a worst; half an answer is not scored",
    "choice_not_in_set": "best and worst among the items of the set",
    "best_equals_worst": "two different items as best and worst",
}
"""Every fault of an answer, in the order in which they are looked for, and what was wanted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BwsAnswers:
    """Answers to best-worst sets as positions in ``items``; make it with `read_answers`.

    Attributes:
        items: names.
        sets: ``(n, largest set)`` positions of the items in the order shown, `MISSING` behind the
            end of a smaller set.
        best: ``(n,)`` chosen as best; `MISSING` for no choice, `STRANGER` for an unknown name.
        worst: ``(n,)`` chosen as worst.
    """

    items: tuple[str, ...]
    sets: IntArray
    best: IntArray
    worst: IntArray

    def __len__(self) -> int:
        """The number of answers."""
        return len(self.sets)

    def take(self, rows: npt.NDArray[np.bool_]) -> "BwsAnswers":
        """Only the chosen answers."""
        return BwsAnswers(
            items=self.items, sets=self.sets[rows], best=self.best[rows], worst=self.worst[rows]
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class BwsScores:
    """Counts and scores, in the order of ``items``.

    Attributes:
        items: names.
        best: times chosen as best.
        worst: times chosen as worst.
        shown: times shown.
        score: (best - worst) / shown, -1 to 1; None for an item that was never shown.
        rank: 1 is the highest score, equal scores share their mean rank; None as for ``score``.
        n_answers: answers counted.
        refused: fault -> answers left out for it.
    """

    items: tuple[str, ...]
    best: IntArray
    worst: IntArray
    shown: IntArray
    score: tuple[float | None, ...]
    rank: tuple[float | None, ...]
    n_answers: int
    refused: Mapping[str, int]


def read_answers(
    answers: Iterable[tuple[Sequence[str], str | None, str | None]],
    *,
    items: Sequence[str] | None = None,
) -> BwsAnswers:
    """Answers given as (items of the set in the order shown, best, worst).

    Args:
        answers: one tuple an answer; None where no choice was made.
        items: all items of the study, also those never shown; by default those of the sets.

    Raises:
        InputError: no answer (``no_answers``), an item twice in ``items`` (``duplicate_item``), or
            a set with an item that ``items`` does not name (``unknown_item``). Faults of single
            answers are kept and found by `faults`.

    >>> read_answers([(["A", "B", "C"], "A", "C")]).best.tolist()
    [0]
    """
    rows = [(tuple(shown), best, worst) for shown, best, worst in answers]
    if not rows:
        raise InputError("no answer", wanted="at least one set with its answer", code="no_answers")
    seen = dict.fromkeys(name for shown, _, _ in rows for name in shown)
    names = tuple(sorted(seen)) if items is None else tuple(items)
    code = {name: place for place, name in enumerate(names)}
    if len(code) < len(names):
        raise InputError(
            "an item is listed twice among all items",
            wanted="every item once",
            code="duplicate_item",
        )
    if strangers := [name for name in seen if name not in code]:
        raise InputError(
            f"sets hold items {strangers[:6]} that are not listed",
            wanted="only listed items",
            mend="add them to the items of the study",
            code="unknown_item",
        )
    sets = np.full((len(rows), max(len(shown) for shown, _, _ in rows)), MISSING, dtype=np.intp)
    for row, (shown, _, _) in enumerate(rows):
        sets[row, : len(shown)] = [code[name] for name in shown]
    choice = {None: MISSING} | code
    picked = [[choice.get(best, STRANGER), choice.get(worst, STRANGER)] for _, best, worst in rows]
    chosen = np.array(picked, dtype=np.intp)
    return BwsAnswers(items=names, sets=sets, best=chosen[:, 0], worst=chosen[:, 1])


def faults(answers: BwsAnswers) -> npt.NDArray[np.str_]:
    """The first fault of each answer, in the order of `FAULTS`; ``""`` for a sound one.

    >>> faults(read_answers([(["A", "B", "C"], "A", "A"), (["A", "B", "C"], "A", "B")])).tolist()
    ['best_equals_worst', '']
    """
    ordered = np.sort(answers.sets, axis=1)
    twice = ((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)).any(axis=1)
    best, worst = answers.best, answers.worst
    has_best = (answers.sets == best[:, None]).any(axis=1) & (best >= 0)
    has_worst = (answers.sets == worst[:, None]).any(axis=1) & (worst >= 0)
    conditions = {
        "set_too_small": (answers.sets >= 0).sum(axis=1) < 3,
        "duplicate_item": twice,
        "incomplete_choice": (best == MISSING) | (worst == MISSING),
        "choice_not_in_set": ~(has_best & has_worst),
        "best_equals_worst": best == worst,
    }
    assert list(conditions) == list(FAULTS)
    return np.select(list(conditions.values()), list(conditions), default="")


def check_answers(answers: BwsAnswers) -> None:
    """Nothing, if every answer is sound.

    Raises:
        InputError: naming the first faulty set, its fault (also the ``code``, one of `FAULTS`) and
            how many answers have one.
    """
    found = faults(answers)
    if not (faulty := np.flatnonzero(found != "")).size:
        return
    row = int(faulty[0])
    code = str(found[row])
    names = [answers.items[i] for i in answers.sets[row] if i >= 0]
    more = f" ({faulty.size} of {len(answers)} answers have a fault)" if faulty.size > 1 else ""
    raise InputError(
        f"set {row + 1} of items {names} has the fault {code}{more}",
        wanted=FAULTS[code],
        mend="correct it, or count without such answers and report how many were left out",
        code=code,
    )


def segments_of(answers: BwsAnswers, segment: npt.ArrayLike) -> IntArray:
    """The segment of each answer, as an array of shape (n_answers,).

    Raises:
        InputError: not one segment for each answer (``length_differs``).

    >>> segments_of(read_answers([("AB", "A", "B")] * 3), [7, 7, 8]).tolist()
    [7, 7, 8]
    """
    text = np.asarray(segment, dtype=np.intp)
    if text.shape != (len(answers),):
        raise InputError(
            f"segments of shape {text.shape}",
            wanted=f"one segment for each of {len(answers)} answers",
            code="length_differs",
        )
    return text


def count_scores(answers: BwsAnswers, *, faulty: Faulty = "refuse") -> BwsScores:
    """The counting score (best - worst) / shown of each item.

    Args:
        answers: the answers.
        faulty: ``refuse`` raises at the first faulty answer; ``drop`` leaves faulty answers out
            and counts them by fault; ``count`` takes every row as it stands (an item shown twice
            in a set counts twice as shown), as some published scores do.

    Raises:
        InputError: a faulty answer under ``refuse``.

    Source: Orme (2009), MaxDiff analysis: simple counting; Kiritchenko & Mohammad (2017), Best-
    worst scaling more reliable than rating scales, ACL, section 3.

    >>> count_scores(read_answers([(["A", "B", "C"], "A", "C")])).score
    (1.0, 0.0, -1.0)
    """
    refused: dict[str, int] = {}
    if faulty == "refuse":
        check_answers(answers)
    elif faulty == "drop":
        found = faults(answers)
        names, counts = np.unique(found[found != ""], return_counts=True)
        refused = {str(name): int(count) for name, count in zip(names, counts, strict=True)}
        answers = answers.take(found == "")
    n = len(answers.items)
    best, worst, shown = (
        np.bincount(codes[codes >= 0], minlength=n)
        for codes in (answers.best, answers.worst, answers.sets.ravel())
    )
    was_shown = shown > 0
    values = (best - worst)[was_shown] / shown[was_shown]
    ranks = rankdata(-values)
    return BwsScores(
        items=answers.items,
        best=best,
        worst=worst,
        shown=shown,
        score=_spread(values, was_shown),
        rank=_spread(ranks, was_shown),
        n_answers=len(answers),
        refused=refused,
    )


def closed_form_logit(best: float, worst: float, shown: float) -> float:
    """The log odds ``ln(p / (1 - p))`` with ``p = (best - worst + shown) / (2 shown)``.

    A cross-check of a fitted best-worst model, 0 for an item never chosen or chosen evenly.

    Raises:
        NotEstimable: never shown (``never_shown``), or always best or always worst, where the odds
            are infinite (``separation``).
        InputError: counts that cannot be (``out_of_range``).

    Source: Lipovetsky & Conklin (2014), Best-worst scaling in analytical closed-form solution,
    Journal of Choice Modelling 10, 60-68.

    >>> round(closed_form_logit(302, 352, 1400), 6)
    -0.071459
    """
    if min(best, worst, shown) < 0 or best + worst > shown:
        raise InputError(
            f"best {best:g}, worst {worst:g}, shown {shown:g}",
            wanted="counts of 0 or more with best + worst <= shown",
            code="out_of_range",
        )
    if shown == 0:
        raise NotEstimable("the item was never shown", code="never_shown")
    if shown in {best, worst}:
        always = "best" if best else "worst"
        raise NotEstimable(f"separation: always {always}, infinite log odds", code="separation")
    share = (best - worst + shown) / (2.0 * shown)
    return float(np.log(share / (1.0 - share)))


def _spread(
    values: npt.NDArray[np.float64], where: npt.NDArray[np.bool_]
) -> tuple[float | None, ...]:
    left = iter(values.tolist())
    return tuple(next(left) if there else None for there in where)
