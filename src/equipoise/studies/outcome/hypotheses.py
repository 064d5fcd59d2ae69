"""From what `study.yaml` claims to the hypotheses of the plan, each held against what is there."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from equipoise.errors import NotEstimable, nearest
from equipoise.records.hypothesis import Aim, Hypothesis
from equipoise.records.outcome_plan import Contrast, Control
from equipoise.records.scenario import Scenario, ScenarioKind
from equipoise.records.terms import Rule
from equipoise.stages.plan.faults import Faults, refuse
from equipoise.stages.plan.outcome_page import LEAST_REPETITIONS, LEAST_SCENARIOS
from equipoise.stats.signflip_reach import detectable_share, smallest_p
from equipoise.studies.outcome.draft import HypothesisDraft, OutcomeArm, OutcomeDraft
from equipoise.studies.outcome.metrics import DIAGNOSTIC, METRICS, Metric

_LEVEL = 0.95
_CONTROLS = {
    Control.L1: "one agent twice, with two versions of the same skills",
    Control.L2: "one agent twice, with skills and without",
    Control.L3: "one harness with two models, the one with skills and the other without",
    Control.MIXED: "arms that differ in several things",
}


def hypotheses_of(
    draft: OutcomeDraft,
    scenarios: Sequence[Scenario],
    contrasts: Sequence[Contrast],
    faults: Faults,
) -> tuple[Hypothesis, ...]:
    """Gives the hypotheses of a study; none where it claims nothing and is exploratory.

    Args:
        draft: the study.
        scenarios: that count for its claims.
        contrasts: its pairs of arms.
        faults: knows where the keys of the study stand.

    Raises:
        InputError: lists every claim that could not be decided, whatever came out.
    """
    if not draft.hypotheses:
        return ()
    found = [*_of_all(draft, faults)]
    held: list[Hypothesis] = []
    n_primary = max(1, sum(one.primary for one in draft.hypotheses))
    for number, one in enumerate(draft.hypotheses):
        against = _Held(draft, one, tuple(scenarios), tuple(contrasts), faults, number)
        told = [*against.faults()]
        found += told
        if not told:
            held.append(against.made(n_primary))
    refuse(found)
    return tuple(held)


def _of_all(draft: OutcomeDraft, faults: Faults) -> Iterator[str]:
    seen: set[str] = set()
    for number, one in enumerate(draft.hypotheses):
        if one.id in seen:
            yield faults.at(
                ("hypotheses", number, "id"), f"is {one.id!r} a second time", mend="name it apart"
            )
        seen.add(one.id)
    if not any(one.primary for one in draft.hypotheses):
        yield faults.at(
            ("hypotheses",),
            "has no primary hypothesis, so that nothing carries the claim",
            wanted="one, or a few that share the level",
            mend="write primary: true in the one that the study is about",
        )


@dataclass(frozen=True, slots=True)
class _Held:
    """One claim, and all it is held against."""

    draft: OutcomeDraft
    one: HypothesisDraft
    scenarios: tuple[Scenario, ...]
    contrasts: tuple[Contrast, ...]
    all_faults: Faults
    number: int

    def faults(self) -> Iterator[str]:
        if self.one.metric not in METRICS:
            yield self._unknown_metric()
        yield from self._arms()
        yield from self._control()
        yield from self._filters()
        if self.one.metric in METRICS:
            yield from self._metric(METRICS[self.one.metric])

    def made(self, n_primary: int) -> Hypothesis:
        one, counted = self.one, [scenario.id for scenario in self._counted()]
        repetitions = self.draft.repetitions
        alpha = (1.0 - _LEVEL) / (n_primary if one.primary else 1)
        is_bounded = one.direction in {Aim.BETTER, Aim.WORSE}
        return Hypothesis(
            id=one.id,
            statement=one.statement,
            metric=one.metric,
            direction=one.direction,
            threshold=(one.threshold or 0.0) if is_bounded else None,
            margin=one.margin,
            primary=one.primary,
            rule=Rule(self.draft.family) if one.primary else None,
            level=_LEVEL,
            new=self._new() or "",
            base=self._base(),
            scenarios=tuple(counted),
            is_judged=METRICS[one.metric].is_judged or self._is_judged_main(),
            is_underpowered=len(counted) < LEAST_SCENARIOS or repetitions < LEAST_REPETITIONS,
            smallest_p=smallest_p(len(counted)) / (2.0 if one.direction is Aim.EQUIVALENT else 1.0),
            detectable=_detectable(len(counted), alpha, one.threshold or 0.0)
            if is_bounded
            else None,
        )

    def _at(self, key: str, found: str, *, wanted: str = "", mend: str) -> str:
        path = ("hypotheses", self.number, key)
        return self.all_faults.at(path, found, wanted=wanted, mend=mend)

    def _base(self) -> str:
        return self.one.base or self.draft.baseline

    def _new(self) -> str | None:
        others = [arm.name for arm in self.draft.arms if arm.name != self._base()]
        return self.one.new or (others[0] if len(others) == 1 else None)

    def _arm(self, name: str | None) -> OutcomeArm | None:
        return next((arm for arm in self.draft.arms if arm.name == name), None)

    def _counted(self) -> list[Scenario]:
        """Gives the scenarios of the claim that its metric can tell something of."""
        metric, one = METRICS[self.one.metric], self.one
        return [
            scenario
            for scenario in self.scenarios
            if metric.applies(scenario)
            and (not one.kinds or scenario.kind in one.kinds)
            and (not one.scenarios or scenario.id in one.scenarios)
        ]

    def _is_judged_main(self) -> bool:
        kinds = {scenario.kind for scenario in self._counted()}
        return self.one.metric in {"main", "loss"} and ScenarioKind.DECOMPOSE in kinds

    def _unknown_metric(self) -> str:
        metric = self.one.metric
        if metric == DIAGNOSTIC:
            return self._at(
                "metric",
                f"is {DIAGNOSTIC}, a diagnostic",
                wanted="a metric that can decide",
                mend="write metric: decomposition",
            )
        return self._at(
            "metric",
            f"is {metric!r}, which nothing measures",
            wanted=f"one of {', '.join(METRICS)}",
            mend=nearest(metric, list(METRICS)) or "write one of these",
        )

    def _arms(self) -> Iterator[str]:
        names = [arm.name for arm in self.draft.arms]
        for key, name in (("new", self.one.new), ("base", self.one.base)):
            if name is not None and name not in names:
                yield self._at(
                    key,
                    f"is {name!r}, which is no arm",
                    wanted=f"one of {', '.join(names)}",
                    mend=nearest(name, names) or "write one of these",
                )
        if self._base() not in names:
            return  # the baseline itself is refused
        if self._new() is None:
            yield self._at(
                "new",
                "is missing",
                wanted=f"the arm that is held against {self._base()}",
                mend=f"write new: one of {', '.join(n for n in names if n != self._base())}"
                if len(names) > 1
                else "add a second arm",
            )
        elif self._new() == self._base():
            yield self._at("new", f"and base are both {self._base()!r}", mend="name two arms")

    def _control(self) -> Iterator[str]:
        wanted = self.one.control
        pair = (self._new(), self._base())
        found = next((one for one in self.contrasts if (one.new, one.base) == pair), None)
        if wanted is None or found is None:
            return
        if wanted is found.control:
            yield from self._costs(found)
            return
        parts = [*found.differs, *([f"skills: {found.skills}"] if found.skills else [])]
        yield self._at(
            "control",
            f"is {wanted.value}, and {found.new} and {found.base} differ in "
            f"{'; '.join(parts) or 'nothing'}",
            wanted=_CONTROLS[wanted],
            mend="make the arms so, or leave control out",
        )

    def _costs(self, pair: Contrast) -> Iterator[str]:
        """Yields a fault where value for money is asked and only one side of it is claimed."""
        if pair.control is not Control.L3:
            return
        sides = {"outcome": False, "usd": False}
        for one in self.draft.hypotheses:
            held = _Held(
                self.draft, one, self.scenarios, self.contrasts, self.all_faults, self.number
            )
            if (held._new(), held._base()) == (pair.new, pair.base):
                sides["usd" if one.metric in {"usd", "tokens"} else "outcome"] = True
        if not sides["usd"]:
            yield self._at(
                "control",
                "is L3, and no hypothesis holds what the two arms cost against each other",
                wanted="the outcome and the cost of both",
                mend="add one with metric: usd, direction: better and a threshold",
            )
        if not sides["outcome"]:
            yield self._at(
                "control",
                "is L3, and no hypothesis says that the outcome is no worse",
                wanted="the outcome and the cost of both",
                mend="add one with metric: main, direction: equivalent and a margin",
            )

    def _filters(self) -> Iterator[str]:
        known = [scenario.id for scenario in self.scenarios]
        for name in self.one.scenarios:
            if name not in known:
                yield self._at(
                    "scenarios",
                    f"names {name!r}, which does not count here",
                    wanted=f"some of {', '.join(known)}",
                    mend=nearest(name, known) or "leave it out",
                )

    def _metric(self, metric: Metric) -> Iterator[str]:
        name = self.one.metric
        if not self._counted() and not [*self._filters()]:
            yield self._at(
                "metric",
                f"is {name}, and no scenario that counts can be scored by it",
                wanted="at least one such scenario",
                mend="change metric, kinds or scenarios",
            )
        bare = [
            arm.name
            for arm in (self._arm(self._new()), self._arm(self._base()))
            if arm is not None and not arm.skill
        ]
        if metric.needs_skill and bare:
            yield self._at(
                "metric",
                f"is {name}, which has no meaning for {' and '.join(bare)}: only a skill asks for "
                "its documents",
                wanted="a metric that both arms can reach, such as hidden",
                mend="write metric: main, or set two arms with a skill against each other",
            )
        kinds = {scenario.kind for scenario in self._counted()}
        is_all_judged = kinds <= {ScenarioKind.DECOMPOSE}
        if self.one.primary and metric.is_judged and not is_all_judged:
            yield self._at(
                "metric",
                f"is {name}, which a model judges, in a primary hypothesis",
                wanted="a metric that a test decides, where there are tests",
                mend="write primary: false, or kinds: [decompose]",
            )


def _detectable(n: int, alpha: float, threshold: float) -> float | None:
    """Gives the gain that is found with 80 %; null where none is."""
    try:
        return round(detectable_share(n, alpha, threshold=threshold), 4)
    except NotEstimable:
        return None
