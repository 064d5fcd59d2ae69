"""What hidden tests there are, how they are run, and what proves them."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from equipoise.adapters.scratch import scratch
from equipoise.errors import InputError
from equipoise.ports.agents import Bounds, Mount, Seed
from equipoise.records.suite_run import SuiteRun, SuiteStatus, TestOutcome

_BOUNDS = Bounds(wall_s=300.0)

KEPT = (
    "**/conftest.py",
    "**/pytest.ini",
    "**/.pytest.ini",
    "**/tox.ini",
    "**/sitecustomize.py",
    "**/usercustomize.py",
    "**/*.pth",
    "**/*.pyc",
)
"""Paths that stay as the seed has them, whatever the agent made of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenTests:
    """What is hidden, and how it is run.

    `expected` are the ids of the tests, null = all that are found (see `HiddenSuite.run`). `paths`
    are where the program's modules lie in the workspace. Changes of what `allowed` does not mean,
    or `kept` means, are left out. Not `is_apart`: in one process with the program, for tests that
    cannot be run otherwise; a program that knows this can deceive it. `python` is the interpreter
    of the program, with what it needs installed (null = ours); `mounts` are further ones for it.
    `order`: 0 as they are written, 1 the other way round, a larger number shuffled by it.
    """

    folder: Path
    name: str = "hidden"
    expected: tuple[str, ...] | None = None
    paths: tuple[str, ...] = (".", "src")
    allowed: tuple[str, ...] = ("**",)
    kept: tuple[str, ...] = KEPT
    is_apart: bool = True
    python: Path | None = None
    mounts: tuple[Mount, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    bounds: Bounds = _BOUNDS
    order: int = 0


def pristine(seed: Seed, globs: Sequence[str], to: Path) -> Path:
    """Gives a folder with the seed's own tests, for a suite of regressions.

    With `globs` also in `kept`, the agent's changes of these files are left out.

    Raises:
        InputError: the globs mean no file of the seed.
    """
    with scratch() as place:
        copy = place / "seed"
        seed.copy(copy)
        paths = {path for glob in globs for path in copy.glob(glob)}
        files = [path for path in paths if path.is_file() and ".git" not in path.parts]
        if not files:
            raise InputError(
                f"the seed has no file {', '.join(globs)}", wanted="its tests", code="no_tests"
            )
        for path in files:
            kept = to / path.relative_to(copy)
            kept.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, kept)
    return to


def expected_by(proof: SuiteRun) -> tuple[str, ...]:
    """Gives the ids that a run of the reference solution found; all of them must have passed.

    Raises:
        InputError: the run is no proof.
    """
    failed = [one.id for one in proof.tests if one.outcome is not TestOutcome.PASSED]
    if proof.status is not SuiteStatus.SCORED or failed or not proof.tests:
        raise InputError(
            f"the reference solution ends as {proof.status}, {len(failed)} of {len(proof.tests)} "
            f"tests not passed: {', '.join(failed[:5])} {proof.why}".rstrip(),
            wanted="every hidden test passed by the reference solution",
            mend="mend the tests or the solution; where a test cannot be run apart from the "
            "program, set is_apart to false",
            code="no_proof",
        )
    return tuple(one.id for one in proof.tests)
