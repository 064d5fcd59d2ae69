"""What a plan says of its judges: what is wrong, what is doubtful, what asking them takes."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from pathlib import Path

import msgspec

from equipoise.blind.families import FamilyMap, families_of, read_families
from equipoise.blind.judge_texts import lint_texts
from equipoise.errors import InputError
from equipoise.pipeline.judging_terms import naming, place_of
from equipoise.records.catalog import MODEL_JUDGED, Catalog
from equipoise.records.packet import Asked, Option, Packet
from equipoise.records.plan import Plan
from equipoise.records.rating_plan import JudgePlan, PanelPlan, Policy
from equipoise.stages.grade.judges.asking import Question, posed
from equipoise.stages.grade.judges.inquiries import is_inquired, n_inquiries
from equipoise.stages.grade.judges.policies import faults as policy_faults
from equipoise.stages.grade.judges.policies import n_doubled, temperature_of, warnings
from equipoise.stages.plan.faults import Faults
from equipoise.stages.plan.outlook import JudgeOutlook
from equipoise.stages.plan.units import Unit
from equipoise.studies.loss.blinding import FAMILIES, names_hidden
from equipoise.studies.loss.judging_questions import ASK
from equipoise.studies.loss.running_asked import Adapters

SHOWN = 4_000
"""Characters of prompt and output together that the cost in an outlook takes for a text."""

_PER_TOKEN = 4


def with_families(plan: Plan, study: Path, faults: Faults) -> Plan:
    """Gives the plan with the family of each judge's model, as the family map has it.

    `faults` knows where each judge stands in the study file.

    Raises:
        InputError: no row of the map knows the model, or a judge has none: it may not judge.
    """
    panel = plan.judges
    if not isinstance(panel, PanelPlan):
        return plan
    families = read_families(study / FAMILIES)
    judges = tuple(
        msgspec.structs.replace(
            one, family=_family_of(one, families, faults.where(("judges", "judges", number)))
        )
        for number, one in enumerate(panel.judges)
    )
    panel = msgspec.structs.replace(panel, judges=judges, families_sha256=families.sha256)
    return msgspec.structs.replace(plan, judges=panel)


def _family_of(judge: JudgePlan, families: FamilyMap, where: str) -> str:
    with naming(judge.name, where):
        return families.judge_family(str(judge.model.get("model", "")))


def judge_faults(plan: Plan, catalog: Catalog, study: Path, faults: Faults) -> Iterator[str]:
    """Yields what is wrong with the judges of a plan, and with what they are to be asked."""
    if not isinstance(plan.judges, PanelPlan):
        return
    where = f"{faults.where(('judges',))}: field 'judges'"
    families = read_families(study / FAMILIES)
    for fault in policy_faults(plan.judges, 1):
        yield f"{where}: {fault}"
    judged = [one for one in catalog.categories if one.type == MODEL_JUDGED]
    if not judged:
        yield f"{where}: the catalog has no model_judged category; mend: leave judges out"
    for one in judged:
        if one.asked:
            continue  # what is asked has words of our own
        place = f"{plan.catalog_file}: category {one.id!r}"
        if not one.about.strip():
            yield (
                f"{place}: about is missing: it is all that a judge is told of the category; mend: "
                "say in a sentence what is true of a text that loses here"
            )
        try:
            lint_texts({f"{place}: about": one.about}, names_hidden(plan, study), families)
        except InputError as error:
            yield str(error)


def judge_outlook(
    plan: Plan,
    catalog: Catalog,
    study: Path,
    adapters: Adapters | None,
    today: date,
    units: Iterable[Unit],
) -> tuple[tuple[JudgeOutlook, ...], list[str]]:
    """Gives what each judge is asked and what that costs, and the doubts about them.

    `units` are those that are executed.
    """
    panel = plan.judges
    if not isinstance(panel, PanelPlan):
        return (), []
    executed = tuple(units)
    calls = _n_calls(plan, panel, catalog, executed)
    n_input = _n_input(panel, catalog, executed)
    found = []
    for judge in panel.judges:
        n = calls[judge.name]
        each = None
        if adapters is not None and adapters.price is not None:
            with naming(judge.name, place_of(study, judge.name)):
                each = adapters.price(judge, study, n_input, today)
        found.append(
            JudgeOutlook(
                judge=judge.name,
                model=str(judge.model["model"]),
                n_calls=n,
                n_retries=n * (panel.max_attempts - 1),
                n_input=n_input,
                usd=None if each is None else n * each,
            )
        )
    return tuple(found), [*warnings(panel), *_doubts(plan, panel), *_own(plan, panel, study)]


def _n_calls(
    plan: Plan, panel: PanelPlan, catalog: Catalog, units: Sequence[Unit]
) -> dict[str, int]:
    """Gives how often each judge is asked."""
    repetitions = {unit.id: unit.repetitions for unit in plan.units}
    of_units = [
        repetitions[unit.brief.unit]
        * sum(n_inquiries(catalog, unit.holdout.expected, arm.name) for arm in plan.arms)
        for unit in units
    ]
    n_twice = 0
    if panel.policy is Policy.DOUBLE:
        asked = sorted((n for n in of_units if n), reverse=True)
        n_twice = sum(asked[: n_doubled(len(asked), panel.double_rating_share)])
    names = [judge.name for judge in panel.judges]
    if len(names) == 1:
        return {names[0]: sum(of_units) + n_twice}
    return dict(zip(names, (sum(of_units), n_twice), strict=False))


def _own(plan: Plan, panel: PanelPlan, study: Path) -> Iterator[str]:
    """Yields which judges judge the work of their own family, as far as the plan tells."""
    known = read_families(study / FAMILIES)
    for judge in panel.judges:
        for arm in plan.arms:
            kind, spec = next(iter(arm.system.items()))
            model = spec.get("model") if isinstance(spec, dict) else None
            if kind not in {"model", "agent"} or not isinstance(model, str):
                continue
            shared = sorted(set(known.of(model)) & set(families_of(judge.family)))
            if shared:
                yield (
                    f"judge {judge.name} and the model of arm {arm.name} are of one family "
                    f"({', '.join(shared)}): judges favour what their own family wrote"
                )


def _doubts(plan: Plan, panel: PanelPlan) -> Iterator[str]:
    if panel.policy is Policy.SINGLE and plan.double_rating_share > 0:
        yield (
            "policy single rates nothing twice: unless people rate "
            f"{plan.double_rating_share:.0%} of the units too, the judged categories are "
            "`unbewertbar`; policy double does it"
        )
    is_alone = panel.policy is Policy.DOUBLE and len(panel.judges) == 1
    if is_alone and temperature_of(panel.judges[0]) == 0:
        yield (
            "one judge is asked twice at temperature 0: that shows how far it contradicts itself, "
            "not how far two judges differ; a second judge does"
        )


def _n_input(panel: PanelPlan, catalog: Catalog, units: Sequence[Unit]) -> int:
    """Gives the tokens of a question about a text of usual length, one for every four bytes.

    Where lists are held against experts', the longest of those.
    """
    about = [one.about for one in catalog.categories if one.type == MODEL_JUDGED]
    asked = units if is_inquired(catalog) else ()
    lists = [[str(item["text"]) for item in u.holdout.expected.get("items", ())] for u in asked]
    longest = max([about, *lists], key=lambda texts: sum(map(len, texts)))
    packet = Packet(
        id="p-0",
        axis="",
        ask=ASK,
        options=(Option(text=""),),
        criteria=tuple(Asked(id=str(n), text=text) for n, text in enumerate(longest)),
    )
    question = Question(packet=packet, judge="", template=panel.templates[0])
    words = posed(question, max_chars=panel.max_chars).messages
    n_bytes = sum(len(message.text.encode()) for message in words) + SHOWN
    return -(-n_bytes // _PER_TOKEN)
