"""Proves scenarios: runs their hidden tests against the seed and against every patch there is."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

import msgspec

from equipoise import __version__
from equipoise.archive.durable import replace_file
from equipoise.errors import InputError, NotEstimable
from equipoise.ports.agents import Seed
from equipoise.ports.suites import SuiteAsked, Suites, hash_of
from equipoise.records.codec import decode, digest, encode, pretty
from equipoise.records.proof import Proof, ProofRun, Wanted
from equipoise.records.scenario import Scenario, ScenarioKind
from equipoise.records.suite_run import SuiteRun, SuiteStatus, TestOutcome
from equipoise.studies.outcome.expectations import hidden_groups
from equipoise.studies.outcome.packs import HIDDEN, PROOFS, SCENARIO, ReadPack
from equipoise.studies.outcome.proving_decompositions import decomposition_runs
from equipoise.studies.outcome.proving_gates import gate_runs
from equipoise.studies.outcome.proving_states import has_states, state_runs, told_beside

MakeSuites = Callable[[Path], AbstractContextManager[Suites]]
MakeSeed = Callable[[object], Seed]
Progress = Callable[[ProofRun], None]

RULES = "2"
"""The rules by which proofs are made: those made by others are stale."""

_OWN_TESTS = ("tests/**/*.py",)
_ZONES = ("", "Pacific/Kiritimati", "America/Adak", "Asia/Kathmandu")
"""Time zones of repeats: a day ahead, a day behind, and no whole hours apart."""
_MENDS = {
    "senior": "; what a senior engineer's solution cannot pass goes into the prompt and the "
    "explicit tests, or is deleted",
    "third_party": "; what cannot be known from the prompt alone goes into it, or is deleted",
}
_PASSED = frozenset({TestOutcome.PASSED})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """One run to be made: which tests, against which patch, and what has to come of it."""

    what: str
    group: str
    wanted: Wanted
    patch: str = ""
    repeat: int = 1
    is_clean: bool = False

    @property
    def order(self) -> int:
        """Gives in which order tests are run: in another one in each repeat."""
        return self.repeat - 1

    @property
    def zone(self) -> str:
        """Gives the time zone: another one in each repeat."""
        return _ZONES[(self.repeat - 1) % len(_ZONES)]

    @property
    def under(self) -> str:
        """Says what is not as usual in this repeat."""
        if self.repeat == 1:
            return ""
        order = "other way round" if self.order == 1 else f"shuffled by {self.order}"
        return f"{order}, TZ={self.zone}" if self.zone else order


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
    for case in _cases(scenario, repeats):
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
        lacking=tuple(_lacking(scenario)),
        tool_version=__version__,
    )


def rests_on(pack: ReadPack, scenario: Scenario, seed: Seed) -> dict[str, str]:
    """Gives what a proof rests on, by name: a proof of anything else is stale."""
    folder = pack.folder / pack.place(scenario)
    found = {
        "rules": RULES,
        "seed": seed.sha256,
        SCENARIO: digest(folder.joinpath(SCENARIO).read_bytes()),
    }
    if scenario.bug_id:
        found["bug"] = digest(encode(pack.bug(scenario)))
    if folder.joinpath(HIDDEN).is_dir():
        found[HIDDEN] = hash_of(folder / HIDDEN)
    if scenario.items:
        found[scenario.items] = digest(folder.joinpath(scenario.items).read_bytes())
    for name in _patches(scenario):
        found[name] = digest(folder.joinpath(name).read_bytes())
        beside = folder / told_beside(name)
        if beside.is_file():
            found[told_beside(name)] = digest(beside.read_bytes())
    return dict(sorted(found.items()))


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
        timeout_s=scenario.time_limit_s,
        sandboxes=sandboxes,
        environment={},
        seed=pack.seed(scenario),
        seed_sha256=seed.sha256,
        diff=b"",
        lease=f"proof-{scenario.id}",
    )


def write_proof(pack: ReadPack, proof: Proof) -> Path:
    """Writes a proof beside its pack, whole or not at all."""
    path = pack.folder / PROOFS / f"{proof.scenario}.json"
    path.parent.mkdir(exist_ok=True)
    replace_file(path, pretty(proof))
    return path


def proof_of(pack: ReadPack, scenario: Scenario, seed: Seed) -> tuple[Proof | None, str]:
    """Gives the stored proof of a scenario, and why it may not be run ("" = it may)."""
    path = pack.folder / PROOFS / f"{scenario.id}.json"
    if not path.is_file():
        return None, f"{scenario.id} was never proved; mend: equipoise prove {pack.folder}"
    proof = decode(path.read_bytes(), Proof, where=f"{PROOFS}/{path.name}")
    now = rests_on(pack, scenario, seed)
    changed = sorted(
        name for name in {*now, *proof.rests_on} if now.get(name) != proof.rests_on.get(name)
    )
    if changed:
        return proof, (
            f"the proof of {scenario.id} is stale: {', '.join(changed)} changed; mend: equipoise "
            f"prove {pack.folder}"
        )
    faults = proof.faults
    return proof, f"{scenario.id} is not proved: {'; '.join(faults)}" if faults else ""


def _cases(scenario: Scenario, repeats: int) -> Iterator[_Case]:
    groups = hidden_groups(scenario)
    yield _Case(what="own suite", group="regression", wanted=Wanted.ALL_PASS)
    yield from (_Case(what="red", group=group, wanted=Wanted.ALL_FAIL) for group in groups)
    if scenario.bug_id:
        yield from (
            _Case(what="clean", group=group, wanted=Wanted.ALL_PASS, is_clean=True)
            for group in groups
        )
    proofs = scenario.proofs
    if proofs is None:
        return
    yield from _right(groups, "reference", proofs.reference, repeats)
    yield from _right(groups, "senior", proofs.senior, 1)
    explicit = [group for group in groups if group == "explicit"]
    for what, patch in {"third_party": proofs.third_party, "literal": proofs.literal}.items():
        yield from (
            _Case(what=what, group=group, wanted=Wanted.ALL_PASS, patch=patch)
            for group in explicit
            if patch
        )
    if proofs.literal and "implicit" in groups:
        yield _Case(what="literal", group="implicit", wanted=Wanted.SOME_FAIL, patch=proofs.literal)
    for number, patch in enumerate(proofs.near_misses if groups else (), start=1):
        what = f"near-miss {number}"
        yield _Case(what=what, group="hidden", wanted=Wanted.SOME_FAIL, patch=patch)


def _right(groups: tuple[str, ...], what: str, patch: str | None, repeats: int) -> Iterator[_Case]:
    """Gives the runs of a solution that is right: everything passes, each time."""
    if not patch:
        return
    for repeat in range(1, repeats + 1):
        for group in groups:
            yield _Case(what=what, group=group, wanted=Wanted.ALL_PASS, patch=patch, repeat=repeat)
    yield _Case(what=what, group="regression", wanted=Wanted.ALL_PASS, patch=patch)


def _run(
    pack: ReadPack,
    scenario: Scenario,
    case: _Case,
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


def _told(case: _Case, run: SuiteRun | None, *, missing: str = "") -> ProofRun:
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
        faults=tuple(_run_faults(case, run)),
    )


def _run_faults(case: _Case, run: SuiteRun) -> Iterator[str]:
    if run.status is not SuiteStatus.SCORED:
        yield f"the run ended as {run.status.value}: {run.why or '; '.join(run.tampered)}"
        return
    if not run.tests:
        yield "no test was found"
        return
    passed = sorted(one.id for one in run.tests if one.outcome in _PASSED)
    failed = sorted(one.id for one in run.tests if one.outcome not in _PASSED)
    if case.wanted is Wanted.ALL_PASS and failed:
        told = f"{len(failed)} of {len(run.tests)} tests do not pass: {', '.join(failed[:5])}"
        yield told + _MENDS.get(case.what, "")
    if case.wanted is Wanted.ALL_FAIL and passed:
        yield f"green before anything was done: {', '.join(passed[:5])}"
    if case.wanted is Wanted.SOME_FAIL and not failed:
        yield "every test passes: they do not tell it from a right solution"


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


def _lacking(scenario: Scenario) -> Iterator[str]:
    proofs = scenario.proofs
    if proofs is None:
        yield "a reference solution (proofs.reference)"
        return
    if scenario.kind is ScenarioKind.FEATURE and hidden_groups(scenario):
        if not proofs.third_party:
            yield "the proof by somebody who read the need text alone (proofs.third_party)"
        if scenario.hidden_tests.implicit and not proofs.senior:
            yield "the proof of a senior engineer (proofs.senior)"
        if scenario.hidden_tests.implicit and not proofs.literal:
            yield "the literal-minded proof (proofs.literal)"
    if not proofs.near_misses:
        yield "a near miss that has to fail (proofs.near_misses)"


def _patches(scenario: Scenario) -> list[str]:
    proofs = scenario.proofs
    if proofs is None:
        return []
    given = (proofs.reference, proofs.third_party, proofs.literal, proofs.senior)
    return sorted({one for one in (*given, *proofs.near_misses) if one})
