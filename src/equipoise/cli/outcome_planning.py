"""Compiles an outcome study from its pack, before it is planned and sealed as any study."""

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from equipoise.cli.kinds import OUTCOME, kind_of

if TYPE_CHECKING:
    from equipoise.records.event import Seal
    from equipoise.records.plan import ArmPlan


def compile_outcome(study: Path) -> None:
    """Writes what an outcome study is compiled to; does nothing for a study of another kind.

    Raises:
        InputError: the study, its pack or a scenario has faults.
        Blocked: a scenario is not proved, or something that the study needs is missing.
    """
    if kind_of(study) != OUTCOME:
        return
    from equipoise.studies.outcome.compiling import compiled, write_files
    from equipoise.wiring.packs import seeds_in
    from equipoise.wiring.rendering import rendered

    with seeds_in(study) as seed_of:
        made = compiled(study, seed_of, partial(rendered, study))
    write_files(study, made)


def lacking(study: Path, arms: Iterable["ArmPlan"]) -> str:
    """Gives what this machine lacks to run and grade an outcome study; empty = nothing."""
    if kind_of(study) != OUTCOME:
        return ""
    from equipoise.cli.doctor_agents import of_arms
    from equipoise.wiring.suites import tests_available

    lacks: dict[tuple[str, str], list[str]] = {}
    for one in of_arms({arm.name: arm.system for arm in arms}, study):
        what, _, arm = one.name.partition(" of arm ")
        if not one.is_there:
            lacks.setdefault((what, f"{one.found}; mend: {one.mend}"), []).append(arm)
    told = [f"{what} of {', '.join(names)}: {said}" for (what, said), names in lacks.items()]
    found = tests_available()
    if not found.is_available:
        told.append(f"hidden tests (for `equipoise grade`): {found.why_not}; mend: {found.mend}")
    lines = "".join(f"  - {one.removesuffix('; mend: as said')}\n" for one in told)
    return f"what this machine lacks\n{lines}" if told else ""


def register(study: Path, seal: "Seal") -> tuple[int, tuple[str, ...]] | None:
    """Writes the hypotheses of an outcome study with its seal.

    Gives how many there are, and why some cannot be confirmed, whatever comes out; null for a
    study of another kind.
    """
    if kind_of(study) != OUTCOME:
        return None
    from equipoise.pipeline.study_files import PLAN
    from equipoise.records.codec import decode
    from equipoise.records.outcome_plan import OutcomePlan
    from equipoise.records.plan import Plan
    from equipoise.studies.outcome.promising import BEYOND, registered_of, write_registered

    plan = decode(study.joinpath(PLAN).read_bytes(), Plan, where=PLAN)
    write_registered(study, plan, seal)
    doubts = () if not isinstance(plan.outcome, OutcomePlan) else plan.outcome.doubts
    beyond = tuple(one for one in doubts if BEYOND in one)
    return len(registered_of(plan, seal)), beyond
