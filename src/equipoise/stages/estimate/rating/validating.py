"""Judges held against people inside the sets that both judged."""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean
from typing import Any

import numpy as np

from equipoise.errors import EquipoiseError, InputError, NotEstimable
from equipoise.records.validation import Validation
from equipoise.stages.estimate.rating.choices import Choice, FloatArray, ends, numbered
from equipoise.stages.estimate.rating.verdicts import level
from equipoise.stats.cohen import cohen_kappa, cross_table
from equipoise.stats.intervals import quasi_wilson
from equipoise.stats.judging import tau_b, top_within_set

_FEWEST_SETS = 30
_OF_CEILING = 0.8
_MOST_TIES = 0.33


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """What a judge has to reach; every number may be registered in the plan.

    `sets` judged by both; `of_ceiling` of what one person earns beyond chance against the others;
    `ties` at most that share of sets without a majority.
    """

    sets: int = _FEWEST_SETS
    of_ceiling: float = _OF_CEILING
    ties: float = _MOST_TIES

    @property
    def said(self) -> str:
        """Gives the rule in words."""
        return (
            f"at least {self.sets} sets; top choice above chance with 95 % limits, and beyond "
            f"chance at least {self.of_ceiling:g} of what people reach against each other; at most "
            f"{100 * self.ties:g} % of sets without a majority; verdicts that do not hang on places"
        )


def bar_of(settings: Mapping[str, Any]) -> Bar:
    """Gives the bar of a plan: the entry ``validation`` of the panel's settings, else the usual.

    Raises:
        InputError: another key, or no number.
    """
    asked = settings.get("validation") or {}
    usual = Bar()
    known = {"sets": usual.sets, "of_ceiling": usual.of_ceiling, "ties": usual.ties}
    try:
        strange = sorted(set(asked) - set(known))
        found = {name: float(asked.get(name, value)) for name, value in known.items()}
    except (TypeError, ValueError, AttributeError):
        strange = [str(asked)]
        found = {}
    if strange or not all(0.0 <= value < math.inf for value in found.values()):
        raise InputError(
            f"validation of judges: {strange or asked}",
            wanted=f"numbers for {', '.join(known)}",
            where="study.yaml: judges.settings.validation",
            code="bad_validation",
        )
    return Bar(sets=int(found["sets"]), of_ceiling=found["of_ceiling"], ties=found["ties"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """What people say of a set: the best by most of them, points of each arm, who said what."""

    set: str
    unit: str
    cluster: str
    best: tuple[str, ...]
    points: Mapping[str, float]
    votes: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What is held against people: for each set the best and points of each arm.

    `tie_rate` is the share of its sets without a majority, `sees_places` whether it sees places
    only, `position_p` the chance of its places if they did not matter.
    """

    name: str
    best: Mapping[str, tuple[str, ...]]
    points: Mapping[str, Mapping[str, float]]
    tie_rate: float | None
    sees_places: bool = False
    position_p: float | None = None


def labels(choices: Sequence[Choice]) -> dict[str, Labelled]:
    """Gives set -> what people say of it.

    Args:
        choices: sound verdicts of people; of identical texts the first arm stands for all.
    """
    by_set: dict[str, list[Choice]] = defaultdict(list)
    for choice in choices:
        by_set[choice.set].append(choice)
    found = {}
    for name, told in sorted(by_set.items()):
        points: dict[str, float] = defaultdict(float)
        votes: dict[str, tuple[str, ...]] = {}
        for choice in told:
            top, bottom = ends(choice)
            for place, names in enumerate(choice.shown):
                for arm in names:
                    points[arm] += ((place == top) - (place == bottom)) / len(told)
            if top is not None:
                votes[choice.who] = tuple(sorted(choice.shown[top]))
        counts = Counter(arm for names in votes.values() for arm in names)
        if counts:
            found[name] = Labelled(
                set=name,
                unit=told[0].unit,
                cluster=told[0].cluster,
                best=level({arm: float(n) for arm, n in counts.items()}),
                points=dict(points),
                votes=votes,
            )
    return found


def validated(
    source: Source,
    people: Mapping[str, Labelled],
    bar: Bar,
    languages: Mapping[str, str],
    *,
    has_kappa: bool,
) -> Validation:
    """Holds a source against people; it passes where it meets all of the bar.

    Args:
        source: of the verdicts.
        people: set -> what people say.
        bar: what has to be reached.
        languages: unit -> the languages it goes from and to.
        has_kappa: whether people agree with each other well enough to be asked (not in no-kappa
            mode).
    """
    shared = [name for name in sorted(people) if name in source.best]
    judged = [name for name in source.best if name not in people]
    known = {languages[people[name].unit] for name in shared if people[name].unit in languages}
    every = {languages[u] for u in languages}
    if not shared:
        return _none(source, bar, tuple(sorted(every)), "no set was judged by people and by it")
    human = [people[name] for name in shared]
    tops = top_within_set([one.best for one in human], [source.best[name] for name in shared])
    credit = np.array([_credit(one, source.best[one.set]) for one in human])
    lo, hi, n_clusters = _limits(credit, [one.cluster for one in human])
    random = fmean(len(one.best) / len(one.points) for one in human)
    chance = fmean(1.0 / len(one.points) for one in human)
    ceiling = _ceiling(human)
    beyond = (tops.ties_split - chance) / (1.0 - chance)
    ceiling_beyond = None if ceiling is None else (ceiling - chance) / (1.0 - chance)
    failed = _failed(bar, source, len(shared), (lo, random), (beyond, ceiling_beyond), has_kappa)
    return Validation(
        source=source.name,
        n_sets=len(shared),
        n_clusters=n_clusters,
        top1=tops.ties_split,
        lo=lo,
        hi=hi,
        strict=tops.strict,
        random=random,
        ceiling=ceiling,
        beyond=beyond,
        ceiling_beyond=ceiling_beyond,
        tie_rate=source.tie_rate,
        human_tie_rate=tops.human_tie_rate,
        position_p=source.position_p,
        kappa=_kappa(human, source),
        tau=_tau(human, source),
        overall=_overall(human, source),
        languages=tuple(sorted(known)),
        unvalidated_languages=tuple(sorted(every - known)),
        corrections=(),
        passed=not failed,
        failed=failed,
        rule=bar.said,
        why=f"{len(judged)} further sets were judged by it alone" if judged else "",
    )


def _none(source: Source, bar: Bar, languages: tuple[str, ...], why: str) -> Validation:
    return Validation(
        source=source.name,
        n_sets=0,
        n_clusters=0,
        top1=None,
        lo=None,
        hi=None,
        strict=None,
        random=None,
        ceiling=None,
        beyond=None,
        ceiling_beyond=None,
        tie_rate=source.tie_rate,
        human_tie_rate=None,
        position_p=source.position_p,
        kappa=None,
        tau=None,
        overall=None,
        languages=(),
        unvalidated_languages=languages,
        corrections=(),
        passed=False,
        failed=(why,),
        rule=bar.said,
        why=why,
    )


def _failed(
    bar: Bar,
    source: Source,
    n_sets: int,
    top: tuple[float | None, float],
    beyond: tuple[float, float | None],
    has_kappa: bool,
) -> tuple[str, ...]:
    failed = []
    if not has_kappa:
        failed.append("people are in no-κ mode: nobody knows whether they agree with each other")
    if n_sets < bar.sets:
        failed.append(f"{n_sets} sets judged by both, {bar.sets} wanted")
    if top[0] is None or top[0] <= top[1]:
        failed.append("its top choice is not shown to be better than chance")
    if beyond[1] is None or beyond[1] <= 0:
        failed.append("people do not agree beyond chance on these sets: there is no ceiling")
    elif beyond[0] < bar.of_ceiling * beyond[1]:
        failed.append(
            f"beyond chance it reaches {beyond[0]:.3f}, people among themselves {beyond[1]:.3f}; "
            f"{bar.of_ceiling:g} of that is wanted"
        )
    if source.tie_rate is not None and source.tie_rate > bar.ties:
        failed.append(f"no majority on {100 * source.tie_rate:.0f} % of its sets")
    if source.sees_places:
        failed.append("its verdicts hang on places")
    return tuple(failed)


def _credit(one: Labelled, best: Sequence[str]) -> float:
    return len(set(best) & set(one.best)) / len(best)


def _limits(credit: FloatArray, clusters: Sequence[str]) -> tuple[float | None, float | None, int]:
    place = numbered(clusters)
    means = np.bincount(place, weights=credit) / np.bincount(place)
    if len(means) < 2:
        return None, None, len(means)
    found = quasi_wilson(np.clip(means, 0.0, 1.0)).interval
    return found.lo, found.hi, len(means)


def _ceiling(human: Sequence[Labelled]) -> float | None:
    """Gives how often one person names what most of the others name, on sets with two or more."""
    found = []
    for one in human:
        if len(one.votes) < 2:
            continue
        earned = []
        for who, own in one.votes.items():
            counts = Counter(a for other, arms in one.votes.items() if other != who for a in arms)
            best = level({arm: float(n) for arm, n in counts.items()})
            earned.append(len(set(own) & set(best)) / len(own))
        found.append(fmean(earned))
    return fmean(found) if found else None


def _kappa(human: Sequence[Labelled], source: Source) -> float | None:
    """Gives Cohen's kappa over names of arms, on sets where both name one."""
    both = [
        (one.best[0], source.best[one.set][0])
        for one in human
        if len(one.best) == len(source.best[one.set]) == 1
    ]
    if not both:
        return None
    names = sorted({name for pair in both for name in pair})
    try:
        table = cross_table([a for a, _ in both], [b for _, b in both], labels=names)[1]
        return cohen_kappa(table).value
    except EquipoiseError:
        return None


def _tau(human: Sequence[Labelled], source: Source) -> float | None:
    found = []
    for one in human:
        points = source.points[one.set]
        arms = sorted(set(points) & set(one.points))
        tau = _tau_of(tuple(one.points[a] for a in arms), tuple(points[a] for a in arms))
        if tau is not None:
            found.append(tau)
    return fmean(found) if found else None


@lru_cache(maxsize=65_536)
def _tau_of(x: tuple[float, ...], y: tuple[float, ...]) -> float | None:
    try:
        return tau_b(x, y)
    except NotEstimable:
        return None


def _overall(human: Sequence[Labelled], source: Source) -> float | None:
    """Gives the correlation of points over all sets, for contrast; it never decides."""
    both = [
        (one.points[arm], source.points[one.set][arm])
        for one in human
        for arm in sorted(set(one.points) & set(source.points[one.set]))
    ]
    table = np.array(both, dtype=np.float64).T
    if table.size == 0 or (np.ptp(table, axis=1) == 0).any():
        return None
    return float(np.asarray(np.corrcoef(table), dtype=np.float64)[0, 1])
