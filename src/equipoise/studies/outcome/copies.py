"""Finds one task that stands in a study twice: copies are no further sample of anything."""

from collections.abc import Iterator, Sequence

from equipoise.ports.suites import hash_of
from equipoise.records.codec import digest
from equipoise.records.scenario import Scenario, ScenarioKind
from equipoise.stages.plan.faults import Faults
from equipoise.studies.outcome.draft import OutcomeDraft
from equipoise.studies.outcome.packs import HIDDEN, ReadPack


def copy_faults(
    draft: OutcomeDraft, pack: ReadPack, scenarios: Sequence[Scenario], faults: Faults
) -> Iterator[str]:
    """Yields a fault for each scenario that asks for what another one asks for.

    The scenario is the unit of every test: eight copies of one would make a p of 0.008 out of a
    single task. Copies have the same prompt, the same bug of the same seed, the same reference
    (where the work is not to stop: there it may well be the same), or the same hidden tests of a
    group.
    """
    seen: dict[tuple[str, str], str] = {}
    for place, one in enumerate(scenarios):
        alike: dict[str, list[str]] = {}
        for what, mark in _marks(pack, one):
            other = seen.setdefault((what, mark), one.id)
            if other != one.id:
                alike.setdefault(other, []).append(what)
        for other, whats in alike.items():
            yield faults.at(
                ("scenarios", place) if draft.scenarios else ("pack",),
                f"has {one.id}, with {' and '.join(whats)} of {other}: one task twice is one task",
                wanted="scenarios that ask for different things",
                mend=f"leave {one.id} out; repetitions say how often a task is tried",
            )


def _marks(pack: ReadPack, scenario: Scenario) -> Iterator[tuple[str, str]]:
    """Yields what a task is known by: the kind of mark, and the mark."""
    yield "the prompt", " ".join(scenario.prompt.casefold().split())
    if scenario.bug_id:
        yield "the bug", f"{scenario.seed}/{scenario.bug_id}"
    folder = pack.folder / pack.place(scenario)
    named = scenario.proofs.reference if scenario.proofs else None
    reference = folder / (named or "")
    if reference.is_file() and scenario.kind is not ScenarioKind.STOP:
        yield "the reference", digest(reference.read_bytes())
    for group in ("explicit", "implicit"):
        tests = folder / HIDDEN / group
        if tests.is_dir() and any(tests.iterdir()):
            yield f"the {group} tests", hash_of(tests)
