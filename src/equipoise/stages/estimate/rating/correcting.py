"""How often people would prefer an arm, from a judge's verdicts and its errors on labelled sets."""

from collections.abc import Mapping, Sequence

from equipoise.errors import NotEstimable
from equipoise.records.validation import CorrectedShare
from equipoise.stages.estimate.rating.validating import Labelled, Source
from equipoise.stats.judge_correction import corrected_rate
from equipoise.stats.prediction_powered import powered_mean


def corrections(
    source: Source,
    people: Mapping[str, Labelled],
    clusters: Mapping[str, str],
    pair: tuple[str, str],
) -> tuple[CorrectedShare, ...]:
    """Gives how often people would prefer the first arm, by Rogan-Gladen and prediction-powered.

    Sets that people labelled tell the judge's errors; sets that it judged alone give its rate; no
    cluster counts in both. A tie is left out of the first and half a win in the second.

    Args:
        source: the judge.
        people: set -> what people say.
        clusters: set -> its cluster, of all sets that the judge judged.
        pair: arm and against.
    """
    labelled = [n for n in sorted(people) if n in source.points and _has(source.points[n], pair)]
    known = {people[name].cluster for name in labelled}
    alone = [
        n
        for n in sorted(source.points)
        if n not in people and _has(source.points[n], pair) and clusters[n] not in known
    ]
    judge = {n: _share(source.points[n], pair) for n in (*labelled, *alone)}
    human = {n: _share(people[n].points, pair) for n in labelled}
    return (
        _rogan_gladen(pair, judge, human, alone),
        _powered(pair, judge, human, alone),
    )


def _has(points: Mapping[str, float], pair: tuple[str, str]) -> bool:
    return pair[0] in points and pair[1] in points


def _share(points: Mapping[str, float], pair: tuple[str, str]) -> float:
    return (points[pair[0]] - points[pair[1]] + 2.0) / 4.0


def _rogan_gladen(
    pair: tuple[str, str],
    judge: Mapping[str, float],
    human: Mapping[str, float],
    alone: Sequence[str],
) -> CorrectedShare:
    sure = [n for n in human if human[n] != 0.5 and judge[n] != 0.5]
    positive = [n for n in sure if human[n] > 0.5]
    negative = [n for n in sure if human[n] < 0.5]
    decided = [n for n in alone if judge[n] != 0.5]
    n_positive = sum(judge[n] > 0.5 for n in decided)
    try:
        found = corrected_rate(
            n_positive,
            len(decided),
            negatives_right=sum(judge[n] < 0.5 for n in negative),
            n_negatives=len(negative),
            positives_right=sum(judge[n] > 0.5 for n in positive),
            n_positives=len(positive),
        )
    except NotEstimable as error:
        return _uncorrected(pair, "Rogan-Gladen", len(decided), len(sure), str(error))
    return CorrectedShare(
        arm=pair[0],
        against=pair[1],
        method="Rogan-Gladen",
        naive=found.naive,
        value=found.value,
        lo=found.low,
        hi=found.high,
        n_judged=len(decided),
        n_labelled=len(sure),
    )


def _powered(
    pair: tuple[str, str],
    judge: Mapping[str, float],
    human: Mapping[str, float],
    alone: Sequence[str],
) -> CorrectedShare:
    try:
        found = powered_mean(
            [human[n] for n in human], [judge[n] for n in human], [judge[n] for n in alone]
        )
    except NotEstimable as error:
        return _uncorrected(pair, "prediction-powered", len(alone), len(human), str(error))
    return CorrectedShare(
        arm=pair[0],
        against=pair[1],
        method="prediction-powered",
        naive=found.naive,
        value=found.value,
        lo=found.low,
        hi=found.high,
        n_judged=len(alone),
        n_labelled=len(human),
    )


def _uncorrected(
    pair: tuple[str, str], method: str, n_judged: int, n_labelled: int, why: str
) -> CorrectedShare:
    return CorrectedShare(
        arm=pair[0],
        against=pair[1],
        method=method,
        naive=None,
        value=None,
        lo=None,
        hi=None,
        n_judged=n_judged,
        n_labelled=n_labelled,
        why=why,
    )
