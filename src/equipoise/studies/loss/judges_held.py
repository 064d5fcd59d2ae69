"""What stands of a loss study's judges on every page: held against people, by which record."""

from collections.abc import Iterator, Sequence

from equipoise.records.catalog import MODEL_JUDGED, Catalog, Category
from equipoise.records.codec import digest
from equipoise.records.event import Rating
from equipoise.records.judge_held import JudgeHeld
from equipoise.records.plan import Plan
from equipoise.records.rating_plan import JudgePlan, PanelPlan
from equipoise.records.trial import Trial
from equipoise.stages.estimate.loss.judges_held import (
    FEWEST_UNITS,
    HeldUnder,
    RatedOutput,
    judge_held,
)
from equipoise.studies.loss.scoring import LossRun, is_judged_by_stand_ins

_JUDGE = "judge:"


def judges_held(plan: Plan, catalog: Catalog, runs: Sequence[LossRun]) -> tuple[JudgeHeld, ...]:
    """Holds each judge of the plan against people under each model-judged category.

    Only what raters said in these runs counts: people's findings are in their archives like those
    of judges. Without any of people there is nothing to hold judges against.

    Args:
        plan: the study's.
        catalog: the one that the runs were graded under.
        runs: the runs that are compared.
    """
    panel = plan.judges
    judged = [one for one in catalog.categories if one.type == MODEL_JUDGED]
    if not isinstance(panel, PanelPlan) or not judged:
        return ()
    names = {catalog.criterion(one.id): one.id for one in judged}
    rated: dict[tuple[str, str], dict[str, float]] = {}
    where: dict[str, tuple[str, str]] = {}
    for run in runs:
        for rating in run.archive.read(Rating):
            if category := names.get(rating.criterion):
                rated.setdefault((rating.trial, category), {}).setdefault(
                    rating.rater, rating.value
                )
    if not any(not _is_judge(rater) for said in rated.values() for rater in said):
        return ()
    for run in runs:
        where |= {trial.id: (trial.unit, trial.arm) for trial in run.archive.read(Trial)}
    is_simulated = any(is_judged_by_stand_ins(run, catalog) for run in runs)
    return tuple(
        judge_held(
            HeldUnder(
                judge=judge.name,
                model=str(judge.model.get("model", "")),
                category=category.id,
                about_sha256=about_sha256(category),
                is_simulated=is_simulated,
            ),
            [
                _output(where[trial], said)
                for (trial, name), said in sorted(rated.items())
                if name == category.id and trial in where
            ],
        )
        for judge in panel.judges
        for category in judged
    )


def about_sha256(category: Category) -> str:
    """Gives the hash of all that a judge is told of a category."""
    return digest(category.about.strip().encode())


def _is_judge(rater: str) -> bool:
    return rater.startswith(_JUDGE)


def _output(where: tuple[str, str], said: dict[str, float]) -> RatedOutput:
    return RatedOutput(
        unit=where[0],
        arm=where[1],
        people={rater: value for rater, value in said.items() if not _is_judge(rater)},
        judges={r.removeprefix(_JUDGE): v for r, v in said.items() if _is_judge(r)},
    )


def trusted(plan: Plan, held: Sequence[JudgeHeld]) -> frozenset[str]:
    """Gives the categories that every judge of the plan was found to agree with people on.

    By people's grades in these runs, or by the record of an earlier validation that the plan names;
    where these runs show the contrary, no earlier record helps.
    """
    panel = plan.judges
    if not isinstance(panel, PanelPlan):
        return frozenset()
    found: dict[str, list[bool]] = {}
    for judge in panel.judges:
        own = {one.category: one for one in held if one.judge == judge.name}
        named = judge.validation.categories if judge.validation else ()
        for category in {*own, *named}:
            found.setdefault(category, []).append(_is_trusted(own.get(category), category in named))
    return frozenset(
        name for name, each in found.items() if len(each) == len(panel.judges) and all(each)
    )


def _is_trusted(own: JudgeHeld | None, is_named: bool) -> bool:
    if own is not None and own.passed:
        return True
    is_refuted = own is not None and _could_have_passed(own)
    return is_named and not is_refuted


def _could_have_passed(own: JudgeHeld) -> bool:
    """Says whether people rated enough for the judge to fail by what it said."""
    return own.n_units >= FEWEST_UNITS and own.beyond is not None and own.ceiling is not None


def told_of_judges(
    plan: Plan, catalog: Catalog, held: Sequence[JudgeHeld], *, is_simulated: bool
) -> Iterator[str]:
    """Yields what has to stand on every page that rests on model judges."""
    panel = plan.judges
    if isinstance(panel, PanelPlan):
        judged = [one.id for one in catalog.categories if one.type == MODEL_JUDGED]
        known = trusted(plan, held)
        if lacking := [name for name in judged if name not in known]:
            named = ", ".join(judge.name for judge in panel.judges)
            yield (
                f"[soft] judge not validated: what {named} found under {', '.join(lacking)} was "
                f"not shown to agree with people{_why(held, lacking)}"
            )
        for judge in panel.judges:
            yield from _told(judge, [one for one in held if one.judge == judge.name])
    if is_simulated:
        yield "[simulated] the judges are stand-ins: what they found shows nothing"


def _why(held: Sequence[JudgeHeld], lacking: Sequence[str]) -> str:
    whys = {why for one in held if one.category in lacking for why in one.failed}
    return f" ({'; '.join(sorted(whys))})" if whys else ""


def _told(judge: JudgePlan, held: Sequence[JudgeHeld]) -> Iterator[str]:
    for one in held:
        if one.passed and one.beyond is not None:
            yield (
                f"judge {judge.name} was held against {one.n_people} people on {one.n_units} units "
                f"under {one.category}: J {one.beyond:.2f} beside their {one.ceiling or 0.0:.2f}"
            )
    record = judge.validation
    if record is not None:
        mark = "[simulated] " if record.is_simulated else ""
        yield (
            f"{mark}judge {judge.name} was validated before, {record.said}; the plan takes that "
            f"for {', '.join(record.categories)} (sha256 {record.sha256[:16]}…)"
        )
