"""Reads the record of an earlier validation that a study names for a judge: what it speaks for."""

from pathlib import Path

import msgspec

from equipoise.errors import EquipoiseError, InputError
from equipoise.pipeline.study_files import read_needed
from equipoise.records.catalog import MODEL_JUDGED, Catalog
from equipoise.records.codec import decode, digest
from equipoise.records.judge_held import JudgeRecord
from equipoise.records.plan import Plan
from equipoise.records.ranking import Ranking
from equipoise.records.rating_plan import JudgePlan, PanelPlan
from equipoise.records.suite import LossComparison
from equipoise.studies.loss.judges_held import about_sha256


def with_records(plan: Plan, catalog: Catalog, study: Path) -> Plan:
    """Gives the plan with what the records that it names for its judges say.

    Raises:
        Blocked: a record is missing.
        InputError: it is none, or does not speak for this judge.
    """
    panel = plan.judges
    if not isinstance(panel, PanelPlan):
        return plan
    judges = tuple(_with_record(judge, catalog, study) for judge in panel.judges)
    return msgspec.structs.replace(plan, judges=msgspec.structs.replace(panel, judges=judges))


def _with_record(judge: JudgePlan, catalog: Catalog, study: Path) -> JudgePlan:
    named = judge.validation
    if named is None:
        return judge
    where = f"study.yaml: judge {judge.name!r}: validation"
    content = read_needed(study / named.file, "the record of a judge's validation")
    named = msgspec.structs.replace(named, sha256=digest(content))
    judged = {one.id for one in catalog.categories if one.type == MODEL_JUDGED}
    if strange := sorted(set(named.categories) - judged):
        raise InputError(
            f"categories {strange}",
            wanted=f"model-judged categories of the catalog: {', '.join(sorted(judged))}",
            where=where,
            code="unknown_category",
        )
    kind = _kind(content, where)
    found = (
        _by_ranking(judge, named, content, where)
        if kind == "rating"
        else _by_comparison(judge, named, content, (catalog, where))
    )
    return msgspec.structs.replace(judge, validation=found)


def _kind(content: bytes, where: str) -> str:
    try:
        found = msgspec.json.decode(content)
    except msgspec.DecodeError as error:
        raise InputError(
            "the file is no JSON",
            wanted="ranking.json of a rating study, or regressions.json of a loss study",
            where=where,
            code="no_record",
        ) from error
    return str(found.get("kind", "")) if isinstance(found, dict) else ""


def _by_ranking(judge: JudgePlan, named: JudgeRecord, content: bytes, where: str) -> JudgeRecord:
    ranking = decode(content, Ranking, where=where)
    model = str(judge.model.get("model", ""))
    axes = {axis.axis: axis for axis in ranking.axes}
    if named.axis not in axes or not named.categories:
        raise InputError(
            f"axis {named.axis!r} for {list(named.categories)}",
            wanted=f"one of the axes {', '.join(axes)}, and the categories that it speaks for",
            mend="write axis and categories: that the axis asks the same is what you say",
            where=where,
            code="no_axis",
        )
    rows = [row for row in axes[named.axis].judges if model in row.models]
    held = next((row for row in rows if row.validation is not None), None)
    if held is None or held.validation is None:
        asked = sorted({name for row in axes[named.axis].judges for name in row.models})
        raise InputError(
            f"the record holds no judge of model {model}",
            wanted=f"one of {', '.join(asked) or 'the judges that it held against people'}",
            where=where,
            code="other_model",
        )
    _refuse_failed(held.validation.passed, held.validation.failed, ranking.seal, where)
    top1, n_sets = held.validation.top1 or 0.0, held.validation.n_sets
    said = (
        f"in comparing outputs and not in scoring them, on axis {named.axis} of "
        f"{ranking.title!r}: top choice of people in {top1:.0%} of {n_sets} sets"
    )
    return msgspec.structs.replace(
        named, said=said, is_simulated=held.is_simulated or ranking.is_simulated
    )


def _by_comparison(
    judge: JudgePlan, named: JudgeRecord, content: bytes, given: tuple[Catalog, str]
) -> JudgeRecord:
    catalog, where = given
    try:
        earlier = decode(content, LossComparison, where=where)
    except EquipoiseError as error:
        raise InputError(
            f"the file is no record of a validation ({error})",
            wanted="ranking.json of a rating study, or regressions.json of a loss study",
            where=where,
            code="no_record",
        ) from error
    model = str(judge.model.get("model", ""))
    about = {one.id: about_sha256(one) for one in catalog.categories if one.type == MODEL_JUDGED}
    rows = {
        one.category: one
        for one in earlier.judges
        if one.model == model and about.get(one.category) == one.about_sha256
    }
    wanted = named.categories or tuple(sorted(rows))
    if lacking := [name for name in wanted if name not in rows] or not wanted:
        raise InputError(
            f"the record holds no judge of model {model} against people under "
            f"{lacking if wanted else 'a category of this catalog, with the same sentence'}",
            wanted="the same model, and categories with the same words in `about`",
            where=where,
            code="other_judge",
        )
    for name in wanted:
        _refuse_failed(rows[name].passed, rows[name].failed, "sealed", where)
    some = [rows[name] for name in wanted]
    said = (
        f"in run {earlier.run_id}: J "
        f"{', '.join(f'{one.beyond or 0.0:.2f} ({one.category})' for one in some)} on "
        f"{min(one.n_units for one in some)} units or more"
    )
    return msgspec.structs.replace(
        named, categories=wanted, said=said, is_simulated=any(one.is_simulated for one in some)
    )


def _refuse_failed(passed: bool, failed: tuple[str, ...], seal: str, where: str) -> None:
    whys = [*failed, *([] if seal else ["its plan was not sealed"])]
    if not passed or whys:
        raise InputError(
            f"the judge did not pass there: {'; '.join(whys) or 'no reason is kept'}",
            wanted="a validation that was passed",
            mend="leave validation out: what the judge finds is [soft] then",
            where=where,
            code="not_validated",
        )
