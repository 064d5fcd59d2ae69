"""What asking the judges of a rating study will take: questions, and what they cost at most."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from equipoise.pipeline.judging_terms import naming, place_of
from equipoise.records.rating_plan import JudgePlan
from equipoise.stages.grade.judges.asking import posed
from equipoise.studies.rating.blinding import study_families
from equipoise.studies.rating.judging import legal_of, questions_of
from equipoise.studies.rating.planning import PlannedRating

Price = Callable[[JudgePlan, Path, int, date], float | None]
"""Gives what one answer of a judge costs at most, by the study's folder, so many tokens of the
question, and the day; null = nobody knows."""

_PER_TOKEN = 4
_NOBODY = bytes(32)
"""A secret that names no packet: only their sizes matter here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeTakes:
    """One judge: how many questions it is asked, up to how many more where answers cannot be read.

    `n_input` is the tokens of all its questions, one for every four bytes; `usd` what they cost at
    most with the longest answers, null where no price is known.
    """

    judge: str
    model: str
    n_questions: int
    n_retries: int
    n_input: int
    usd: float | None


def judges_take(study: Path, planned: PlannedRating, price: Price, today: date) -> list[JudgeTakes]:
    """Gives what each judge of a plan is asked, and what that costs.

    Raises:
        InputError: a judge's provider is none, or its options are wrong.
    """
    plan, panel = planned.plan, planned.plan.panel
    if panel is None:
        return []
    families = study_families(study, plan.families_file)
    legal = legal_of(plan, panel, planned.outputs, families)
    sizes: dict[str, list[int]] = {judge.name: [] for judge in panel.judges}
    for question, _ in questions_of(plan, planned.outputs, legal.allowed, _NOBODY):
        words = posed(question, max_chars=panel.max_chars).messages
        n_bytes = sum(len(message.text.encode("utf-8", "replace")) for message in words)
        sizes[question.judge].append(-(-n_bytes // _PER_TOKEN))
    found = []
    for judge in panel.judges:
        with naming(judge.name, place_of(study, judge.name)):
            each = [price(judge, study, n, today) for n in sorted(set(sizes[judge.name])) or [1]]
        costs = dict(zip(sorted(set(sizes[judge.name])), each, strict=False))
        known = [costs[n] for n in sizes[judge.name]]
        usd = None if None in known else sum(cost for cost in known if cost is not None)
        found.append(
            JudgeTakes(
                judge=judge.name,
                model=str(judge.model.get("model")),
                n_questions=len(sizes[judge.name]),
                n_retries=len(sizes[judge.name]) * (panel.max_attempts - 1),
                n_input=sum(sizes[judge.name]),
                usd=usd,
            )
        )
    return found
