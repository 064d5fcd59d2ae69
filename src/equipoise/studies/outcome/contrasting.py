"""Proves of two arms that nothing but their skills differs: both are rendered, and held together.

A difference is laid to the skills where it goes away with them: both arms are rendered as they are,
and again with their skills taken out. What still differs then is no skill.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from equipoise.errors import EquipoiseError, InputError
from equipoise.records.outcome_plan import Contrast, ContrastProof, Control
from equipoise.records.scenario import Scenario
from equipoise.stages.plan.faults import Faults
from equipoise.studies.outcome.prompts import prompt_of


class Render(Protocol):
    """Gives the parts of a session by an agent's specification, a unit and its prompt."""

    def __call__(
        self, spec: Mapping[str, Any], unit: str, prompt: str, arm: str = "arm"
    ) -> dict[str, str]:
        """Starts nothing; two arms are held together under one name."""
        ...


_NOT_HERE = "no_program"

_BY_SKILL = ("skills", "skill_forced")
_LONGEST = 160


def proofs_of(
    contrasts: Sequence[Contrast],
    specs: Mapping[str, Mapping[str, Any]],
    scenarios: Sequence[Scenario],
    render: Render,
) -> tuple[ContrastProof, ...]:
    """Renders every contrast that is about skills alone, for every scenario.

    Args:
        contrasts: the pairs of arms.
        specs: arm -> its agent's specification.
        scenarios: whose prompts are given.
        render: starts nothing.
    """
    return tuple(
        _proof(one, specs, scenario, render)
        for one in contrasts
        if one.control in {Control.L1, Control.L2}
        for scenario in scenarios
    )


def unrendered(
    specs: Mapping[str, Mapping[str, Any]],
    scenarios: Sequence[Scenario],
    render: Render,
    faults: Faults,
) -> Iterator[str]:
    """Yields the arms that could not begin a session in some scenario; a program may be missing."""
    for number, (arm, spec) in enumerate(specs.items()):
        whys: dict[str, list[str]] = {}
        for scenario in scenarios:
            try:
                render(spec, scenario.id, prompt_of(scenario), arm)
            except InputError as error:
                if error.code != _NOT_HERE:
                    why = str(error).removeprefix("study.yaml: ").replace(scenario.id, "…")
                    whys.setdefault(why, []).append(scenario.id)
        for why, units in whys.items():
            which = "any scenario" if len(units) == len(scenarios) else ", ".join(units)
            found, _, rest = why.partition("; wanted: ")
            wanted, _, mend = rest.partition("; mend: ")
            if not rest:
                found, _, mend = why.partition("; mend: ")
            yield faults.at(
                ("arms", number, "agent"),
                f"of {arm} cannot begin {which}: {found}",
                wanted=wanted,
                mend=mend or "change the agent",
            )


def unequal(proofs: Iterable[ContrastProof]) -> Iterator[str]:
    """Yields a fault for each pair of arms that differs in more than skills."""
    for one in proofs:
        if one.remains:
            yield (
                f"study.yaml: with their skills taken out, {one.new} and {one.base} still differ "
                f"for {one.scenario} in {'; '.join(one.remains)}; wanted: two arms that differ in "
                "their skills alone; mend: give both the same agent"
            )


def _proof(
    one: Contrast,
    specs: Mapping[str, Mapping[str, Any]],
    scenario: Scenario,
    render: Render,
) -> ContrastProof:
    prompt = prompt_of(scenario)
    pair = [dict(specs[one.new]), dict(specs[one.base])]
    bare = [{k: v for k, v in spec.items() if k not in _BY_SKILL} for spec in pair]
    try:
        new, base = (render(spec, scenario.id, prompt) for spec in pair)
        rest = [render(spec, scenario.id, prompt) for spec in bare]
    except EquipoiseError as error:
        return ContrastProof(
            new=one.new, base=one.base, scenario=scenario.id, why_not=str(error)[:_LONGEST]
        )
    return ContrastProof(
        new=one.new,
        base=one.base,
        scenario=scenario.id,
        shown=tuple(_differing(new, base)),
        remains=tuple(_differing(*rest)),
    )


def _differing(new: Mapping[str, str], base: Mapping[str, str]) -> Iterator[str]:
    for name in {**new, **base}:
        one, other = new.get(name), base.get(name)
        if one != other:
            yield f"{name}: {one or 'not there'} against {other or 'not there'}"[: 3 * _LONGEST]
