"""Proves decompositions: an expert's own list passes, one that lacks something does not."""

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from equipoise.errors import InputError, NotEstimable
from equipoise.ports.agents import Seed
from equipoise.records.decomposition import WorkItem
from equipoise.records.proof import ProofRun, Wanted
from equipoise.records.scenario import Scenario
from equipoise.records.suite_run import SuiteStatus, TestOutcome
from equipoise.stages.grade.deliverables import read_deliverable
from equipoise.stages.grade.ordering import cycle_in, order_of
from equipoise.studies.outcome.expert_items import read_items
from equipoise.studies.outcome.packs import ReadPack

GROUP = "items"
"""The group of proof runs whose tests are the expert's items and dependencies."""


def decomposition_runs(pack: ReadPack, scenario: Scenario, seed: Seed) -> Iterator[ProofRun]:
    """Yields the proofs of a scenario that asks for a list; nothing is asked of any judge.

    The expert's items are in their own order. The reference leaves a list of its own under the
    expert's ids, so that coverage is seen without a judge: every item is there, in order, with
    acceptance criteria. A near miss under the same ids lacks an item, or turns a dependency round.
    The seed as it is has no list.
    """
    folder = pack.folder / pack.place(scenario)
    try:
        expert = read_items(folder / scenario.items, scenario.items)
    except InputError as error:
        yield ProofRun(what="expert", group=GROUP, wanted=Wanted.ALL_PASS, missing=str(error))
        return
    yield _told("expert", Wanted.ALL_PASS, _tests(expert, expert))
    yield _run(scenario, seed, b"", ("red", Wanted.ALL_FAIL), expert)
    proofs = scenario.proofs
    if proofs is None:
        return
    diff = folder.joinpath(proofs.reference).read_bytes()
    yield _run(scenario, seed, diff, ("reference", Wanted.ALL_PASS), expert)
    for number, patch in enumerate(proofs.near_misses, start=1):
        diff = folder.joinpath(patch).read_bytes()
        yield _run(scenario, seed, diff, (f"near-miss {number}", Wanted.SOME_FAIL), expert)


def _run(
    scenario: Scenario,
    seed: Seed,
    diff: bytes,
    asked: tuple[str, Wanted],
    expert: Sequence[WorkItem],
) -> ProofRun:
    what, wanted = asked
    path = scenario.deliverable
    with tempfile.TemporaryDirectory(prefix="equipoise-proof-") as folder:
        workspace = Path(folder, "workspace")
        try:
            seed.rebuild(workspace, diff)
            content = seed.freeze(workspace, (path,)).artifacts.get(path)
        except (InputError, NotEstimable, OSError) as error:
            return ProofRun(what=what, group=GROUP, wanted=wanted, missing=str(error))
    if content is None:
        return _told(what, wanted, _tests(expert, ()), [f"there is no {path}"] if diff else [])
    try:
        found = read_deliverable(content, path)
    except NotEstimable as error:
        return _told(what, wanted, _tests(expert, ()), [error.why])
    faults = list(found.remarks)
    if wanted is Wanted.ALL_PASS:
        faults += _form_faults(found.items)
    return _told(what, wanted, _tests(expert, found.items), faults)


def _tests(expert: Sequence[WorkItem], items: Sequence[WorkItem]) -> dict[str, TestOutcome]:
    """Gives each item, by its id, and each dependency as a test."""
    covers = {
        item.id: [number for number, one in enumerate(items, start=1) if one.id == item.id]
        for item in expert
    }
    order = order_of(expert, items, covers)
    found = {name: bool(numbers) for name, numbers in covers.items()}
    for edges, is_kept in ((order.kept, True), (order.inverted, False), (order.cyclic, False)):
        found |= {f"{later} after {earlier}": is_kept for later, earlier in edges}
    return {
        name: TestOutcome.PASSED if passed else TestOutcome.FAILED
        for name, passed in sorted(found.items())
    }


def _form_faults(items: Sequence[WorkItem]) -> Iterator[str]:
    bare = [item.id for item in items if not item.acceptance]
    if bare:
        yield f"{', '.join(bare)} say nothing of when they are done"
    if cycle := cycle_in(items):
        yield f"its dependencies go in a circle: {' -> '.join(cycle)}"


def _told(
    what: str, wanted: Wanted, tests: dict[str, TestOutcome], faults: Sequence[str] = ()
) -> ProofRun:
    run = ProofRun(what=what, group=GROUP, wanted=wanted, status=SuiteStatus.SCORED, tests=tests)
    told = list(faults) if wanted is not Wanted.SOME_FAIL else []
    failed = [name for name, one in tests.items() if one is not TestOutcome.PASSED]
    if wanted is Wanted.ALL_PASS and failed:
        told.append(f"not there, or not in order: {', '.join(failed[:5])}")
    if wanted is Wanted.ALL_FAIL and len(failed) < len(tests):
        told.append("the seed has items of the list before anything was done")
    if wanted is Wanted.SOME_FAIL and not failed:
        told.append("it has every item of the expert's in order: it is no near miss")
    return msgspec.structs.replace(run, faults=tuple(told))
