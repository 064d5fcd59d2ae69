"""Where a job without mounts of its own finds what it was to find elsewhere."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from equipoise.ports.agents import Job

_KEPT = ("PATH",)
"""Variables whose value is never a place of the job's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A job as it is told to a program that shares our files: program, folder and environment."""

    argv: Sequence[str]
    folder: str
    environment: Mapping[str, str]


def placed(job: Job, home: Path, tmp: Path) -> Placed:
    """Gives the job with the sources of its mounts in place of their targets.

    A word of `argv`, or a value of the environment, that is such a target or a path below it is
    replaced, also after a ``=`` or ``:``; so are a HOME that no mount provides, by `home`, and the
    folder for temporary files, by `tmp`. A path in the middle of a text stays as it is.

    Raises:
        FileNotFoundError: there is no such program.
    """
    places = {str(PurePosixPath(mount.target)): str(mount.source) for mount in job.mounts}
    wanted = job.environment.get("HOME")
    if wanted is not None and not any(_is_at(wanted, target) for target in places):
        places[wanted] = str(home)
    environment = {
        name: value if name in _KEPT else _moved(value, places)
        for name, value in job.environment.items()
    }
    environment.setdefault("TMPDIR", str(tmp))
    argv = [_moved(word, places) for word in job.argv]
    return Placed(
        argv=[_program(argv[0], environment.get("PATH")), *argv[1:]],
        folder=_moved(job.folder, places),
        environment=environment,
    )


def _moved(text: str, places: Mapping[str, str]) -> str:
    for mark in (":", "="):
        if mark in text:
            return mark.join(_moved(part, places) for part in text.split(mark))
    for target in sorted(places, key=len, reverse=True):
        if _is_at(text, target):
            return places[target] + text[len(target) :]
    return text


def _is_at(path: str, target: str) -> bool:
    return path == target or path.startswith(target.rstrip("/") + "/")


def _program(name: str, path: str | None) -> str:
    found = name if name.startswith("/") else shutil.which(name, path=path or "/usr/bin:/bin")
    if found is None:
        raise FileNotFoundError(2, "no such program", name)
    return found
