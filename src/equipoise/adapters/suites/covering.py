"""Finds out which lines of a seed its own suite runs: in a sandbox, apart from everything else."""

import json
import secrets
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from equipoise.adapters.suites.interpreters import available, ours, pytest_paths
from equipoise.adapters.suites.places import made_folder
from equipoise.ports.agents import Bounds, Ended, HowEnded, Job, Mount, Sandbox, Seed
from equipoise.ports.probes import Covered

_ENVIRONMENT = {"LANG": "C.UTF-8", "PATH": "/usr/bin:/bin"}
_PATHS = (".", "src")


async def covered(seed: Seed, tests: Sequence[str], sandbox: Sandbox, wall_s: float) -> Covered:
    """Runs the tests that globs mean in a fresh copy of the seed, once plain and once watched."""
    found = available()
    if not found.is_available:
        return Covered(why=f"{found.why_not}; mend: {found.mend}")
    with ExitStack() as until:
        place = made_folder(until)
        workspace = place / "w"
        seed.copy(workspace)
        named = sorted({path for glob in tests for path in workspace.glob(glob)})
        if not named:
            return Covered(why=f"the seed has no file {', '.join(tests)}")
        word = secrets.token_hex(16)
        ended = await sandbox.run(_job(workspace, place, named, word, wall_s))
    return _told(ended, word)


def _job(workspace: Path, place: Path, tests: list[Path], word: str, wall_s: float) -> Job:
    shared = place / "s"
    shared.joinpath("own").mkdir(parents=True)
    order = {
        "folder": str(workspace),
        "workspace": str(workspace),
        "paths": [str(workspace / path) for path in _PATHS],
        "own": str(shared / "own"),
        "tmp": str(shared / "tmp"),
        "tests": [str(path) for path in tests if path.name.startswith("test")],
    }
    return Job(
        argv=ours().command("covering", "main", json.dumps(order), paths=pytest_paths()),
        lease=f"coverage-{word[:8]}",
        folder=str(workspace),
        environment=_ENVIRONMENT,
        mounts=(
            *ours().mounts(),
            *(Mount(source=one, target=str(one), is_writable=True) for one in (workspace, shared)),
        ),
        stdin=f"{word}\n".encode(),
        bounds=Bounds(wall_s=wall_s),
    )


def _told(ended: Ended, word: str) -> Covered:
    for line in ended.stdout.splitlines():
        spoken, _, text = line.partition(b" ")
        if spoken == word.encode():
            return _read(json.loads(text))
    how = ended.how.value if ended.how is not HowEnded.EXITED else f"exit code {ended.exit_code}"
    said = ended.stderr.decode("utf-8", "replace").strip()[-300:]
    return Covered(why=f"the own suite told nothing ({how}) {ended.detail} {said}".rstrip())


def _read(told: Mapping[str, Any]) -> Covered:
    lines = {
        test: {file: frozenset(found) for file, found in by_file.items()}
        for test, by_file in told["lines"].items()
    }
    return Covered(
        imported=lines.pop("", {}),
        tests=dict(sorted(lines.items())),
        failed=tuple(told["failed"]),
        seconds=float(told["seconds"]),
    )
