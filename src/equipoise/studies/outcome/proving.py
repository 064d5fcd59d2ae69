"""Proves scenarios: runs their hidden tests against the seed and against every patch there is."""

from collections.abc import Callable
from dataclasses import replace
from itertools import chain

import msgspec

from equipoise import __version__
from equipoise.errors import InputError, NotEstimable
from equipoise.ports.agents import Seed
from equipoise.ports.suites import SuiteAsked, Suites
from equipoise.records.proof import Proof, ProofRun
from equipoise.records.scenario import Scenario
from equipoise.records.suite_run import SuiteRun, TestOutcome
from equipoise.studies.outcome.packs import HIDDEN, MakeSeed, ReadPack
from equipoise.studies.outcome.proof_cases import Case, cases_of, lacking, run_faults
from equipoise.studies.outcome.proof_files import rests_on
from equipoise.studies.outcome.proving_decompositions import decomposition_runs
from equipoise.studies.outcome.proving_gates import gate_runs
from equipoise.studies.outcome.proving_states import has_states, state_runs

Progress = Callable[[ProofRun], None]

_OWN_TESTS = ("tests/**/*.py",)
_MOST_S = 120.0
"""Tests take seconds; those that take longer than this do not end."""


def prove(
    pack: ReadPack,
    scenario: Scenario,
    suites: Suites,
    seed_of: MakeSeed,
    *,
    repeats: int = 2,
    sandboxes: tuple[str, ...] = ("bubblewrap",),
    on_run: Progress | None = None,
) -> Proof:
    """Runs every proof of a scenario.

    Args:
        pack: the pack.
        scenario: one of its scenarios.
        suites: runs hidden tests; its folder is the pack's.
        seed_of: gives a seed by its specification.
        repeats: how often the reference is run, to find tests that are not the same each time.
        sandboxes: those that are allowed.
        on_run: is told of each run as it ends.
    """
    seed = seed_of(pack.seed(scenario))
    runs = []
    for case in cases_of(scenario, repeats):
        used = seed_of(pack.seed(scenario, is_clean=True)) if case.is_clean else seed
        found = _run(pack, scenario, case, used, suites, sandboxes)
        runs.append(found)
        if on_run is not None:
            on_run(found)
    beside = [state_runs(pack, scenario, seed)] if has_states(pack, scenario) else []
    beside += [gate_runs(pack, scenario, seed, suites, sandboxes)]
    beside += [decomposition_runs(pack, scenario, seed)] if scenario.items else []
    for found in chain.from_iterable(beside):
        runs.append(found)
        if on_run is not None:
            on_run(found)
    return Proof(
        scenario=scenario.id,
        rests_on=rests_on(pack, scenario, seed),
        runs=_told_flaky(runs),
        lacking=tuple(lacking(scenario)),
        tool_version=__version__,
    )


def asked_of(
    pack: ReadPack, scenario: Scenario, seed: Seed, sandboxes: tuple[str, ...]
) -> SuiteAsked:
    """Gives a run of all hidden tests of a scenario against its seed as it is."""
    return SuiteAsked(
        tests=f"{pack.place(scenario)}/{HIDDEN}",
        seed_tests=(),
        reference="",
        paths=(".", "src"),
        allowed=("**",),
        kept=(),
        is_apart=True,
        python="",
        command=(),
        at="",
        must_fail=(),
        timeout_s=min(_MOST_S, scenario.time_limit_s),
        sandboxes=sandboxes,
        environment={},
        seed=pack.seed(scenario),
        seed_sha256=seed.sha256,
        diff=b"",
        lease=f"proof-{scenario.id}",
    )


def _run(
    pack: ReadPack,
    scenario: Scenario,
    case: Case,
    seed: Seed,
    suites: Suites,
    sandboxes: tuple[str, ...],
) -> ProofRun:
    folder = pack.place(scenario)
    diff = pack.folder.joinpath(folder, case.patch).read_bytes() if case.patch else b""
    tests = {"regression": "", "hidden": f"{folder}/{HIDDEN}"}
    asked = replace(
        asked_of(pack, scenario, seed, sandboxes),
        tests=tests.get(case.group, f"{folder}/{HIDDEN}/{case.group}"),
        seed_tests=_OWN_TESTS if case.group == "regression" else (),
        is_apart=case.group != "regression",
        environment={"TZ": case.zone} if case.zone else {},
        seed=pack.seed(scenario, is_clean=case.is_clean),
        diff=diff,
        lease=f"proof-{scenario.id}-{case.what.replace(' ', '-')}-{case.group}-{case.repeat}",
        order=case.order,
    )
    try:
        run = suites.run(asked)
    except (NotEstimable, InputError) as error:
        return _told(case, None, missing=str(error))
    return _told(case, run)


def _told(case: Case, run: SuiteRun | None, *, missing: str = "") -> ProofRun:
    told = ProofRun(
        what=case.what,
        group=case.group,
        wanted=case.wanted,
        repeat=case.repeat,
        under=case.under,
        missing=missing,
    )
    if run is None:
        return told
    return msgspec.structs.replace(
        told,
        status=run.status,
        tests=dict(sorted((one.id, one.outcome) for one in run.tests)),
        isolation=run.isolation,
        is_apart=run.is_apart,
        faults=tuple(run_faults(case, run)),
    )


def _told_flaky(runs: list[ProofRun]) -> tuple[ProofRun, ...]:
    """Adds to the later repeats what is another than in the first one."""
    first: dict[tuple[str, str], dict[str, TestOutcome]] = {}
    found = []
    for one in runs:
        before = first.setdefault((one.what, one.group), one.tests)
        flaky = sorted(
            name for name in {*before, *one.tests} if before.get(name) != one.tests.get(name)
        )
        told = [f"not the same in every repeat: {', '.join(flaky[:5])}"] if flaky else []
        found.append(msgspec.structs.replace(one, faults=(*one.faults, *told)))
    return tuple(found)
