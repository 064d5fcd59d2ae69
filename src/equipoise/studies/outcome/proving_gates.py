"""Proves gates: the commands of a definition of done can be run here, and the reference meets them.

What is not met by a solution that is right would fail everybody.
"""

from collections.abc import Iterator

import msgspec

from equipoise.errors import InputError, NotEstimable
from equipoise.ports.agents import Seed
from equipoise.ports.suites import GateAsked, GateCommandAsked, Suites
from equipoise.records.gate_run import GateRun
from equipoise.records.proof import ProofRun, Wanted
from equipoise.records.scenario import Scenario
from equipoise.records.suite_run import SuiteStatus, TestOutcome
from equipoise.studies.outcome.packs import ReadPack

GROUP = "gate"
"""The group of proof runs whose tests are commands of a gate."""


def gate_runs(
    pack: ReadPack, scenario: Scenario, seed: Seed, suites: Suites, sandboxes: tuple[str, ...]
) -> Iterator[ProofRun]:
    """Yields the proof of a scenario's gate: the reference meets every core command.

    Args:
        pack: the pack.
        scenario: one of its scenarios.
        seed: the seed that it starts from.
        suites: runs the commands.
        sandboxes: those that are allowed.
    """
    if not scenario.dod_gate or scenario.proofs is None:
        return
    told = ProofRun(what="reference", group=GROUP, wanted=Wanted.ALL_PASS)
    asked = GateAsked(
        commands=tuple(
            GateCommandAsked(id=one.id, command=one.command, is_core=one.is_core)
            for one in scenario.dod_gate
        ),
        timeout_s=scenario.time_limit_s,
        own_s=0.0,
        sandboxes=sandboxes,
        seed=pack.seed(scenario),
        seed_sha256=seed.sha256,
        diff=(pack.folder / pack.place(scenario) / scenario.proofs.reference).read_bytes(),
        lease=f"proof-{scenario.id}-gate",
    )
    try:
        run = suites.gate(asked)
    except (NotEstimable, InputError, OSError) as error:
        yield msgspec.structs.replace(told, missing=str(error))
        return
    yield msgspec.structs.replace(
        told,
        status=SuiteStatus.SCORED,
        tests={
            one.id: TestOutcome.PASSED if one.is_met else TestOutcome.FAILED
            for one in run.results
            if one.is_core
        },
        isolation=run.isolation,
        faults=tuple(_faults(run)),
    )


def _faults(run: GateRun) -> Iterator[str]:
    for one in run.results:
        if one.is_core and not one.is_met:
            how = f"exit code {one.exit_code}" if one.exit_code is not None else one.how
            yield f"the core command {one.id!r} is not met by the reference: {how}; {one.said}"[
                :300
            ]
