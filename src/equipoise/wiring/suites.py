"""Makes the hidden tests of a study ready for its grading."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime
from importlib import import_module
from pathlib import Path

from equipoise.ports.agents import Available
from equipoise.ports.suites import Suites
from equipoise.wiring.agents import Seeds, sandbox

_STANDING = "equipoise.adapters.suites.standing"


def tests_available() -> Available:
    """Says whether pytest is here, and new enough to run hidden tests."""
    found: Available = import_module("equipoise.adapters.suites.interpreters").available()
    return found


def suites(clock: Callable[[], datetime]) -> Callable[[Path], AbstractContextManager[Suites]]:
    """Gives what makes, of a study's folder, what runs its hidden tests; nothing is started yet.

    What a grading left that was killed is removed first.
    """
    for place in ("scratch", "suites.places"):
        import_module(f"equipoise.adapters.{place}").sweep()

    def made(study: Path) -> AbstractContextManager[Suites]:
        root = study.resolve()
        standing: AbstractContextManager[Suites] = import_module(_STANDING).StandingSuites(
            root, sandbox=sandbox, seeds=lambda keep: Seeds(root, keep), clock=clock
        )
        return standing

    return made
