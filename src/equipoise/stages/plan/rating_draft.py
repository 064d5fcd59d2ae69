"""The draft of a rating study: every key of its `study.yaml`, as types."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from equipoise.records.rating_plan import Policy
from equipoise.stages.plan.draft import Count, Name, Positive, Share, Text, Truth

LARGEST_SET = 8
"""The most outputs that people are asked to hold against each other at once."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class CriterionDraft(_Strict):
    """One criterion that judges score an output under, in neutral words."""

    id: Name
    text: Text


class RatedAxisDraft(_Strict):
    """One axis: a task of its own, with its own sets and its own ranking.

    Args:
        name: what the ranking is called.
        ask: the question that raters see.
        shows: documents of an output that stand beside the texts, such as source.
        shows_prompt: whether the prompt stands there too.
        languages: units are asked about where all that is shown is in one of these; none = all.
        sets: number of study sets; without it every unit has one.
        criteria: what model judges are asked of each.
    """

    name: Name
    ask: Text
    shows: tuple[Text, ...] = ()
    shows_prompt: Truth = False
    languages: tuple[Text, ...] = ()
    sets: Count | None = None
    criteria: tuple[CriterionDraft, ...] = ()


class AnnotatorDraft(_Strict):
    """One person who rates: on which axes, and which languages he reads; none = all."""

    name: Name
    axes: tuple[Text, ...] = ()
    languages: tuple[Text, ...] = ()


class ChecksDraft(_Strict):
    """Attention checks on each axis; see docs/how-to/rating-study.md.

    Args:
        silent: sets with a spoiled text; what is answered is only recorded.
        need: how many of them must be right.
        loud: such sets in which a wrong answer is told and asked again.
        tutorial: such sets at the beginning, which may be skipped.
        equal: sets with one text twice.
        warning: what is told after a wrong answer.
    """

    silent: Annotated[int, Field(ge=0, le=100)] = 0
    need: Annotated[int, Field(ge=0, le=100)] = 0
    loud: Annotated[int, Field(ge=0, le=100)] = 0
    tutorial: Annotated[int, Field(ge=0, le=20)] = 0
    equal: Annotated[int, Field(ge=0, le=100)] = 0
    warning: Text = "The words of one of these texts are in disorder: it is the worst."

    @model_validator(mode="after")
    def _can_be_passed(self) -> "ChecksDraft":
        if self.need > self.silent:
            raise ValueError(
                f"need is {self.need} of {self.silent} silent checks; nobody could pass: write a "
                "need of at most silent"
            )
        return self


class PanelJudgeDraft(_Strict):
    """One model judge: its name, and its model as an arm of kind model has it."""

    name: Name
    model: dict[str, Any]


class PanelDraft(_Strict):
    """The model judges and how they are asked.

    Args:
        policy: single, double or panel.
        judges: the judges; the family of each model is looked up in families.yaml.
        repeats: how often each is asked about a set under policy panel, as often in each order.
        templates: wordings of the question, each as often.
        quorum: share of the repeats that a verdict needs.
        max_unreadable: a judge with a larger share of answers that cannot be read is not used.
        double_rating: share of the sets that are judged twice under policy double.
        max_attempts: how often it is asked where an answer cannot be read.
        max_chars: of each text so many characters are shown.
        max_usd: what all judges together may cost.
        concurrency: questions at the same time.
    """

    policy: Policy
    judges: Annotated[tuple[PanelJudgeDraft, ...], Field(min_length=1)]
    repeats: Annotated[int, Field(ge=1, le=1000)] = 12
    templates: Annotated[tuple[Text, ...], Field(min_length=1)] = ("plain",)
    quorum: Share = 0.5
    max_unreadable: Share = 0.05
    double_rating: Share = 0.20
    max_attempts: Annotated[int, Field(ge=1, le=10)] = 3
    max_chars: Annotated[int, Field(ge=100, le=10_000_000)] = 50_000
    max_usd: Positive | None = None
    concurrency: Annotated[int, Field(ge=1, le=256)] = 4


class ThresholdDraft(_Strict):
    """A threshold of a score, chosen on one part of the units and reported on the other.

    Args:
        calibration: share of the clusters on which it is chosen.
        target: the win rate that it is to reach with people.
        judge: whose score it is a threshold of.
    """

    calibration: Annotated[float, Field(gt=0.0, lt=1.0)] = 0.5
    target: Annotated[float | None, Field(gt=0.0, lt=1.0)] = None
    judge: Text | None = None


class RuleDraft(_Strict):
    """A promise on one axis: that an arm is superior, or not inferior, to the baseline there."""

    arm: Name
    axis: Name
    is_: Annotated[Literal["superior", "non-inferior", "equivalent"], Field(alias="is")]
    margin: Annotated[float, Field(ge=0.0, le=2.0)] = 0.0


class RatingStudyDraft(_Strict):
    """Every key of `study.yaml` of a rating study; see docs/reference/rating-files.md."""

    kind: Literal["rating"]
    title: Text
    question: Text
    seed: Annotated[int, Field(ge=0, lt=2**63)]
    outputs: Text
    arms: Annotated[tuple[Name, ...], Field(min_length=2)]
    baseline: Name
    axes: Annotated[tuple[RatedAxisDraft, ...], Field(min_length=1)]
    set_size: Annotated[int, Field(ge=2, le=LARGEST_SET)] = 4
    identical: Literal["credit-both", "drop"] = "credit-both"
    longest: Annotated[int, Field(ge=1, le=100_000)] = 1500
    mde: Annotated[float, Field(gt=0.0, le=2.0)] = 0.3
    alpha: Annotated[float, Field(gt=0.0, lt=0.5)] = 0.05
    power: Annotated[float, Field(gt=0.0, lt=1.0)] = 0.8
    correlation: Annotated[float, Field(ge=0.0, lt=1.0)] = 0.2
    decides: Text = "people"
    annotators: tuple[AnnotatorDraft, ...] = ()
    raters_per_set: Annotated[int, Field(ge=1, le=100)] = 3
    overlap: Share = 1.0
    retest: Annotated[float, Field(ge=0.0, le=0.5)] = 0.10
    checks: ChecksDraft = ChecksDraft()
    agreement_min: Annotated[float | None, Field(gt=-1.0, le=1.0)] = None
    judges: PanelDraft | None = None
    families: Text | None = None
    hidden: tuple[Text, ...] = ()
    threshold: ThresholdDraft | None = None
    rules: tuple[RuleDraft, ...] = ()
    is_simulated: Truth = False


def rating_study_schema() -> dict[str, Any]:
    """Gives the JSON Schema of the study file, for editors that complete and check."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Equipoise rating study",
    } | RatingStudyDraft.model_json_schema(mode="validation")
