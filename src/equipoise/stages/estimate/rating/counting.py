"""Scores of the arms on one axis and the differences of all pairs, from the verdicts of one source.

The score is (best - worst)/shown; its errors are over clusters (units, or what units share), in
which everything that raters said of them stays together.
"""

from collections.abc import Sequence

import msgspec
import numpy as np

from equipoise.errors import InputError, NotEstimable
from equipoise.records.ranking import ArmScore, PairShown, RatingEstimate
from equipoise.stages.estimate.rating.choices import Choice, Points, points_of, sound
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
from equipoise.stages.estimate.rating.places import places_of
from equipoise.stages.estimate.rating.strengths import Strengths, implied, strengths_of
from equipoise.stats.all_pairs import Estimates, all_differences
from equipoise.stats.bws import closed_form_logit
from equipoise.stats.bws_differences import score_estimates

MOST_ARMS = 40
"""With more arms only scores and differences to the baseline are given, not all pairs."""

_RESAMPLES = 2000
_FEW = 10
_VALUES_A_BLOCK = 4_000_000


def estimate(
    source: str,
    choices: Sequence[Choice],
    asked: Asked,
    *,
    weights: Sequence[float] | None = None,
    has_order: bool = False,
) -> RatingEstimate:
    """Estimates from the verdicts of one source.

    Args:
        source: ``people``, or the name of a judge.
        choices: verdicts, also faulty ones: these are counted by fault and left out.
        asked: arms, margin, level.
        weights: of the verdicts, sound ones all; by default 1 each.
        has_order: whether pairs were shown in both orders on purpose, so that the model has an
            order effect.
    """
    kept, refused = sound(choices)
    counts = [1.0] * len(kept) if weights is None else list(weights)
    points = points_of(kept, counts, asked.arms)
    model = strengths_of(kept, asked, has_order=has_order)
    pairs, notes = _pairs(points, kept, asked, model)
    return RatingEstimate(
        source=source,
        arms=_arms(points, pairs, asked, model),
        pairs=pairs,
        groups=groups_of(points, pairs),
        n_answers=len(kept),
        n_sets=len({choice.set for choice in kept}),
        n_units=len({choice.unit for choice in kept}),
        n_clusters=len({choice.cluster for choice in kept}),
        refused=refused,
        places=places_of(kept),
        notes=(*notes, *model.notes, *few_clusters(len({c.cluster for c in kept}))),
    )


def few_clusters(n: int) -> tuple[str, ...]:
    """Says that limits from very few clusters are rough."""
    if n >= _FEW:
        return ()
    return (f"limits come from {n} clusters only, and are rough: t with {max(0, n - 1)} degrees",)


def _pairs(
    points: Points, choices: Sequence[Choice], asked: Asked, model: Strengths
) -> tuple[tuple[PairShown, ...], tuple[str, ...]]:
    """Gives all pairs in the plan's order, the later arm against the earlier one."""
    shown = [arm for arm, n in zip(points.arms, points.shown.sum(axis=0), strict=True) if n > 0]
    notes = []
    if len(points.arms) > MOST_ARMS:
        notes.append(f"{len(points.arms)} arms: differences are given for none; see the scores")
        return (), tuple(notes)
    wins = implied(choices)
    found = []
    table = _differences(points, shown, asked)
    for place, against in enumerate(points.arms):
        for arm in points.arms[place + 1 :]:
            pair = table.get((arm, against)) or missing_pair(arm, against, asked)
            logit = model.pairs.get((arm, against))
            found.append(
                msgspec.structs.replace(
                    pair,
                    n_sets=_n_sets(choices, arm, against),
                    logit=logit[0] if logit else None,
                    logit_lo=logit[1] if logit else None,
                    logit_hi=logit[2] if logit else None,
                    logit_why="" if logit else model.why,
                    won=wins.get((arm, against), 0.0),
                    lost=wins.get((against, arm), 0.0),
                )
            )
    return tuple(found), tuple(notes)


def _n_sets(choices: Sequence[Choice], arm: str, against: str) -> int:
    return len(
        {c.set for c in choices if {arm, against} <= {a for names in c.shown for a in names}}
    )


def _differences(
    points: Points, shown: Sequence[str], asked: Asked
) -> dict[tuple[str, str], PairShown]:
    """Gives (arm, against) -> difference, for every pair of arms that were shown."""
    place = [points.arms.index(arm) for arm in shown]
    names = [(b, a) for n, a in enumerate(shown) for b in shown[n + 1 :]]
    if not names:
        return {}
    try:
        found = score_estimates(shown, points.won[:, place], points.shown[:, place])
    except NotEstimable as error:
        return {(b, a): missing_pair(b, a, asked, str(error)) for b, a in names}
    try:
        rng = np.random.default_rng(asked.seed % 2**63)
        joint = all_differences(found, level=asked.level, rng=rng)
    except NotEstimable:
        return _with_guard(points, place, names, found, asked)
    gaps = zip(joint.value, joint.se, strict=True)
    scale = Scale(critical=joint.critical, df=found.df, method=joint.method)
    return {
        (b, a): limits((b, a), -float(delta), float(se), scale, asked)
        for (b, a), (delta, se) in zip(names, gaps, strict=True)
    }


def _with_guard(
    points: Points,
    place: Sequence[int],
    names: Sequence[tuple[str, str]],
    found: Estimates,
    asked: Asked,
) -> dict[tuple[str, str], PairShown]:
    """Gives each pair by Bonferroni; by a guarded interval where all clusters say the same."""
    tail = asked.alpha / (2.0 * len(names))
    scale = Scale(critical=quantile(tail, found.df), df=found.df, method="Bonferroni")
    left, right = np.triu_indices(len(place), k=1)
    table = {}
    for i, j, (b, a) in zip(left.tolist(), right.tolist(), names, strict=True):
        c = found.covariance
        variance = c[i, i] + c[j, j] - 2.0 * c[i, j]
        delta = float(found.values[j] - found.values[i])
        if variance > 1e-14 * (c[i, i] + c[j, j]) and variance > 0:
            se = float(np.sqrt(variance))
            table[b, a] = limits((b, a), delta, se, scale, asked)
        else:
            table[b, a] = _guarded((b, a), points, (place[i], place[j]), len(names), asked)
    return table


def _guarded(
    names: tuple[str, str], points: Points, at: tuple[int, int], n_pairs: int, asked: Asked
) -> PairShown:
    """Gives the pair of which every cluster says the same: limits that are never of zero width."""
    seen = (points.shown[:, at[0]] > 0) & (points.shown[:, at[1]] > 0)
    if seen.sum() < 2:
        return missing_pair(*names, asked, "shown in fewer than two clusters together")
    means = points.won[seen][:, list(at)] / points.shown[seen][:, list(at)]
    return guarded_pair(names, means[:, 1] - means[:, 0], n_pairs, asked)


def _arms(
    points: Points, pairs: Sequence[PairShown], asked: Asked, model: Strengths
) -> tuple[ArmScore, ...]:
    best, worst, shown = (t.sum(axis=0) for t in (points.best, points.worst, points.shown))
    lo, hi = _resampled(points, asked.seed)
    found = []
    for n, arm in enumerate(points.arms):
        has_score = shown[n] > 0
        standing = ranks(arm, points.arms, pairs) if has_score else (None, None)
        found.append(
            ArmScore(
                arm=arm,
                shown=float(shown[n]),
                best=float(best[n]),
                worst=float(worst[n]),
                score=float((best[n] - worst[n]) / shown[n]) if has_score else None,
                lo=lo[n] if has_score else None,
                hi=hi[n] if has_score else None,
                rank_best=standing[0],
                rank_worst=standing[1],
                logit=model.arms.get(arm),
                closed_form=_closed(best[n], worst[n], shown[n]),
                why=_why(lo[n], len(points.shown)) if has_score else "never shown",
            )
        )
    return tuple(found)


def _why(limit: float | None, n_clusters: int) -> str:
    """Says why a score has no limits; nothing where it has them."""
    if limit is not None:
        return ""
    if n_clusters < 2:
        return "all sets are in one cluster"
    return "all draws of clusters agree or lack the arm, or they are too many to draw"


def _closed(best: float, worst: float, shown: float) -> float | None:
    try:
        return closed_form_logit(best, worst, shown)
    except (NotEstimable, InputError):
        return None


def _resampled(points: Points, seed: int) -> tuple[list[float | None], list[float | None]]:
    """Gives percentile limits of each score, whole clusters drawn again; None without spread."""
    n_clusters, n_arms = points.shown.shape
    nothing: list[float | None] = [None] * n_arms
    if n_clusters < 2 or n_clusters * n_arms > 2_000_000:
        return nothing, nothing
    rng = np.random.default_rng([seed % 2**63, 1])
    won, shown = np.empty((_RESAMPLES, n_arms)), np.empty((_RESAMPLES, n_arms))
    block = max(1, _VALUES_A_BLOCK // n_clusters)
    for start in range(0, _RESAMPLES, block):
        rows = slice(start, min(_RESAMPLES, start + block))
        chances = np.full(n_clusters, 1.0 / n_clusters)
        times = rng.multinomial(n_clusters, chances, rows.stop - start).astype(np.float64)
        won[rows], shown[rows] = times @ points.won, times @ points.shown
    low, high = list(nothing), list(nothing)
    for n in range(n_arms):
        drawn = shown[:, n] > 0
        if drawn.mean() < 0.95:
            continue
        scores = won[drawn, n] / shown[drawn, n]
        if np.ptp(scores) > 1e-12:
            low[n], high[n] = (float(x) for x in np.quantile(scores, [0.025, 0.975]))
    return low, high


def groups_of(points: Points, pairs: Sequence[PairShown]) -> tuple[tuple[str, ...], ...]:
    """Gives the largest groups of arms, in order of score, of which no two can be told apart."""
    total = points.shown.sum(axis=0)
    scores = {
        arm: float(points.won.sum(axis=0)[n] / total[n])
        for n, arm in enumerate(points.arms)
        if total[n] > 0
    }
    order = sorted(scores, key=lambda arm: (-scores[arm], arm))
    return runs(order, pairs)
