"""The draft of an outcome study: every key of its `study.yaml`, as types."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

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
    budget: BudgetDraft = BudgetDraft(cell_timeout_s=900.0)
    environment: tuple[Text, ...] = ()
    is_simulated: Truth = False
