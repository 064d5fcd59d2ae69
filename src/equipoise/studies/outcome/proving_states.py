"""Proves end states: what is right passes; what is nearly right, or nothing at all, does not."""

import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from equipoise.errors import InputError, NotEstimable
from equipoise.ports.agents import Seed
from equipoise.records.codec import digest, encode
from equipoise.records.globs import matcher
from equipoise.records.proof import ProofRun, Wanted
from equipoise.records.scenario import Scenario
from equipoise.records.suite_run import SuiteStatus, TestOutcome
from equipoise.records.trial import Trial
from equipoise.stages.grade.checkpoint_check import check_checkpoint
from equipoise.stages.grade.end_state_check import check_end_state
from equipoise.stages.grade.finding import Found
from equipoise.stages.grade.left_behind import ARTIFACTS, TREE
from equipoise.stages.grade.material import OUTPUT, Material, Stored
from equipoise.stages.grade.outcome_specs import CheckpointSpec, EndStateSpec
from equipoise.studies.outcome.expectations import DOCUMENTS, expected_of, hidden_groups
from equipoise.studies.outcome.packs import ReadPack

GROUP = "state"
"""The group of proof runs whose tests are criteria that a state decides."""


def told_beside(patch: str) -> str:
    """Gives the file with the last message of whoever left a patch: beside it, as text."""
    return str(PurePosixPath(patch).with_suffix(".txt"))


def has_states(pack: ReadPack, scenario: Scenario) -> bool:
    """Says whether a state decides about the scenario."""
    return bool(_wanted(pack, scenario))


def state_runs(pack: ReadPack, scenario: Scenario, seed: Seed) -> Iterator[ProofRun]:
    """Yields the proofs of a scenario's states.

    The reference, with what it says in the text beside it, has to pass in each. Where nothing else
    decides, the seed as it is, with nothing said, has to fail in each, and every near miss in one
    or another; and what has to stay unchanged has to be there.
    """
    proofs, folder = scenario.proofs, pack.folder / pack.place(scenario)
    expected = _wanted(pack, scenario)
    is_alone = not hidden_groups(scenario)
    if is_alone:
        red = _run(expected, seed, "red", Wanted.ALL_FAIL, _Left())
        yield msgspec.structs.replace(red, faults=(*red.faults, *_idle(expected, seed)))
    if proofs is None:
        return
    yield _run(expected, seed, "reference", Wanted.ALL_PASS, _read(folder, proofs.reference))
    if not is_alone:
        return
    for number, patch in enumerate(proofs.near_misses, start=1):
        left = _read(folder, patch)
        yield _run(expected, seed, f"near-miss {number}", Wanted.SOME_FAIL, left)


def _wanted(pack: ReadPack, scenario: Scenario) -> dict[str, Any]:
    expected = expected_of(scenario, pack.folder)
    return {name: one for name, one in expected.items() if name in STATES}


def _idle(expected: Mapping[str, Any], seed: Seed) -> Iterator[str]:
    """Yields globs of what has to stay unchanged that mean no file of the seed: they hold none."""
    with tempfile.TemporaryDirectory(prefix="equipoise-proof-") as folder:
        workspace = Path(folder, "workspace")
        seed.copy(workspace)
        paths = [one.relative_to(workspace).as_posix() for one in workspace.rglob("*")]
    for name, one in expected.items():
        for glob in one.get("unchanged", ()):
            if not any(map(matcher((glob,)), paths)):
                yield f"{name}.unchanged: {glob} means no file of the seed; wanted: one that does"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Left:
    """What somebody left: a diff, and a last message."""

    diff: bytes = b""
    said: bytes = b""


def _read(folder: Path, patch: str) -> _Left:
    beside = folder / told_beside(patch)
    said = beside.read_bytes() if beside.is_file() else b""
    return _Left(diff=folder.joinpath(patch).read_bytes(), said=said)


def _run(
    expected: Mapping[str, Any], seed: Seed, what: str, wanted: Wanted, left: _Left
) -> ProofRun:
    run = ProofRun(what=what, group=GROUP, wanted=wanted)
    try:
        material = _material(seed, left)
        found = {name: STATES[name](one, material) for name, one in expected.items()}
    except (NotEstimable, InputError, OSError) as error:
        return msgspec.structs.replace(run, missing=str(error))
    return msgspec.structs.replace(
        run,
        status=SuiteStatus.SCORED,
        tests={
            name: TestOutcome.FAILED if one.raw else TestOutcome.PASSED
            for name, one in found.items()
        },
        faults=tuple(_faults(wanted, found)),
    )


def _faults(wanted: Wanted, found: Mapping[str, Found]) -> Iterator[str]:
    passed = [name for name, one in found.items() if not one.raw]
    if wanted is Wanted.ALL_PASS:
        yield from (f"{name} is not reached: {one.note}" for name, one in found.items() if one.raw)
    elif wanted is Wanted.ALL_FAIL and passed:
        yield f"{', '.join(passed)} is reached by doing and saying nothing; ask for what is told"
    elif wanted is Wanted.SOME_FAIL and len(passed) == len(found):
        yield f"{', '.join(passed)} does not tell it from what is right"


def _material(seed: Seed, left: _Left) -> Material:
    """Gives a trial that left a diff and said something, as grading sees one of an agent."""
    with tempfile.TemporaryDirectory(prefix="equipoise-proof-") as folder:
        workspace = Path(folder, "workspace")
        seed.rebuild(workspace, left.diff)
        frozen = seed.freeze(workspace, DOCUMENTS)
    contents = {TREE: encode(dict(frozen.tree)), OUTPUT: left.said}
    contents |= {f"{ARTIFACTS}{path}": content for path, content in frozen.artifacts.items()}
    return Material(
        trial=Trial(id="proof", unit="proof", arm="proof"),
        documents={name: _stored(name, content) for name, content in contents.items()},
    )


def _stored(name: str, content: bytes) -> Stored:
    return Stored(name=name, sha256=digest(content), read=lambda: content)


def _end_state(expected: Any, material: Material) -> Found:
    return check_end_state(EndStateSpec(expect=expected), material)


def _checkpoint(expected: Any, material: Material) -> Found:
    return check_checkpoint(CheckpointSpec(expect=expected), material)


STATES: dict[str, Callable[[Any, Material], Found]] = {
    "end_state": _end_state,
    "checkpoint": _checkpoint,
}
"""The criteria that a state decides, not a run of tests, and how."""
