"""The judges of one axis: each with its estimate, the panel, and what people make of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Any

import msgspec
import numpy as np

from equipoise.errors import EquipoiseError
from equipoise.records.ranking import LanguageShown, PairShown, RatingEstimate
from equipoise.records.rating_plan import PanelPlan, RatingSet, SetKind
from equipoise.records.validation import (
    JudgeShown,
    LockedThreshold,
    PanelShown,
    Validation,
)
from equipoise.stages.estimate.rating.correcting import corrections
from equipoise.stages.estimate.rating.counting import estimate
from equipoise.stages.estimate.rating.gaps import Asked
from equipoise.stages.estimate.rating.judges import Judge, judge_of, judge_shown, sees_places_only
from equipoise.stages.estimate.rating.leanings import Leanings, leanings, longest
from equipoise.stages.estimate.rating.panel import PANEL, panel_estimate, panel_sets
from equipoise.stages.estimate.rating.thresholds import items_of, threshold
from equipoise.stages.estimate.rating.validating import (
    Labelled,
    Source,
    bar_of,
    validated,
)
from equipoise.stages.estimate.rating.verdicts import Told, level
from equipoise.stats.agreement_report import position_test
from equipoise.stats.panel import effective_judges, error_correlation
from equipoise.studies.rating.joining import JoinedVerdicts, choice_of
from equipoise.studies.rating.reading import Gathered

_LONGEST = "the longest text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What the judges of an axis show.

    `blocked` says of a source why its words may not count, `passed` names the sources that were
    found to agree with people.
    """

    judges: tuple[JudgeShown, ...] = ()
    estimates: tuple[RatingEstimate, ...] = ()
    panel: PanelShown | None = None
    panel_estimate: RatingEstimate | None = None
    threshold: LockedThreshold | None = None
    by_language: tuple[LanguageShown, ...] = ()
    blocked: Mapping[str, str] = field(default_factory=dict)
    passed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Frame:
    """What all judges of an axis are seen in."""

    asked: Asked
    panel: PanelPlan
    baseline: str
    people: Mapping[str, Labelled]
    languages: Mapping[str, str]
    lengths: Mapping[tuple[str, str], int]
    has_kappa: bool


def judges_on(
    given: Gathered,
    verdicts: JoinedVerdicts,
    axis: str,
    asked: Asked,
    people: Mapping[str, Labelled],
    *,
    has_kappa: bool,
) -> Judged:
    """Derives what the judges say on an axis; nothing where no judge was planned or asked."""
    panel = given.plan.panel
    told = _told(given, verdicts, axis)
    if panel is None or not told:
        return Judged()
    frame = _Frame(
        asked=asked,
        panel=panel,
        baseline=given.plan.baseline,
        people=people,
        languages=languages_of(given),
        lengths={(o.unit, o.arm): len(o.text) for o in given.outputs},
        has_kappa=has_kappa,
    )
    judges = [judge_of(one, told[one.name], panel) for one in panel.judges if one.name in told]
    leans = {one.name: _leanings(one, frame) for one in judges}
    shown = [_shown(one, leans[one.name], frame) for one in judges]
    used = [one for one, row in zip(judges, shown, strict=True) if row.is_used]
    estimates = tuple(_estimate(one, leans[one.name], frame) for one in used)
    blocked = {one.name: _PLACES for one in used if sees_places_only([*one.verdicts.values()])}
    heard = [one for one in used if one.name not in blocked] or used
    together = panel_estimate(heard, asked) if len(used) > 1 else None
    panel_shown = _panel(heard, shown, frame) if used else None
    if used and len(blocked) == len(used):
        blocked[PANEL] = _PLACES
    passed = {row.judge for row in shown if row.validation is not None and row.validation.passed}
    if panel_shown and panel_shown.validation and panel_shown.validation.passed:
        passed.add(PANEL)
    return Judged(
        judges=tuple(shown),
        estimates=estimates,
        panel=panel_shown,
        panel_estimate=together,
        threshold=_threshold(given, axis, heard, frame),
        by_language=tuple(_by_language(given.plan.decides, heard, frame)),
        blocked=blocked,
        passed=frozenset(passed),
    )


_PLACES = "position-biased: its verdicts hang on places, and the two orders give a tie"


def _told(given: Gathered, verdicts: JoinedVerdicts, axis: str) -> dict[str, list[Told]]:
    sets: dict[str, RatingSet] = {
        one.id: one for one in given.plan.sets if one.axis == axis and one.kind is SetKind.STUDY
    }
    found: dict[str, list[Told]] = {}
    for record, key in verdicts.judgements:
        if key.set in sets:
            found.setdefault(record.judge, []).append(
                Told(
                    choice=choice_of(key, sets[key.set], record),
                    state=record.state,
                    model=record.model_answered or record.model_asked,
                    is_cached=record.is_cached,
                    is_simulated=record.is_simulated,
                )
            )
    return found


def _by_language(decides: str, heard: Sequence[Judge], frame: _Frame) -> Iterator[LanguageShown]:
    """Yields what the deciding judge, or the panel, says in each language, where there are more."""
    chosen = [one for one in heard if decides in {PANEL, one.name}]
    by_language: dict[str, list[Judge]] = {}
    names = {frame.languages.get(v.unit, "") for one in chosen for v in one.verdicts.values()}
    for language in sorted(names) if len(names) > 1 else ():
        for one in chosen:
            kept = {
                name: v
                for name, v in one.verdicts.items()
                if frame.languages.get(v.unit, "") == language
            }
            if kept:
                by_language.setdefault(language, []).append(replace(one, verdicts=kept))
    for language, some in by_language.items():
        found = (
            panel_estimate(some, frame.asked)
            if len(some) > 1
            else _estimate(some[0], _leanings(some[0], frame), frame)
        )
        if found is not None:
            yield LanguageShown(language=language, estimate=found)


def languages_of(given: Gathered) -> dict[str, str]:
    """Gives unit -> its direction, ``en→ru``; a unit without a marked language has none."""
    found = {}
    for output in given.outputs:
        source = next((doc.lang for doc in output.docs if doc.lang), "")
        if output.lang:
            found[output.unit] = f"{source}→{output.lang}" if source else output.lang
    return found


def _leanings(judge: Judge, frame: _Frame) -> Leanings:
    return leanings(list(judge.verdicts.values()), frame.lengths, frame.asked.arms)


def _shown(judge: Judge, leans: Leanings, frame: _Frame) -> JudgeShown:
    row = judge_shown(judge, frame.panel, leans)
    if not judge.verdicts:
        return row
    source = _source(judge)
    return msgspec.structs.replace(row, validation=_held(source, _clusters(judge), frame))


def _source(judge: Judge) -> Source:
    found = list(judge.verdicts.values())
    chosen = [(c.best, c.size) for v in found for c in v.choices if c.best is not None]
    test = position_test([p for p, _ in chosen], [s for _, s in chosen]) if chosen else None
    return Source(
        name=judge.name,
        best={name: v.best for name, v in judge.verdicts.items()},
        points={name: v.points for name, v in judge.verdicts.items()},
        tie_rate=fmean(float(not v.majority) for v in found),
        sees_places=sees_places_only(found),
        position_p=test.p if test else None,
    )


def _clusters(judge: Judge) -> dict[str, str]:
    return {name: v.cluster for name, v in judge.verdicts.items()}


def _held(source: Source, clusters: Mapping[str, str], frame: _Frame) -> Validation:
    bar = bar_of(frame.panel.settings)
    found = validated(source, frame.people, bar, frame.languages, has_kappa=frame.has_kappa)
    pairs = [(arm, frame.baseline) for arm in frame.asked.arms if arm != frame.baseline]
    rates = [r for pair in pairs for r in corrections(source, frame.people, clusters, pair)]
    return msgspec.structs.replace(found, corrections=tuple(rates) if frame.people else ())


def _estimate(judge: Judge, leans: Leanings, frame: _Frame) -> RatingEstimate:
    choices = [c for v in judge.verdicts.values() for c in v.choices]
    weights = [w for v in judge.verdicts.values() for w in v.weights]
    found = estimate(judge.name, choices, frame.asked, weights=weights, has_order=True)
    return msgspec.structs.replace(
        found, pairs=tuple(_with_length(pair, leans) for pair in found.pairs)
    )


def _with_length(pair: PairShown, leans: Leanings) -> PairShown:
    return msgspec.structs.replace(pair, logit_even=leans.even.get((pair.arm, pair.against)))


def _panel(used: Sequence[Judge], shown: Sequence[JudgeShown], frame: _Frame) -> PanelShown:
    sets = panel_sets(used)
    source = Source(
        name=PANEL,
        best={name: level(one.shares) for name, one in sets.items()},
        points={name: one.points for name, one in sets.items()},
        tie_rate=fmean(float(max(one.shares.values()) <= 0.5 + 1e-9) for one in sets.values()),
        sees_places=all(sees_places_only(list(one.verdicts.values())) for one in used),
    )
    clusters = {name: one.cluster for name, one in sets.items()}
    validation = _held(source, clusters, frame) if len(used) > 1 else None
    tops = {
        row.judge: row.validation.top1
        for row in shown
        if row.is_used and row.validation is not None and row.validation.top1 is not None
    }
    best = max(sorted(tops), key=lambda name: tops[name]) if tops else ""
    correlation, effective, why = _effective(used, frame)
    return PanelShown(
        judges=tuple(one.name for one in used),
        error_correlation=correlation,
        effective=effective,
        best_single=best,
        best_single_top1=tops.get(best),
        panel_top1=validation.top1 if validation else None,
        longer_top1=_longest_top1(used, frame),
        validation=validation,
        why=why,
    )


def _effective(used: Sequence[Judge], frame: _Frame) -> tuple[float | None, float | None, str]:
    """Gives how judges err together on sets with people's labels, and what they are worth."""
    shared = [n for n in sorted(frame.people) if all(n in one.verdicts for one in used)]
    wrong = [
        [not set(one.verdicts[n].best) <= set(frame.people[n].best) for n in shared] for one in used
    ]
    try:
        found = error_correlation(np.asarray(wrong, dtype=np.float64).reshape(len(used), -1))
        return found, effective_judges(len(used), found), ""
    except EquipoiseError as error:
        return None, None, f"not known from {len(shared)} sets that people judged too: {error}"


def _longest_top1(used: Sequence[Judge], frame: _Frame) -> float | None:
    """Gives how often picking the longest text names the people's best."""
    seen = {name: v for one in used for name, v in one.verdicts.items() if name in frame.people}
    told = []
    for name in sorted(seen):
        picked = longest(seen[name], frame.lengths)
        told.append(len(set(picked) & set(frame.people[name].best)) / len(picked))
    return fmean(told) if told else None


def _threshold(
    given: Gathered, axis: str, used: Sequence[Judge], frame: _Frame
) -> LockedThreshold | None:
    asked: Mapping[str, Any] = given.plan.threshold
    if not asked:
        return None
    name = str(asked.get("judge") or (used[0].name if len(used) == 1 else PANEL))
    source = next((_source(one) for one in used if one.name == name), None)
    if source is None and name == PANEL and used:
        sets = panel_sets(used)
        points = {key: one.points for key, one in sets.items()}
        source = Source(name=PANEL, best={}, points=points, tie_rate=None)
    if source is None:
        return None
    items = items_of(source, frame.people, frame.baseline)
    is_amended = any(one.field == f"threshold.{axis}" for one in given.amendments)
    return threshold(source, items, axis, asked, given.locked.get(axis), is_amended=is_amended)
