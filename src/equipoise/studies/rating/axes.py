"""One axis of a rating study: people, their agreement, judges, and which of them decides."""

from collections.abc import Iterator, Sequence

import msgspec

from equipoise.records.ranking import AxisShown, GuessShown, LanguageShown, RatingEstimate
from equipoise.records.rating_plan import AxisPlan
from equipoise.stages.decide.rating import blocked_by, judged, tags_of
from equipoise.stages.estimate.rating.agreeing import agreements, mode_of
from equipoise.stages.estimate.rating.choices import Choice, sound
from equipoise.stages.estimate.rating.counting import estimate
from equipoise.stages.estimate.rating.gaps import Asked
from equipoise.stages.estimate.rating.panel import PANEL
from equipoise.stages.estimate.rating.people import Answered, annotators
from equipoise.stages.estimate.rating.validating import labels
from equipoise.stages.plan.rating_grounds import grounds
from equipoise.studies.rating.joining import JoinedVerdicts
from equipoise.studies.rating.judged import Judged, judges_on, languages_of
from equipoise.studies.rating.reading import Gathered

PEOPLE = "people"
ALL = "people, nobody left out"
NOBODY = (
    "not evaluable: no judge has a verdict on any set; which judges may judge what stands in the "
    "plan's page"
)


def axis_shown(given: Gathered, verdicts: JoinedVerdicts, axis: AxisPlan) -> AxisShown:
    """Derives everything that the axis shows."""
    plan = given.plan
    asked = asked_of(given)
    answered = verdicts.people[axis.name]
    sets = {one.id: one for one in plan.sets}
    shown = annotators(answered, sets, plan.checks, _copies(given))
    out = {one.annotator for one in shown if one.is_excluded}
    everyone = [choice for one in answered for choice in one.study]
    kept = [choice for choice in everyone if choice.who not in out]
    trusted = sound(kept)[0]
    mode = mode_of(trusted, plan.raters_per_set)
    agreed = agreements(trusted, plan.seed) if mode.mode == "kappa" else ()
    blocked = blocked_by(
        mode.mode, mode.label, agreed[0].primary.value if agreed else None, plan.agreement_min
    )
    people = _people(kept, asked, blocked)
    told = judges_on(
        given, verdicts, axis.name, asked, labels(trusted), has_kappa=mode.mode == "kappa"
    )
    return AxisShown(
        axis=axis.name,
        ask=axis.ask,
        decides=plan.decides,
        mode=mode.mode,
        mode_said=mode.label,
        blocked=blocked if plan.decides == PEOPLE else told.blocked.get(plan.decides, _none(told)),
        people=people,
        people_all=_people(everyone, asked, blocked, ALL) if out else None,
        agreement=agreed,
        annotators=shown,
        judges=told.judges,
        judge_estimates=tuple(_judged(one, told, plan.mde) for one in told.estimates),
        panel=told.panel,
        panel_estimate=told.panel_estimate and _judged(told.panel_estimate, told, plan.mde),
        threshold=told.threshold,
        by_language=tuple(_by_language(kept, given, asked))
        if plan.decides == PEOPLE
        else told.by_language,
        by_guess=tuple(_by_guess(kept, answered, asked)),
        notes=tuple(grounds(plan, axis, given.outputs)),
        tags=tuple(
            tags_of(
                plan.decides,
                is_validated=is_validated(told, plan.decides),
                is_simulated=plan.is_simulated
                or any(one.is_simulated for one in shown)
                or any(one.is_simulated for one in told.judges),
                is_sealed=bool(given.seal),
            )
        ),
    )


def _by_language(
    choices: Sequence[Choice], given: Gathered, asked: Asked
) -> Iterator[LanguageShown]:
    """Yields what people say in each language, where there are several."""
    languages = languages_of(given)
    some: dict[str, list[Choice]] = {}
    for choice in choices:
        some.setdefault(languages.get(choice.unit, ""), []).append(choice)
    for language in sorted(some) if len(some) > 1 else ():
        yield LanguageShown(language=language, estimate=estimate(PEOPLE, some[language], asked))


def _by_guess(
    choices: Sequence[Choice], answered: Sequence[Answered], asked: Asked
) -> Iterator[GuessShown]:
    """Yields what people say by who they believe wrote the texts; nothing where nobody was asked.

    The picked belief counts; what somebody wrote beside it does not.
    """
    guesses = {one.annotator: one.guess for one in answered}
    some: dict[str, list[Choice]] = {}
    for choice in choices:
        belief = guesses.get(choice.who, "").partition(":")[0]
        some.setdefault(belief if belief in _BELIEFS else "", []).append(choice)
    for belief in (*_BELIEFS, "") if set(some) - {""} else ():
        if belief in some:
            yield GuessShown(
                guess=belief,
                annotators=tuple(sorted({choice.who for choice in some[belief]})),
                estimate=estimate(PEOPLE, some[belief], asked),
            )


_BELIEFS = ("people", "machines", "both", "same", "unknown")


def _copies(given: Gathered) -> dict[str, frozenset[str]]:
    """Gives of each check with one text twice the arms that show it."""
    texts = {(one.unit, one.arm): one.text for one in given.outputs}
    found = {}
    for one in given.plan.sets:
        if one.best is None and one.worst is None and one.planted:
            shown = {arm: one.planted.get(arm, texts.get((one.unit, arm), "")) for arm in one.arms}
            planted = set(one.planted.values())
            found[one.id] = frozenset(arm for arm, text in shown.items() if text in planted)
    return found


def is_validated(told: Judged, source: str) -> bool:
    """Says whether a source was found to agree with people in every language it judged."""
    rows = {one.judge: one.validation for one in told.judges}
    if told.panel is not None:
        rows[PANEL] = told.panel.validation
    if source == PANEL and len(told.estimates) == 1:
        source = told.estimates[0].source
    found = rows.get(source)
    return source in told.passed and found is not None and not found.unvalidated_languages


def _none(told: Judged) -> str | None:
    return None if told.estimates else NOBODY


def _judged(found: RatingEstimate, told: Judged, mde: float) -> RatingEstimate:
    why = told.blocked.get(found.source)
    named = judged(found, mde, why, is_trusted=is_validated(told, found.source))
    return msgspec.structs.replace(named, groups=()) if why else named


def asked_of(given: Gathered) -> Asked:
    """Gives what the plan fixed for all estimates."""
    plan = given.plan
    return Asked(
        arms=plan.arms,
        baseline=plan.baseline,
        mde=plan.mde,
        alpha=plan.alpha,
        power=plan.power,
        seed=plan.seed,
    )


def _people(
    choices: list[Choice], asked: Asked, blocked: str | None, source: str = PEOPLE
) -> RatingEstimate | None:
    if not choices:
        return None
    found = judged(estimate(source, choices, asked), asked.mde, blocked)
    if blocked is None:
        return found
    return msgspec.structs.replace(
        found,
        groups=(),
        arms=tuple(
            msgspec.structs.replace(arm, rank_best=None, rank_worst=None) for arm in found.arms
        ),
        notes=(*found.notes, f"no ranking: {blocked}"),
    )
