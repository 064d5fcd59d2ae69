"""Whether a judge can be used: how many answers could not be read, and whether arms differ."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from equipoise.records.judgement import Judgement, ReadState
from equipoise.stats.contingency import fisher

SUSPECT_P = 0.01
"""Below it, arms whose answers are unreadable unequally often are told as suspect."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Readability:
    """What became of one judge's answers.

    `by_arm` is arm -> state -> how many, `n_answers` how many answers came (all but the failed).
    `p_arms` is the chance of arms as unequal as these if readability had nothing to do with them;
    null = there are not two arms, or nothing was unreadable.
    """

    judge: str
    by_arm: Mapping[str, Mapping[str, int]]
    n_answers: int
    n_unreadable: int
    max_unreadable: float
    p_arms: float | None

    @property
    def is_usable(self) -> bool:
        """Says whether few enough of its answers were unreadable."""
        return self.n_unreadable <= self.max_unreadable * self.n_answers

    @property
    def is_suspect(self) -> bool:
        """Says whether readability depends on the arm: then what is missing is not so by chance."""
        return self.p_arms is not None and self.p_arms < SUSPECT_P

    @property
    def text(self) -> str:
        """Gives the counts in words."""
        return (
            f"{self.n_unreadable} of {self.n_answers} answers of judge {self.judge} are no verdict "
            f"that can be read; allowed are {100 * self.max_unreadable:g} %"
        )


def readability(
    judge: str,
    judgements: Iterable[tuple[Collection[str], Judgement]],
    max_unreadable: float,
) -> Readability:
    """Counts the answers of one judge.

    Refusals and truncated answers are answers that give no verdict, and count as unreadable; that
    no answer came is nobody's verdict and counts nowhere.

    Args:
        judge: its name.
        judgements: the standing judgements, each with the arms that its packet shows.
        max_unreadable: largest share with which a judge is still used.
    """
    by_arm: dict[str, Counter[str]] = {}
    n_answers = n_unreadable = 0
    for arms, one in judgements:
        if one.state is not ReadState.FAILED:
            n_answers += 1
            n_unreadable += one.state is not ReadState.READ
        for arm in set(arms):
            by_arm.setdefault(arm, Counter())[one.state.value] += 1
    return Readability(
        judge=judge,
        by_arm=by_arm,
        n_answers=n_answers,
        n_unreadable=n_unreadable,
        max_unreadable=max_unreadable,
        p_arms=_p_arms(by_arm),
    )


def _p_arms(by_arm: Mapping[str, Counter[str]]) -> float | None:
    lost_states = (ReadState.UNREADABLE, ReadState.REFUSED, ReadState.TRUNCATED)
    table = [
        (counts[ReadState.READ.value], sum(counts[state.value] for state in lost_states))
        for counts in by_arm.values()
    ]
    if len(table) < 2 or not sum(lost for _, lost in table):
        return None
    if len(table) == 2:
        return fisher(*table[0], *table[1]).p
    # of many arms each is told from all others; the most different one counts, for so many tests
    n_read, n_lost = (sum(row[column] for row in table) for column in (0, 1))
    each = [fisher(read, lost, n_read - read, n_lost - lost).p for read, lost in table]
    return min(1.0, min(each) * len(table))
