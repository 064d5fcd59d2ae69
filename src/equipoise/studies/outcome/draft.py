"""The draft of an outcome study: every key of its `study.yaml`, as types."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from equipoise.records.hypothesis import Aim
from equipoise.records.scenario import ScenarioKind
from equipoise.records.terms import Rule
from equipoise.stages.plan.draft import BudgetDraft, Name, Text, Truth


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class OutcomeArm(_Strict):
    """One arm: an agent, and the skill of the pack that it is given, if any.

    Args:
        name: of the arm.
        agent: harness, model, provider and switches, as an arm of kind `agent` has them; prompt,
            seed and artifacts come from the pack.
        skill: a folder below the pack's `skills`.
    """

    name: Name
    agent: dict[str, Any]
    skill: Text | None = None

    @model_validator(mode="after")
    def _from_the_pack(self) -> "OutcomeArm":
        given = sorted({"prompt", "seed", "artifacts"} & set(self.agent))
        if given:
            raise ValueError(f"{', '.join(given)} of the agent come from the pack; leave them out")
        return self


class HypothesisDraft(_Strict):
    """What is claimed beforehand: of which metric, of which arms, how far, over which scenarios.

    Args:
        id: such as H3.
        statement: the claim in words.
        metric: a criterion, main, hidden, loss, or a resource.
        direction: better, worse, not_worse or equivalent.
        threshold: of better and worse; a gain beyond it is claimed.
        margin: of not_worse and equivalent.
        primary: whether it belongs to the family that carries the claim.
        new, base: arms; base is the study's baseline without it.
        kinds, scenarios: only these count.
    """

    id: Name
    statement: Text
    metric: Text
    direction: Aim
    threshold: Annotated[float | None, Field(ge=0.0, lt=1.0, allow_inf_nan=False)] = None
    margin: Annotated[float | None, Field(gt=0.0, lt=1.0, allow_inf_nan=False)] = None
    primary: Truth = False
    new: Name | None = None
    base: Name | None = None
    kinds: tuple[ScenarioKind, ...] = ()
    scenarios: tuple[Name, ...] = ()

    @model_validator(mode="after")
    def _one_bound(self) -> "HypothesisDraft":
        wants_margin = self.direction in {Aim.NOT_WORSE, Aim.EQUIVALENT}
        needed, other = ("margin", "threshold") if wants_margin else ("threshold", "margin")
        if getattr(self, other) is not None:
            raise ValueError(
                f"{self.direction.value} stands beside {other}; write {needed} instead"
            )
        if wants_margin and self.margin is None:
            raise ValueError(
                f"{self.direction.value} needs a difference that does not count; write margin: 0.1"
            )
        return self


class OutcomeDraft(_Strict):
    """Every key of the `study.yaml` of an outcome study."""

    kind: Literal["outcome"]
    title: Text
    question: Text
    seed: Annotated[int, Field(ge=0, lt=2**63)]
    pack: Text
    scenarios: tuple[Name, ...] = ()
    arms: Annotated[tuple[OutcomeArm, ...], Field(min_length=1)]
    baseline: Name
    repetitions: Annotated[int, Field(ge=3, le=1000)] = 3
    mde: Annotated[float, Field(gt=0.0, lt=1.0)] = 0.3
    hypotheses: tuple[HypothesisDraft, ...] = ()
    family: Literal[Rule.HOLM, Rule.BONFERRONI] = Rule.HOLM
    budget: BudgetDraft = BudgetDraft(cell_timeout_s=900.0)
    environment: tuple[Text, ...] = ()
    is_simulated: Truth = False


EXAMPLES = {
    "kind": "kind: outcome",
    "title": "title: Is the skill worth having?",
    "question": "question: Do hidden tests pass more often with the skill than without?",
    "seed": "seed: 7",
    "pack": "pack: pack (a folder of the study)",
    "scenarios": "scenarios: [i01-last-day-missing]",
    "arms": "arms: with name and agent each",
    "agent": "agent: {harness: claude-code, model: MODEL-ID, provider: anthropic}",
    "skill": "skill: NAME (a folder pack/skills/NAME)",
    "baseline": "baseline: the name of an arm",
    "hypotheses": "hypotheses: with id, statement, metric and direction each",
    "statement": "statement: With the skill, more implicit requirements are met",
    "metric": "metric: hidden",
    "direction": "direction: better, worse, not_worse or equivalent",
    "threshold": "threshold: 0.1",
    "margin": "margin: 0.1",
    "primary": "primary: true or false",
    "repetitions": "repetitions: 3",
    "family": "family: holm",
}
"""Key -> what might stand there."""
