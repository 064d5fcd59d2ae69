"""What looking at a seed needs: its commits, all that its repository holds, what its tests run."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from equipoise.ports.agents import Seed


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedCommit:
    """A commit: its author, when in seconds since 1970, and the first line of its message."""

    author: str
    at: int
    subject: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """Something that a repository holds: an object, or a file of `.git` such as a reflog."""

    where: str
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Covered:
    """What the own suite of a seed runs: test -> file -> lines, and how long it took.

    `why` says why nothing is known; `failed` are the tests that did not pass.
    """

    tests: Mapping[str, Mapping[str, frozenset[int]]] = field(default_factory=dict)
    imported: Mapping[str, frozenset[int]] = field(default_factory=dict)
    failed: tuple[str, ...] = ()
    seconds: float = 0.0
    why: str = ""

    def lines(self, file: str) -> frozenset[int]:
        """Gives the lines of a file that are run by a test or while the tests are read."""
        found = [by_file.get(file, frozenset()) for by_file in self.tests.values()]
        return frozenset().union(self.imported.get(file, frozenset()), *found)


class Probes(Protocol):
    """Looks at seeds; nothing of them is run but in a sandbox."""

    def commits(self, seed: Seed) -> tuple[SeedCommit, ...]:
        """Gives the commits, the oldest first."""
        ...

    def held(self, seed: Seed) -> Iterator[Held]:
        """Gives every object, reachable or not, and every file of `.git` that is no object."""
        ...

    def covered(self, seed: Seed, tests: Sequence[str]) -> Covered:
        """Runs the tests that globs mean, each line watched; times are without the watching."""
        ...
