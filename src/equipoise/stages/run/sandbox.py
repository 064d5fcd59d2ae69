"""The sandbox preflight: what the system sees is what the plan lists, and nothing of production."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from equipoise.records.plan import Plan

_PRODUCTION = re.compile(r"(?:^|[^A-Za-z])(?:prod|production|live)(?:$|[^A-Za-z])", re.IGNORECASE)
_SECRET_LENGTH = 8
"""A forbidden value shorter than this is too common to be recognised elsewhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What a system would be started with.

    `ours` is the environment of this process, `given` what the system would get of it, `observed`
    what a program started in the same way reported of its environment (null: none is started).
    `state_fault` says why the state could not be put back, if so.
    """

    ours: Mapping[str, str]
    given: Mapping[str, str]
    observed: Mapping[str, str] | None = None
    state_fault: str = ""


def sandbox_faults(plan: Plan, around: Surroundings) -> list[str]:
    """Gives everything that speaks against starting the system; empty = the preflight passes."""
    return [
        *_listed(plan),
        *_leaks(plan.forbidden_environment, around),
        *_state(plan, around),
        *_observed(around),
    ]


def _listed(plan: Plan) -> Iterator[str]:
    for name in plan.environment:
        if name in plan.forbidden_environment:
            yield f"{name} is forbidden, and listed for the system; mend: take it off the list"
        elif _PRODUCTION.search(name):
            yield (
                f"{name} looks like a key of production, and is listed for the system; mend: give "
                "the system a key of its own under another name"
            )


def _leaks(forbidden: Iterable[str], around: Surroundings) -> Iterator[str]:
    for name in forbidden:
        secret = around.ours.get(name, "")
        if len(secret) < _SECRET_LENGTH:
            continue
        for other, value in around.given.items():
            if other != name and secret in value:
                yield (
                    f"{other} holds the value of {name}, which is forbidden; mend: give the system "
                    "a key of its own"
                )


def _state(plan: Plan, around: Surroundings) -> Iterator[str]:
    if plan.state is None:
        return
    if around.state_fault:
        yield f"the state {plan.state.kind} cannot be put back: {around.state_fault}"
    target = plan.state.target
    for name in plan.forbidden_environment:
        value = around.ours.get(name, "")
        if value and value == target:
            yield (
                f"the state {plan.state.kind} is where {name} points to, which is forbidden; mend: "
                "name a copy as the state"
            )
    if _PRODUCTION.search(target):
        yield (
            f"the state {plan.state.kind} is called {_masked(target)}, which looks like production;"
            " mend: run against a copy with another name"
        )


def _observed(around: Surroundings) -> Iterator[str]:
    if around.observed is None:
        return
    for name in sorted(around.observed.keys() - around.given.keys()):
        yield f"a program started as the system is sees {name}, which is not listed"
    for name in sorted(around.given.keys() - around.observed.keys()):
        yield f"a program started as the system is does not see {name}, which is listed"


def _masked(target: str) -> str:
    return re.sub(r"//[^@/]*@", "//…@", target)
