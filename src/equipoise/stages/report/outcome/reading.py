"""An outcome comparison in reading order, and the sentences that its pages repeat."""

from dataclasses import dataclass
from typing import NamedTuple

from equipoise.records.outcome import OutcomeResult
from equipoise.records.outcome_report import ArmOutcome, CaseVerdict, OutcomeFile, RateOf
from equipoise.records.plan import Plan
from equipoise.records.suite import LossComparison

CRITERIA = {
    "hidden_explicit": "hidden tests, explicit",
    "hidden_implicit": "hidden tests, implicit",
    "regression": "the seed's own suite",
    "end_state": "end state",
    "checkpoint": "checkpoint obeyed",
    "artifact": "documents keep their contracts",
    "dod_gate": "definition of done",
    "root_cause": "root cause, by keywords",
    "root_cause_judge": "root cause, by a judge",
    "decomposition": "decomposition covered",
    "decomposition_obvious": "decomposition covered, obvious items",
    "decomposition_edge": "decomposition covered, edge items",
    "dependency_order": "dependencies in order",
    "acceptance_criteria": "acceptance criteria can be checked",
    "token_recall": "shared words (diagnostic)",
    "loss": "all parts, as the catalog weighs them",
    "main": "main metric",
    "hidden": "hidden tests",
    "tokens": "tokens",
    "usd": "US dollars",
    "turns": "turns",
    "wall_ms": "wall time",
}
"""Criterion or metric -> its name on pages."""

AUTHOR_BIAS = (
    "Seeds, tasks and hidden tests have authors, and their taste favours some solutions. Both arms "
    "meet the same ones, so the difference between arms stands; a pass rate by itself says how an "
    "arm does on this pack, not elsewhere."
)

ORIGINS = {
    "fork": (
        "Contamination: the seeds of this pack are forks of public projects. Models may have seen "
        "the code, its history and its mendings; pass rates may be recall."
    ),
    "snapshot": (
        "Supplementary track: the seeds are snapshots of a private project. What is found here "
        "stands beside a built pack, not in its place."
    ),
}

PROXY = (
    "Proxy only: nothing here was decided by a hidden test or an end state. Whether the delivered "
    "work is better stays open."
)

_OUTCOMES = ("hidden_explicit", "hidden_implicit", "end_state", "decomposition")


LEAST_GAIN = 1e-9
"""What is nearer to 0 is no gain and no loss, but a number that was rounded."""


class Moved(NamedTuple):
    """The main metric of one scenario in the new and in the base arm, means of repetitions.

    Null where no cell of an arm tells. `tag` is ``soft`` where a model judged a part of it.
    """

    scenario: str
    new: float | None
    base: float | None
    tag: str = "measured"

    @property
    def gain(self) -> float | None:
        """Gives new minus base; null where one of them is not known."""
        return None if self.new is None or self.base is None else self.new - self.base


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeReading:
    """Everything that a page of an outcome comparison shows.

    `cases` are scenario by criterion, for pipelines; `moved` is the main metric of each scenario.
    """

    file: OutcomeFile
    plan: Plan
    comparison: LossComparison
    results: tuple[OutcomeResult, ...]
    origin: str
    cases: tuple[CaseVerdict, ...] = ()
    moved: tuple[Moved, ...] = ()

    @property
    def pair(self) -> tuple[ArmOutcome, ...]:
        """Gives the base and the new arm, then the others."""
        order = {self.file.base_arm: 0, self.file.new_arm: 1}
        return tuple(sorted(self.file.arms, key=lambda arm: (order.get(arm.arm, 2), arm.arm)))

    @property
    def is_simulated(self) -> bool:
        """Says whether any arm is a stand-in."""
        return self.plan.is_simulated or any(arm.is_simulated for arm in self.file.arms)

    @property
    def is_proxy(self) -> bool:
        """Says whether nothing that an outcome study is about was measured in any arm."""
        return not any(
            rate.criterion in _OUTCOMES and rate.value is not None
            for arm in self.file.arms
            for rate in arm.rates
        )


def rate_of(arm: ArmOutcome, criterion: str, tier: str = "") -> RateOf | None:
    """Gives a pass rate of an arm, as a whole or in a tier; null where it has none."""
    found = (one for one in arm.rates if (one.criterion, one.tier) == (criterion, tier))
    return next(found, None)
