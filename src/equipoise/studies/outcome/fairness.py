"""Shows that a scenario is fair: its proofs, where its bug lies, what its hidden tests notice."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import msgspec

from equipoise.errors import InputError, NotEstimable
from equipoise.ports.agents import Seed
from equipoise.ports.probes import Probes
from equipoise.ports.suites import Suites
from equipoise.records.lint import Corner, Mutation, Survivor
from equipoise.records.notice import Notice, Severity
from equipoise.records.proof import Proof, ProofRun
from equipoise.records.scenario import Scenario
from equipoise.records.suite_run import SuiteRun, TestOutcome
from equipoise.studies.outcome.lints.channels import channels
from equipoise.studies.outcome.lints.corners import corner
from equipoise.studies.outcome.lints.leaks import given_away, leaks
from equipoise.studies.outcome.lints.mutants import Mutant, mutants, spread
from equipoise.studies.outcome.lints.trees import Tree, tree_of
from equipoise.studies.outcome.packs import HIDDEN, MakeSeed, ReadPack
from equipoise.studies.outcome.proving import asked_of, prove

MOST_MUTANTS = 12
"""So many spoilt references are tried of a scenario."""
_MUTANT_S = 20.0
"""A spoilt reference that takes longer than this does not end, and is noticed so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What a proof is made with: how tests are run, seeds made and looked at, and how much of it.

    `repeats` is how often the reference is run; `most_mutants` how many spoilt references are tried
    (0 = none); `on_step` is told in a few words what has just been done.
    """

    suites: Suites
    seed_of: MakeSeed
    probes: Probes
    repeats: int = 2
    most_mutants: int = MOST_MUTANTS
    sandboxes: tuple[str, ...] = ("bubblewrap",)
    on_step: Callable[[str], None] | None = None


def prove_fair(pack: ReadPack, scenario: Scenario, means: Means) -> Proof:
    """Runs every proof of a scenario, and looks at everything that can be looked at.

    Raises:
        InputError: its seed cannot be made, or a patch does not fit it.
        Blocked: no sandbox that is allowed works here.
    """
    proof = prove(
        pack,
        scenario,
        means.suites,
        means.seed_of,
        repeats=means.repeats,
        sandboxes=means.sandboxes,
        on_run=lambda run: _tell(means, f"{scenario.id}: {run.what} {run.group}"),
    )
    return msgspec.structs.replace(
        proof,
        notices=(*looked_at(pack, scenario, means.seed_of, means.probes), *_free(proof.runs)),
        corner=_corner(pack, scenario, means),
        mutation=_mutation(pack, scenario, means),
    )


def looked_at(
    pack: ReadPack, scenario: Scenario, seed_of: MakeSeed, probes: Probes
) -> tuple[Notice, ...]:
    """Gives what is seen of a scenario without running anything.

    Raises:
        InputError: its seed cannot be made, or a patch does not fit it.
    """
    seed = seed_of(pack.seed(scenario))
    folder = pack.folder / pack.place(scenario)
    hidden = {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8", errors="replace")
        for path in sorted(folder.joinpath(HIDDEN).rglob("*.py"))
    }
    return (
        *channels(scenario, folder, tree_of(seed)),
        *leaks(seed, _rights(pack, scenario, seed, seed_of), probes),
        *given_away(seed, hidden, probes),
    )


def _rights(pack: ReadPack, scenario: Scenario, seed: Seed, seed_of: MakeSeed) -> Iterator[Tree]:
    """Yields the seed with each solution that is right on top, and without its bug."""
    if scenario.bug_id:
        yield tree_of(seed_of(pack.seed(scenario, is_clean=True)))
    proofs = scenario.proofs
    given = (proofs.reference, proofs.senior, proofs.third_party) if proofs is not None else ()
    for name in dict.fromkeys(one for one in given if one):
        place = pack.place(scenario) / name
        try:
            tree = tree_of(seed, pack.folder.joinpath(place).read_bytes())
        except InputError as error:
            said = error.found.removeprefix("git apply failed: ")
            raise InputError(
                f"it does not fit the seed: {said}",
                mend="make it again, with `git diff` in a copy of the seed as agents get it",
                where=str(place),
                code="patch_does_not_fit",
            ) from error
        yield tree


def _corner(pack: ReadPack, scenario: Scenario, means: Means) -> Corner | None:
    if not scenario.bug_id:
        return None
    seed = means.seed_of(pack.seed(scenario))
    return corner(seed, means.seed_of(pack.seed(scenario, is_clean=True)), means.probes)


def _free(runs: tuple[ProofRun, ...]) -> Iterator[Notice]:
    """Yields a warning where most implicit tests are passed by who does what the text says."""
    for run in runs:
        if run.what == "literal" and run.group == "implicit" and run.tests:
            free = [name for name, found in run.tests.items() if found is TestOutcome.PASSED]
            if 2 * len(free) > len(run.tests):
                yield Notice(
                    code="implicit_mostly_free",
                    severity=Severity.WARNING,
                    count=len(free),
                    where="hidden-tests/implicit",
                    message=f"{len(free)} of {len(run.tests)} implicit tests are passed by the "
                    f"literal-minded proof: {', '.join(free[:5])}",
                )


def _mutation(pack: ReadPack, scenario: Scenario, means: Means) -> Mutation | None:
    proofs = scenario.proofs
    hidden = scenario.hidden_tests
    if proofs is None or not (hidden.explicit or hidden.implicit) or not means.most_mutants:
        return None
    seed = means.seed_of(pack.seed(scenario))
    patch = pack.folder.joinpath(pack.place(scenario), proofs.reference)
    diff = patch.read_bytes()
    try:
        text = diff.decode("utf-8")
    except UnicodeDecodeError:
        return Mutation(why=f"{patch.name} is no text")
    made = mutants(tree_of(seed), tree_of(seed, diff), text)
    tried = spread(made, means.most_mutants)
    survivors, n_unclear = [], 0
    for number, one in enumerate(tried, start=1):
        noticed = _is_noticed(pack, scenario, seed, one, number, means)
        _tell(means, f"{scenario.id}: spoilt reference {number} of {len(tried)}")
        n_unclear += noticed is None
        if noticed is False:
            survivors.append(Survivor(what=one.what, where=one.where, diff=one.diff))
    return Mutation(
        n_made=len(made),
        n_run=len(tried),
        n_caught=len(tried) - len(survivors) - n_unclear,
        n_unclear=n_unclear,
        survivors=tuple(survivors),
    )


def _tell(means: Means, text: str) -> None:
    if means.on_step is not None:
        means.on_step(text)


def _is_noticed(
    pack: ReadPack, scenario: Scenario, seed: Seed, one: Mutant, number: int, means: Means
) -> bool | None:
    """Says whether some hidden test does not pass; null where that cannot be said."""
    asked = replace(
        asked_of(pack, scenario, seed, means.sandboxes),
        diff=one.from_seed.encode(),
        lease=f"mutant-{scenario.id}-{number}",
        timeout_s=min(_MUTANT_S, scenario.time_limit_s),
    )
    try:
        run: SuiteRun = means.suites.run(asked)
    except NotEstimable as error:
        return True if "timed_out" in error.why else None
    except InputError:
        return None
    return not run.tests or any(test.outcome is not TestOutcome.PASSED for test in run.tests)
