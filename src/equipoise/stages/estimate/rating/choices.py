"""Choices as they are estimated from: who chose which place of which set, faults named."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.stats.bws import FAULTS, MISSING, BwsAnswers

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.intp]

PAIR = 2

_MOST_CELLS = 20_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One verdict on one set.

    `shown` has at each place the arms that the text stands for (several where texts were
    identical). `best` and `worst` are places from 0, null = not given; `is_tie` says that all
    texts were called equal. `cluster` is what sets hang together by: the unit, or what
    units share. `is_fast`: nobody can have read the texts in that time.
    """

    who: str
    set: str
    unit: str
    cluster: str
    shown: tuple[tuple[str, ...], ...]
    best: int | None = None
    worst: int | None = None
    is_tie: bool = False
    repeat: int = 1
    order: int = 0
    template: str = ""
    seconds: float | None = None
    is_fast: bool = False

    @property
    def size(self) -> int:
        """Gives how many texts the set shows."""
        return len(self.shown)


def fault_of(choice: Choice) -> str:
    """Names what is wrong with a verdict, "" where it is sound; the names are those of `FAULTS`."""
    names = [arm for place in choice.shown for arm in place]
    if choice.size < PAIR:
        return "set_too_small"
    if len(set(names)) < len(names):
        return "duplicate_item"
    if choice.is_tie:
        return ""
    given = [choice.best, choice.worst]
    if choice.best is None or (choice.worst is None and choice.size > PAIR):
        return "incomplete_choice"
    if any(place is not None and not 0 <= place < choice.size for place in given):
        return "choice_not_in_set"
    return "best_equals_worst" if choice.best == choice.worst else ""


def sound(choices: Iterable[Choice]) -> tuple[list[Choice], dict[str, int]]:
    """Parts sound verdicts from faulty ones, and counts these by fault."""
    kept, refused = [], Counter[str]()
    for choice in choices:
        if fault := fault_of(choice):
            refused[fault] += 1
        else:
            kept.append(choice)
    return kept, {name: refused[name] for name in FAULTS if refused[name]}


def ends(choice: Choice) -> tuple[int | None, int | None]:
    """Gives the places of best and worst of a sound verdict; of a pair the other one is worst."""
    if choice.is_tie:
        return None, None
    if choice.size == PAIR and choice.best is not None:
        return choice.best, 1 - choice.best
    return choice.best, choice.worst


@dataclass(frozen=True, slots=True, kw_only=True)
class Points:
    """Weighted counts per cluster and arm, ``(n_clusters, n_arms)`` each."""

    arms: tuple[str, ...]
    best: FloatArray
    worst: FloatArray
    shown: FloatArray

    @property
    def won(self) -> FloatArray:
        """Gives best less worst."""
        return np.asarray(self.best - self.worst)


def points_of(choices: Sequence[Choice], weights: Sequence[float], arms: Sequence[str]) -> Points:
    """Counts sound verdicts; of identical texts each arm that a text stands for is credited.

    Where clusters times arms are too many for a table, all clusters stand in one row: scores are
    the same, and nothing can be said of their spread.
    """
    place = {arm: n for n, arm in enumerate(arms)}
    names_of = sorted({c.cluster for c in choices})
    is_large = len(names_of) * len(place) > _MOST_CELLS
    clusters = {name: 0 if is_large else n for n, name in enumerate(names_of)}
    shape = (1 if is_large else len(clusters), len(place))
    best, worst, shown = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    for choice, weight in zip(choices, weights, strict=True):
        row = clusters[choice.cluster]
        for names in choice.shown:
            for arm in names:
                shown[row, place[arm]] += weight
        top, bottom = ends(choice)
        for table, at in ((best, top), (worst, bottom)):
            for arm in choice.shown[at] if at is not None else ():
                table[row, place[arm]] += weight
    return Points(arms=tuple(arms), best=best, worst=worst, shown=shown)


def to_answers(choices: Sequence[Choice], arms: Sequence[str]) -> BwsAnswers:
    """Gives sound verdicts on three or more different texts as answers for the choice model."""
    place = {arm: n for n, arm in enumerate(arms)}
    widest = max(choice.size for choice in choices)
    sets = np.full((len(choices), widest), MISSING, dtype=np.intp)
    picked = np.zeros((len(choices), 2), dtype=np.intp)
    for row, choice in enumerate(choices):
        codes = [place[names[0]] for names in choice.shown]
        sets[row, : choice.size] = codes
        picked[row] = [codes[at] for at in ends(choice) if at is not None]
    return BwsAnswers(items=tuple(arms), sets=sets, best=picked[:, 0], worst=picked[:, 1])


def is_plain(choice: Choice) -> bool:
    """Says whether every place stands for one arm only."""
    return all(len(names) == 1 for names in choice.shown)


def numbered(names: Sequence[str]) -> IntArray:
    """Numbers names from 0 in their alphabetical order."""
    return np.asarray(np.unique(np.asarray(names), return_inverse=True)[1], dtype=np.intp)
