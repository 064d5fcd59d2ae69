"""Cells of outcome studies, made up: what each reached, without anything being run."""

from collections.abc import Sequence
from typing import Any

from equipoise.records.hypothesis import Aim, Hypothesis
from equipoise.records.outcome import GroupResult, Kept, OutcomeResult
from equipoise.records.suite_run import SuiteStatus, TestOutcome, TestResult
from equipoise.records.terms import Rule

NEW, BASE = "with-skill", "bare"


def group(passed: Sequence[str], failed: Sequence[str], diff: str = "d" * 64) -> GroupResult:
    """A group of hidden tests by the names of those that passed and failed."""
    outcomes = {**dict.fromkeys(passed, True), **dict.fromkeys(failed, False)}
    return GroupResult(
        passed=len(passed),
        total=len(outcomes),
        per_test=tuple(
            TestResult(id=f"test_it.py::{name}", outcome=_OUTCOME[ok])
            for name, ok in sorted(outcomes.items())
        ),
        per_file={"test_it.py": (len(passed), len(outcomes))},
        status=SuiteStatus.SCORED,
        suite_sha256="5" * 64,
        diff_sha256=diff,
        document="e" * 64,
    )


_OUTCOME = {True: TestOutcome.PASSED, False: TestOutcome.FAILED}


def cell(scenario: str, arm: str, repetition: int = 1, **more: Any) -> OutcomeResult:
    """A cell in which nothing was measured but what is given."""
    given: dict[str, Any] = {
        "kind": "fix",
        "tier": "easy",
        "hidden_explicit": None,
        "hidden_implicit": None,
        "regression": Kept.NOT_APPLICABLE,
        "artifact": Kept.NOT_APPLICABLE,
        "checkpoint": Kept.NOT_APPLICABLE,
        "tokens_in": None,
        "tokens_out": None,
        "tokens_source": None,
        "turns": None,
        "wall_ms": None,
        "usd": None,
        "truncated": None,
        "tag": "measured",
        "ending": "completed",
    }
    named: dict[str, Any] = {"run_id": f"{arm}-1", "cell": f"{arm}-{scenario}-{repetition}"}
    return OutcomeResult(
        scenario=scenario,
        arm=arm,
        repetition=repetition,
        trial=f"trial-{arm}-{scenario}-{repetition}",
        **named,
        **(given | more),
    )


def arm(name: str, rates: Sequence[float], metric: str = "hidden_implicit") -> list[OutcomeResult]:
    """One cell for each scenario, with this pass rate."""
    return [cell(f"s{number:02}", name, rates={metric: rate}) for number, rate in enumerate(rates)]


def claim(aim: Aim, bound: float, n: int, *, name: str = "H1", **more: Any) -> Hypothesis:
    """A primary hypothesis over n scenarios."""
    is_bounded = aim in {Aim.BETTER, Aim.WORSE}
    given: dict[str, Any] = {
        "metric": "hidden_implicit",
        "primary": True,
        "rule": Rule.HOLM,
        "scenarios": tuple(f"s{number:02}" for number in range(n)),
    }
    return Hypothesis(
        id=name,
        statement="It holds.",
        direction=aim,
        threshold=bound if is_bounded else None,
        margin=None if is_bounded else bound,
        level=0.95,
        new=NEW,
        base=BASE,
        **(given | more),
    )
