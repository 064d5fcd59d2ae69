"""From the folder of a rating study to its plan: reads what it names, makes what is promised."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from equipoise import __version__
from equipoise.blind.families import FamilyMap
from equipoise.blind.legal_judges import LegalJudges, legal_judges
from equipoise.blind.legal_page import legal_lines
from equipoise.blind.packets import shown_arms
from equipoise.pipeline.judging_terms import naming
from equipoise.pipeline.sealing import Promise
from equipoise.pipeline.study_files import STUDY, read_needed
from equipoise.records.codec import digest, pretty
from equipoise.records.packet import Asked
from equipoise.records.rating_plan import (
    AnnotatorPlan,
    AxisPlan,
    AxisPower,
    ChecksPlan,
    JudgePlan,
    PanelPlan,
    Policy,
    RatingPlan,
    SetKind,
)
from equipoise.stages.grade.judges.policies import faults as policy_faults
from equipoise.stages.grade.judges.policies import warnings as policy_warnings
from equipoise.stages.plan.faults import Faults, refuse
from equipoise.stages.plan.rating_checks import CheckTerms, check_sets
from equipoise.stages.plan.rating_draft import (
    PanelDraft,
    PanelJudgeDraft,
    RatedAxisDraft,
    RatingStudyDraft,
)
from equipoise.stages.plan.rating_grounds import groundless, grounds
from equipoise.stages.plan.rating_load import read_rating_study
from equipoise.stages.plan.rating_outlook import (
    RatingOutlook,
    Seen,
    axis_outlook,
    idle,
    list_outlook,
    rating_doubts,
    rating_remarks,
    told_checks,
)
from equipoise.stages.plan.rating_outputs import Outputs, read_outputs
from equipoise.stages.plan.rating_page import rating_plan_page
from equipoise.stages.plan.rating_power import PowerTerms, axis_power
from equipoise.stages.plan.rating_sets import AxisSets, SetTerms, axis_sets
from equipoise.stages.plan.rating_split import split_units
from equipoise.studies.rating.assigning import raters_of, tasks_of, with_retests
from equipoise.studies.rating.blinding import Blinded, blinded, lint_axes, study_families
from equipoise.studies.rating.judges_left import nobody_left, people_only

RATING_PAGE = "RATING-PLAN.md"
"""The plan of a rating study as people read it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedRating:
    """A plan, its bytes as the file has them, the outputs, and what it will be able to tell."""

    plan: RatingPlan
    content: bytes
    outputs: Outputs
    outlook: RatingOutlook
    page: str

    @property
    def promise(self) -> Promise:
        """What is sealed of it."""
        return Promise(content=self.content, page=self.page.encode(), page_name=RATING_PAGE)


def plan_rating(study: Path) -> PlannedRating:
    """Gives the plan of a rating study's folder; the same files give the same bytes.

    Raises:
        InputError: lists every fault of the study file or of the outputs; or an axis has no unit.
        Blocked: something the study needs is not there; names it.
    """
    text = read_needed(study / STUDY, "the study file")
    draft, faults = read_rating_study(text)
    content = read_needed(study / draft.outputs, "the outputs")
    families = study_families(study, draft.families or "")
    shown = _shown(draft, content, families)
    outputs = shown.outputs
    terms = _terms(draft)
    made = [axis_sets(_axis(axis), terms, outputs, n_sets=axis.sets) for axis in draft.axes]
    sets = [one for axis in made for one in axis.sets]
    checks = _checks(draft)
    sets += [one for axis in made for one in check_sets(axis, checks, terms, outputs)]
    panel = _panel(draft.judges, families, faults) if draft.judges else None
    refuse(_unfit(panel, terms.set_size, faults))
    plan = RatingPlan(
        **_promised(draft, terms),
        axes=tuple(one.axis for one in made),
        sets=tuple(sets),
        outputs_file=draft.outputs,
        outputs_sha256=digest(content),
        blinded_sha256=shown.sha256,
        panel=panel,
        threshold=_threshold(draft, outputs),
        tool_version=__version__,
        study_sha256=digest(text),
    )
    plan = with_retests(plan, outputs)
    plan = msgspec.structs.replace(plan, powers=_powers(plan, made, outputs))
    legal = _legal(plan, outputs, families)
    refuse(nobody_left(plan, legal, faults))
    planned = pretty(plan)
    named = lint_axes(plan.axes, shown, families, set_size=plan.set_size)
    outlook = _outlook(
        plan,
        made,
        outputs,
        sha256=digest(planned),
        legal=legal,
        unused=(*_unused(draft.judges), *_sized(draft), *_compared(draft)),
    )
    remarks = (*outlook.remarks, *shown.remarks, *named)
    outlook = msgspec.structs.replace(outlook, masked=shown.lines, remarks=remarks)
    return PlannedRating(
        plan=plan,
        content=planned,
        outputs=outputs,
        outlook=outlook,
        page=rating_plan_page(plan, outlook),
    )


def _shown(draft: RatingStudyDraft, content: bytes, families: FamilyMap) -> Blinded:
    name = Path(draft.outputs).name
    outputs = read_outputs(content, arms=draft.arms, longest=draft.longest, name=name)
    return blinded(outputs, arms=draft.arms, families=families, hidden=draft.hidden)


def _terms(draft: RatingStudyDraft) -> SetTerms:
    return SetTerms(
        arms=draft.arms,
        set_size=min(draft.set_size, len(draft.arms)),
        identical=draft.identical,
        seed=draft.seed,
    )


def _powers(plan: RatingPlan, made: list[AxisSets], outputs: Outputs) -> tuple[AxisPower, ...]:
    raters = raters_of(plan, outputs)
    terms = PowerTerms(
        n_arms=len(plan.arms),
        set_size=plan.set_size,
        mde=plan.mde,
        alpha=plan.alpha,
        power=plan.power,
        correlation=plan.correlation,
    )
    return tuple(
        axis_power(
            one.axis.name,
            [len(raters[each.id]) for each in one.sets],
            terms,
            clusters=[each.cluster or each.unit for each in one.sets],
            design=one.design.says,
        )
        for one in made
    )


def _legal(plan: RatingPlan, outputs: Outputs, families: FamilyMap) -> LegalJudges | None:
    if plan.panel is None:
        return None
    named = {judge.name: judge.family for judge in plan.panel.judges}
    listed = [output for by_arm in outputs.values() for output in by_arm.values()]
    return legal_judges(named, plan.sets, listed, families, policy=plan.panel.policy)


def _outlook(
    plan: RatingPlan,
    made: list[AxisSets],
    outputs: Outputs,
    *,
    sha256: str,
    legal: LegalJudges | None,
    unused: tuple[str, ...],
) -> RatingOutlook:
    raters = raters_of(plan, outputs)
    tasks = tasks_of(plan, outputs)
    by_id = {one.id: one for one in plan.sets}
    seen: Seen = {}
    for task in tasks:
        one = by_id[task.set]
        if one.kind is SetKind.STUDY:
            shown = shown_arms(one)
            arms = tuple(shown[place] for place in task.places)
            seen.setdefault(one.axis, []).append(arms)
    axes = tuple(
        axis_outlook(
            one,
            power,
            seen.get(one.axis.name, []),
            [raters[each.id] for each in one.sets],
            plan,
        )
        for one, power in zip(made, plan.powers, strict=True)
    )
    lists = tuple(
        list_outlook(person.name, [by_id[t.set].kind for t in tasks if t.annotator == person.name])
        for person in plan.annotators
    )
    listed = [output for by_arm in outputs.values() for output in by_arm.values()]
    return RatingOutlook(
        plan_sha256=sha256,
        title=plan.title,
        is_paired=plan.set_size == 2,
        axes=axes,
        lists=lists,
        checks=told_checks(plan),
        doubts=(
            *rating_doubts(plan, axes),
            *idle(lists),
            *people_only(plan, legal),
            *(told for axis in plan.axes for told in groundless(plan, axis, listed)),
        ),
        remarks=(
            *rating_remarks(plan, axes),
            *(f"{axis.name}: {told}" for axis in plan.axes for told in grounds(plan, axis, listed)),
            *(policy_warnings(plan.panel) if plan.panel else ()),
            *unused,
        ),
        legal=legal_lines(legal) if legal else (),
    )


def _promised(draft: RatingStudyDraft, terms: SetTerms) -> dict[str, Any]:
    """Gives the fields of the plan that stand in the study file as they are."""
    same = (
        *("kind", "title", "question", "seed", "arms", "baseline", "mde", "alpha", "power"),
        *("decides", "identical", "raters_per_set", "overlap", "retest", "agreement_min"),
        *("correlation", "longest", "is_simulated", "hidden"),
    )
    checks = draft.checks
    return {name: getattr(draft, name) for name in same} | {
        "set_size": terms.set_size,
        "annotators": tuple(
            AnnotatorPlan(name=one.name, axes=one.axes, languages=one.languages)
            for one in draft.annotators
        ),
        "checks": ChecksPlan(
            n_silent=checks.silent,
            need=checks.need,
            n_loud=checks.loud,
            n_tutorial=checks.tutorial,
            n_equal=checks.equal,
        ),
        "families_file": draft.families or "",
        "rules": tuple(rule.model_dump(by_alias=True) for rule in draft.rules),
    }


def _checks(draft: RatingStudyDraft) -> CheckTerms:
    return CheckTerms(
        n_silent=draft.checks.silent,
        n_loud=draft.checks.loud,
        n_tutorial=draft.checks.tutorial,
        n_equal=draft.checks.equal,
        warning=draft.checks.warning,
    )


def _axis(axis: RatedAxisDraft) -> AxisPlan:
    return AxisPlan(
        name=axis.name,
        ask=axis.ask,
        shows=axis.shows,
        shows_prompt=axis.shows_prompt,
        languages=axis.languages,
        criteria=tuple(Asked(id=one.id, text=one.text) for one in axis.criteria),
    )


def _threshold(draft: RatingStudyDraft, outputs: Outputs) -> dict[str, Any]:
    if draft.threshold is None:
        return {}
    asked = draft.threshold
    said = {"share": asked.calibration, "target": asked.target, "judge": asked.judge}
    parts = split_units(outputs, share=asked.calibration, seed=draft.seed)
    return {key: value for key, value in said.items() if value is not None} | dict(parts)


def _unfit(panel: PanelPlan | None, set_size: int, faults: Faults) -> Iterator[str]:
    """Yields what of the plan of judges breaks its policy."""
    for one in policy_faults(panel, set_size) if panel else ():
        found, _, mend = one.partition("; mend: ")
        yield faults.at(("judges",), f": {found}", mend=mend or "change it")


def _unused(draft: PanelDraft | None) -> Iterator[str]:
    """Yields the keys of judges that stand in the study file and that their policy never reads."""
    if draft is None:
        return
    policy = draft.policy
    asks = f"policy {policy} asks about each set once in each order of its texts"
    if "repeats" in draft.model_fields_set and policy is not Policy.PANEL:
        yield f"judges.repeats ({draft.repeats}) counts under policy panel alone; {asks}"
    if len(draft.templates) > 1 and policy is not Policy.PANEL:
        yield f"only the first of judges.templates is used ({draft.templates[0]}): {asks}"
    if "double_rating" in draft.model_fields_set and policy is not Policy.DOUBLE:
        yield f"judges.double_rating ({draft.double_rating:g}) counts under policy double alone"


def _sized(draft: RatingStudyDraft) -> Iterator[str]:
    """Says what size sets have where nobody wrote one."""
    if "set_size" not in draft.model_fields_set and len(draft.arms) < draft.set_size:
        yield (
            f"set_size is {draft.set_size} where none is written; there are {len(draft.arms)} "
            f"arms, so every set holds all {len(draft.arms)}"
        )


def _compared(draft: RatingStudyDraft) -> Iterator[str]:
    """Says what becomes of criteria here."""
    named = [axis.name for axis in draft.axes if axis.criteria]
    if named:
        yield (
            f"{', '.join(named)}: criteria stand beside the question, and outputs are compared by "
            "them; nobody scores an output by itself here: model_judged categories of a loss "
            "study do, see docs/how-to/judged-categories.md"
        )


def _family_of(judge: PanelJudgeDraft, families: FamilyMap, where: str) -> str:
    with naming(judge.name, where):
        return families.judge_family(str(judge.model.get("model", judge.name)))


def _panel(draft: PanelDraft, families: FamilyMap, faults: Faults) -> PanelPlan:
    return PanelPlan(
        policy=draft.policy,
        judges=tuple(
            JudgePlan(
                name=one.name,
                model=one.model,
                family=_family_of(one, families, faults.where(("judges", "judges", number))),
            )
            for number, one in enumerate(draft.judges)
        ),
        repeats=draft.repeats,
        templates=draft.templates,
        quorum=draft.quorum,
        max_unreadable=draft.max_unreadable,
        double_rating_share=draft.double_rating,
        families_sha256=families.sha256,
        max_attempts=draft.max_attempts,
        max_chars=draft.max_chars,
        max_usd=draft.max_usd,
        concurrency=draft.concurrency,
    )
