"""The jobs of a suite of hidden tests: the tests, the program, or both together."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from equipoise.adapters.suites.hidden_files import HiddenFiles
from equipoise.adapters.suites.hidden_tests import HiddenTests
from equipoise.adapters.suites.interpreters import Interpreter, pytest_paths
from equipoise.adapters.suites.tests_process import PLAIN
from equipoise.ports.agents import Job, Mount


@dataclass(frozen=True, slots=True, kw_only=True)
class Jobs:
    """Gives jobs below the folder `work`; in a sandbox each folder is where it is outside."""

    tests: HiddenTests
    files: HiddenFiles
    work: Path
    interpreter: Interpreter

    def order(self, workspace: Path, shared: Path) -> str:
        """Gives what the tests' process is told of a run, as JSON."""
        own = self.work / "tester" / shared.name if self.tests.is_apart else shared / "own"
        own.mkdir(exist_ok=True)
        return json.dumps(
            {
                "folder": str(self.files.folder),
                "canary": self.files.canary,
                "modules": _tops(workspace, self.tests.paths),
                "workspace": str(workspace),
                "paths": self._paths(workspace),
                "bridge": str(shared / "bridge"),
                "tmp": str(shared / "tmp"),
                "own": str(own),
                "wall_s": self.tests.bounds.wall_s,
                "order": self.tests.order,
                "zone": self.tests.environment.get("TZ", ""),
            }
        )

    def program(self, workspace: Path, shared: Path, lease: str) -> Job:
        """Gives the program under test, which does what the tests ask."""
        words = (str(shared / "bridge"), str(workspace), *self._paths(workspace))
        return self._around(
            self.interpreter.command("subject", "main", *words), workspace, shared, lease
        )

    def together(self, workspace: Path, shared: Path, lease: str, word: str) -> Job:
        """Gives tests and program in one process, which begins each line it tells with a word."""
        order = self.order(workspace, shared)
        return self._around(
            self.interpreter.command("together", "main", order, paths=pytest_paths()),
            workspace,
            shared,
            lease,
            stdin=f"{word}\n".encode(),
            hidden=(Mount(source=self.files.folder, target=str(self.files.folder)),),
        )

    def _around(
        self,
        argv: list[str],
        workspace: Path,
        shared: Path,
        lease: str,
        *,
        stdin: bytes = b"",
        hidden: tuple[Mount, ...] = (),
    ) -> Job:
        return Job(
            argv=argv,
            lease=lease,
            folder=str(workspace),
            environment=PLAIN | self.tests.environment,
            mounts=(
                *self.interpreter.mounts(),
                *self.tests.mounts,
                Mount(source=workspace, target=str(workspace), is_writable=True),
                Mount(source=shared, target=str(shared), is_writable=True),
                *hidden,
            ),
            stdin=stdin,
            bounds=self.tests.bounds,
        )

    def _paths(self, workspace: Path) -> list[str]:
        return [str(workspace / path) for path in self.tests.paths]


def _tops(workspace: Path, paths: Sequence[str]) -> list[str]:
    """Gives the names of modules at the top of a workspace."""
    names: set[str] = set()
    for path in paths:
        folder = workspace / path
        if folder.is_dir():
            names |= {one.stem for one in folder.iterdir() if one.suffix == ".py"}
            names |= {one.name for one in folder.iterdir() if one.joinpath("__init__.py").is_file()}
    return sorted(names)
