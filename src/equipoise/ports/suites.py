"""What grading needs to run hidden tests against what an agent left."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from equipoise.records.gate_run import GateRun
from equipoise.records.suite_run import SuiteRun


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteAsked:
    """One run of hidden tests: which, how, on which seed with which diff.

    Paths count from the study's folder. `tests` is a folder; empty = the files of the seed that
    `seed_tests` mean. `reference` is a diff that solves the unit, which has to pass every test
    (empty = nobody proved the suite). With a `command`, `at` and `must_fail` the tests are of any
    language and leave a JUnit report. `seed` is what the study said of the seed and `seed_sha256`
    what it was when the session began; `lease` names the run. `order` is in which order tests are
    run: 0 as they are written, 1 the other way round, a larger number shuffled by it.
    """

    tests: str
    seed_tests: tuple[str, ...]
    reference: str
    paths: tuple[str, ...]
    allowed: tuple[str, ...]
    kept: tuple[str, ...]
    is_apart: bool
    python: str
    command: tuple[str, ...]
    at: str
    must_fail: tuple[str, ...]
    timeout_s: float
    sandboxes: tuple[str, ...]
    environment: Mapping[str, str]
    seed: Any
    seed_sha256: str
    diff: bytes
    lease: str
    order: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class GateCommandAsked:
    """One command to be run: its words, and whether it stands in a checklist of the agent."""

    id: str
    command: tuple[str, ...]
    is_core: bool = True
    is_own: bool = False
    of: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateAsked:
    """One run of a gate: commands, each on a fresh copy of the seed with the diff on top.

    Fields as those of `SuiteAsked`; `timeout_s` is for each command, `own_s` for all commands of
    the agent's own together: nobody waits for what they go on with.
    """

    commands: tuple[GateCommandAsked, ...]
    timeout_s: float
    own_s: float
    sandboxes: tuple[str, ...]
    seed: Any
    seed_sha256: str
    diff: bytes
    lease: str


class Suites(Protocol):
    """Runs hidden tests and gates, each in a sandbox that the agent never was in."""

    def identity(self, asked: SuiteAsked) -> str:
        """Gives a hash of all that the outcome follows from, the hidden files included.

        Raises:
            NotEstimable: there are no such tests.
        """
        ...

    def run(self, asked: SuiteAsked) -> SuiteRun:
        """Runs them, again where the infrastructure failed or nothing whole came of it.

        Raises:
            NotEstimable: nothing can be said: the seed is another by now, the reference solution
                fails, or the infrastructure fails again and again.
        """
        ...

    def gate(self, asked: GateAsked) -> GateRun:
        """Runs the commands of a gate; what could not be started is tried once more.

        Raises:
            NotEstimable: nothing can be said: the seed is another by now, or a command that is not
                the agent's own cannot be started.
        """
        ...


def hash_of(path: Path) -> str:
    """Gives the sha256 of a file, or over names and contents below a folder.

    What Python caches is left out. Who seals hidden tests and who runs them name them by it.
    """
    if path.is_file():
        return hashlib.sha256(path.read_bytes()).hexdigest()
    hasher = hashlib.sha256()
    for one in sorted(one for one in path.rglob("*") if one.is_file() and not _is_cached(one)):
        name = one.relative_to(path).as_posix().encode()
        hasher.update(name + b"\0" + hashlib.sha256(one.read_bytes()).digest())
    return hasher.hexdigest()


def _is_cached(path: Path) -> bool:
    return path.suffix == ".pyc" or "__pycache__" in path.parts
