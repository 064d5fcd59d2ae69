"""The draft of an outcome study: every key of its `study.yaml`, as types."""

from pathlib import PurePosixPath
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from equipoise.records.hypothesis import Aim
from equipoise.records.outcome_plan import Control, Phase
from equipoise.records.scenario import ScenarioKind
from equipoise.stages.plan.draft import (
    BudgetDraft,
    JudgesDraft,
    Name,
    Positive,
    Share,
    Text,
    Truth,
)


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def _as_range(value: Any) -> Any:
    return value if isinstance(value, list | tuple) else [value]


_Range = Annotated[
    tuple[Positive, ...], BeforeValidator(_as_range), Field(min_length=1, max_length=2)
]
"""One number, or from and to."""


class SkillDraft(_Strict):
    """A skill as an arm names it; the agent sees the same name whichever version it is.

    Args:
        name: of the folder; `pack/skills/NAME` without version or path.
        version: the folder `pack/skills/versions/VERSION/NAME` instead.
        path: any folder of the study that ends in NAME instead.
    """

    name: Name
    version: Name | None = None
    path: Text | None = None

    @model_validator(mode="after")
    def _one_place(self) -> "SkillDraft":
        if self.version is not None and self.path is not None:
            raise ValueError("version stands beside path; write one of them")
        if self.path is not None and PurePosixPath(self.path).name != self.name:
            raise ValueError(
                f"path {self.path!r} does not end in {self.name!r}, and the agent sees the "
                f"folder's name; write a path that ends in {self.name}"
            )
        return self


def _as_skills(value: Any) -> Any:
    """Gives a list of skills for a name, a mapping, or a list of such."""
    found = value if isinstance(value, list | tuple) else [value]
    return [{"name": one} if isinstance(one, str) else one for one in found]


class OutcomeArm(_Strict):
    """One arm: an agent, and the skills of the pack that it is given, if any.

    Args:
        name: of the arm.
        agent: harness, model, provider and switches, as an arm of kind `agent` has them; prompt,
            seed, skills and artifacts come from the pack.
        skill: a skill by its name, or with its version or path; or several of them.
    """

    name: Name
    agent: dict[str, Any]
    skill: Annotated[tuple[SkillDraft, ...], BeforeValidator(_as_skills)] = ()

    @model_validator(mode="after")
    def _from_the_pack(self) -> "OutcomeArm":
        given = sorted({"prompt", "seed", "artifacts", "skills"} & set(self.agent))
        if given:
            it = "comes" if len(given) == 1 else "come"
            raise ValueError(
                f"agent has {', '.join(given)}, which {it} from the pack; leave it out"
            )
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
        control: what kind of control its arms have to be.
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
    control: Control | None = None

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


class CellDraft(_Strict):
    """What a cell is expected to take: one number, or from and to.

    Args:
        tokens: of all calls together.
        usd: US dollars.
    """

    tokens: _Range | None = None
    usd: _Range | None = None

    @model_validator(mode="after")
    def _from_below(self) -> "CellDraft":
        for key in ("tokens", "usd"):
            given = getattr(self, key)
            if given is not None and given[0] > given[-1]:
                raise ValueError(f"{key} goes from {given[0]:g} down to {given[-1]:g}; turn it")
        return self


class OutcomeDraft(_Strict):
    """Every key of the `study.yaml` of an outcome study.

    Args:
        phase: P0 to P3; the study has to be what that is made of.
        after: the folder of the finished study that the phase rests on.
        optimises: the folder of a finished study that this one was changed after.
        final: whether its claim rests on scenarios that are held out.
        without_stops: why no scenario is run in which stopping is right; else one has to be.
        onboarding: false = agents work without the overlay that says how work is done.
        expected_cell: what a cell will take, as far as somebody knows.
        anti_mock: how the preflight tells an agent from a stub, as a loss study has it; not named =
            each arm is asked twice to say a word back, {} = it is given scenarios of the study.
    """

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
    family: Literal["holm", "bonferroni"] = "holm"
    budget: BudgetDraft = BudgetDraft(cell_timeout_s=900.0)
    onboarding: Truth = True
    judges: JudgesDraft | None = None
    double_rating: Share = 0.20
    phase: Phase | None = None
    after: Text | None = None
    optimises: Text | None = None
    final: Truth = False
    without_stops: Text | None = None
    expected_cell: CellDraft | None = None
    environment: tuple[Text, ...] = ()
    anti_mock: dict[str, Any] | None = None
    is_simulated: Truth = False

    @model_validator(mode="after")
    def _all_are_run(self) -> "OutcomeDraft":
        if self.budget.sample is not None:
            raise ValueError(
                "budget.sample draws units, and every scenario of the study is run; name those "
                "under scenarios"
            )
        return self


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
    "phase": "phase: P0",
    "after": "after: ../p0",
    "optimises": "optimises: ../study-1",
    "final": "final: true",
    "onboarding": "onboarding: false",
    "without_stops": "without_stops: They are run in a study of their own",
    "expected_cell": "expected_cell: {tokens: [50000, 200000], usd: [0.5, 2]}",
    "tokens": "tokens: [50000, 200000]",
    "usd": "usd: [0.5, 2]",
}
"""Key -> what might stand there."""


def outcome_study_schema() -> dict[str, Any]:
    """Gives the JSON Schema of an outcome study's file, for editors that complete and check."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Equipoise outcome study",
    } | OutcomeDraft.model_json_schema(mode="validation")
