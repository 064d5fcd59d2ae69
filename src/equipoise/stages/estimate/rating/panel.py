"""The judges together: the median over judges on each set, one model with an order term a judge."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import msgspec
import numpy as np

from equipoise.errors import NotEstimable
from equipoise.records.ranking import ArmScore, PairShown, RatingEstimate
from equipoise.stages.estimate.rating.choices import PAIR, FloatArray, ends, is_plain, numbered
from equipoise.stages.estimate.rating.counting import MOST_ARMS, few_clusters
from equipoise.stages.estimate.rating.gaps import (
    Asked,
    Scale,
    guarded_pair,
    limits,
    missing_pair,
    quantile,
    ranks,
    runs,
)
from equipoise.stages.estimate.rating.judges import Judge
from equipoise.stages.estimate.rating.verdicts import SetVerdict
from equipoise.stats.all_pairs import Estimates, all_differences
from equipoise.stats.conditional_logit import Options, fit_logit

PANEL = "panel"


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelSet:
    """A set as the panel sees it: for each arm the median of the judges' points and shares."""

    set: str
    unit: str
    cluster: str
    points: Mapping[str, float]
    shares: Mapping[str, float]
    gaps: Mapping[tuple[str, str], float]


def panel_sets(judges: Sequence[Judge]) -> dict[str, PanelSet]:
    """Gives set -> what the median over the judges with a verdict on it says.

    The median of each difference is taken, not of one arm's points alone, so that one judge far off
    turns nothing.
    """
    by_set: dict[str, list[SetVerdict]] = defaultdict(list)
    for judge in judges:
        for name, verdict in judge.verdicts.items():
            by_set[name].append(verdict)
    found = {}
    for name, told in sorted(by_set.items()):
        arms = sorted(told[0].points)
        found[name] = PanelSet(
            set=name,
            unit=told[0].unit,
            cluster=told[0].cluster,
            points={arm: median(v.points[arm] for v in told) for arm in arms},
            shares={arm: median(v.shares[arm] for v in told) for arm in arms},
            gaps={
                (b, a): median(v.points[b] - v.points[a] for v in told)
                for a in arms
                for b in arms
                if a != b
            },
        )
    return found


def panel_estimate(judges: Sequence[Judge], asked: Asked) -> RatingEstimate | None:
    """Estimates from the panel's sets; null where no judge has a verdict.

    A pair's difference is the mean over sets of the median over judges, its limits are over
    clusters with Bonferroni over all pairs. Beside it stands the choice model of all verdicts
    together, in which every judge has an order effect of its own.
    """
    sets = list(panel_sets(judges).values())
    if not sets:
        return None
    logits, why = _together(judges, asked)
    pairs = []
    n_pairs = max(1, len(asked.arms) * (len(asked.arms) - 1) // 2)
    many = len(asked.arms) > MOST_ARMS
    for place, against in enumerate(() if many else asked.arms):
        for arm in asked.arms[place + 1 :]:
            pair = _pair((arm, against), sets, n_pairs, asked)
            logit = logits.get((arm, against))
            pairs.append(
                msgspec.structs.replace(
                    pair,
                    logit=logit[0] if logit else None,
                    logit_lo=logit[1] if logit else None,
                    logit_hi=logit[2] if logit else None,
                    logit_why="" if logit else why,
                )
            )
    arms = tuple(_arm(arm, sets, asked.arms, pairs) for arm in asked.arms)
    scores = {one.arm: one.score for one in arms if one.score is not None}
    order = sorted(scores, key=lambda arm: (-scores[arm], arm))
    return RatingEstimate(
        source=PANEL,
        arms=arms,
        pairs=tuple(pairs),
        groups=runs(order, pairs),
        n_answers=sum(len(v.choices) for judge in judges for v in judge.verdicts.values()),
        n_sets=len(sets),
        n_units=len({one.unit for one in sets}),
        n_clusters=len({one.cluster for one in sets}),
        refused={},
        notes=(
            f"judges heard on each set, by their median: {len(judges)}",
            *_ties(judges),
            *few_clusters(len({one.cluster for one in sets})),
        ),
    )


def _ties(judges: Sequence[Judge]) -> tuple[str, ...]:
    """Says how ties count in the joint model, where there are any."""
    told = [c for judge in judges for v in judge.verdicts.values() for c in v.choices]
    n = sum(choice.is_tie for choice in told)
    if not n:
        return ()
    return (
        (
            f"{n} of {len(told)} verdicts are ties: in the joint model each is half a win for "
            "either text, which draws differences of strengths nearer to 0 than a parameter for "
            "ties would"
        ),
    )


def _pair(
    names: tuple[str, str], sets: Sequence[PanelSet], n_pairs: int, asked: Asked
) -> PairShown:
    told = [one for one in sets if names in one.gaps]
    if not told:
        return missing_pair(*names, asked)
    cluster = numbered([one.cluster for one in told])
    counts = np.bincount(cluster).astype(np.float64)
    gaps = np.array([one.gaps[names] for one in told])
    sums = np.bincount(cluster, weights=gaps)
    groups, delta = len(counts), float(gaps.mean())
    if groups < 2:
        return missing_pair(*names, asked, "all sets are in one cluster")
    surprise = (sums - delta * counts) / len(told)
    variance = float(surprise @ surprise) * groups / (groups - 1)
    if variance < 1e-14:
        pair = guarded_pair(names, sums / counts, n_pairs, asked)
    else:
        df = float(groups - 1)
        critical = quantile(asked.alpha / (2 * n_pairs), df)
        scale = Scale(critical=critical, df=df, method="t over clusters, Bonferroni")
        pair = limits(names, delta, float(np.sqrt(variance)), scale, asked)
    return msgspec.structs.replace(
        pair,
        n_sets=len(told),
        won=float((gaps > 0).sum() + (gaps == 0).sum() / 2),
        lost=float((gaps < 0).sum() + (gaps == 0).sum() / 2),
    )


_WHY_NO_LIMITS = "a panel's limits are of differences of arms, not of each score"


def _arm(
    arm: str, sets: Sequence[PanelSet], arms: Sequence[str], pairs: Sequence[PairShown]
) -> ArmScore:
    told = [one for one in sets if arm in one.points]
    places = ranks(arm, arms, pairs) if told else (None, None)
    points = [one.points[arm] for one in told]
    return ArmScore(
        arm=arm,
        shown=float(len(told)),
        best=float(sum(one.shares[arm] for one in told)),
        worst=float(sum(one.shares[arm] - one.points[arm] for one in told)),
        score=float(np.mean(points)) if points else None,
        lo=None,
        hi=None,
        rank_best=places[0],
        rank_worst=places[1],
        logit=None,
        closed_form=None,
        why=_WHY_NO_LIMITS if told else "never shown",
    )


def _together(
    judges: Sequence[Judge], asked: Asked
) -> tuple[dict[tuple[str, str], tuple[float, float, float]], str]:
    """Fits all verdicts on pairs with an order effect a judge; gives differences or why none."""
    told = [
        (number, choice)
        for number, judge in enumerate(judges)
        for verdict in judge.verdicts.values()
        for choice in verdict.choices
        if choice.size == PAIR and is_plain(choice)
    ]
    arms = [arm for arm in asked.arms if any((arm,) in c.shown for _, c in told)]
    if len(arms) < PAIR or len(arms) > MOST_ARMS:
        return {}, "the joint model is one of pairs"
    at = {arm: n for n, arm in enumerate(arms[1:])}
    n_arms = len(at)
    features: FloatArray = np.zeros((len(told), PAIR, n_arms + len(judges)))
    credit = np.zeros((len(told), PAIR))
    for row, (number, choice) in enumerate(told):
        for place, names in enumerate(choice.shown):
            if names[0] in at:
                features[row, place, at[names[0]]] = 1.0
        features[row, 0, n_arms + number] = 1.0
        top = ends(choice)[0]
        credit[row] = 0.5 if top is None else 0.0
        if top is not None:
            credit[row, top] = 1.0
    options = Options(
        features=features,
        present=np.ones((len(told), PAIR), dtype=np.bool_),
        credit=credit,
        cluster=numbered([c.cluster for _, c in told]),
    )
    try:
        fit = fit_logit(options)
        covariance = np.zeros((len(arms), len(arms)))
        covariance[1:, 1:] = fit.covariance[:n_arms, :n_arms]
        values = np.concatenate([[0.0], fit.value[:n_arms]])
        estimates = Estimates(names=tuple(arms), values=values, covariance=covariance, df=fit.df)
        rng = np.random.default_rng([asked.seed % 2**63, 5])
        gaps = all_differences(estimates, level=asked.level, rng=rng)
    except NotEstimable as error:
        return {}, str(error)
    rows = zip(gaps.left, gaps.right, gaps.value, gaps.low, gaps.high, strict=True)
    return {
        (arms[j], arms[i]): (-float(value), -float(hi), -float(lo)) for i, j, value, lo, hi in rows
    }, ""
