"""Makes what looks at the seeds of a pack ready: git for their past, a sandbox for their suites."""

from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any

import anyio

from equipoise.ports.agents import Seed
from equipoise.ports.probes import Covered, Held, SeedCommit
from equipoise.wiring.agents import sandbox

_PROBING = "equipoise.adapters.workspaces.probing"
_COVERING = "equipoise.adapters.suites.covering"


class SeedProbes:
    """Looks at the seeds that `Seeds` gives; several threads may use it."""

    def __init__(self, sandboxes: Sequence[str] = ("bubblewrap",), wall_s: float = 120.0) -> None:
        """Takes the sandboxes that are allowed, and how long a suite may take."""
        self._sandboxes = tuple(sandboxes)
        self._wall_s = wall_s

    def commits(self, seed: Seed) -> tuple[SeedCommit, ...]:
        """Gives the commits, the oldest first."""
        found: tuple[SeedCommit, ...] = import_module(_PROBING).commits(_repository(seed))
        return found

    def held(self, seed: Seed) -> Iterator[Held]:
        """Gives every object, reachable or not, and every file of `.git` that is no object."""
        found: Iterator[Held] = import_module(_PROBING).held(_repository(seed))
        return found

    def covered(self, seed: Seed, tests: Sequence[str]) -> Covered:
        """Runs the tests that globs mean, each line watched.

        Raises:
            Blocked: no sandbox that is allowed works here.
        """
        return anyio.run(self._covered, seed, tests)

    async def _covered(self, seed: Seed, tests: Sequence[str]) -> Covered:
        chosen, _ = await sandbox(self._sandboxes)
        try:
            found: Covered = await import_module(_COVERING).covered(
                seed, tests, chosen, self._wall_s
            )
        finally:
            chosen.close()
        return found


def _repository(seed: Any) -> Any:
    """Gives the git folder of a seed in its store, as every workspace gets a copy of it."""
    return seed.tree / ".git"
