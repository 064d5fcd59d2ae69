"""Finds the program of a harness and asks it for its version, away from the operator's settings."""

import asyncio
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from equipoise.adapters.scratch import scratch
from equipoise.errors import InputError
from equipoise.ports.agents import Available

_PROBE_S = 60.0
_MAX_VERSION = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A program of a harness: where it is, and the folder that has to be there for it to run."""

    path: Path
    folder: Path

    @property
    def inner(self) -> Path:
        """The program, counted from its folder."""
        return self.path.relative_to(self.folder)


def in_package(package: str, inner: str) -> Path | None:
    """Gives a file that an installed package brings; the package is not loaded."""
    with suppress(ImportError, ValueError):
        spec = find_spec(package)
        for place in (spec.submodule_search_locations or []) if spec is not None else []:
            path = Path(place, inner)
            if path.is_file():
                return path
    return None


def on_path(name: str) -> Path | None:
    """Gives the program of that name on PATH, links resolved."""
    found = shutil.which(name)
    return Path(found).resolve() if found else None


async def probed(
    argv: Sequence[str], mend: str, environment: Mapping[str, str] | None = None
) -> Available:
    """Starts a program with an empty home and gives the last word of its first line as version."""
    with scratch() as home:
        around = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(home), "LANG": "C.UTF-8"}
        try:
            process = await asyncio.create_subprocess_exec(
                *argv,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=around | dict(environment or {}),
                cwd=home,
            )
        except OSError as error:
            why = f"{argv[0]} cannot be started: {error.strerror}"
            return Available(is_available=False, why_not=why, mend=mend)
        try:
            out, err = await asyncio.wait_for(process.communicate(), _PROBE_S)
        except TimeoutError:
            process.kill()
            await process.wait()
            why = f"{Path(argv[0]).name} said no version in {_PROBE_S:g} s"
            return Available(is_available=False, why_not=why, mend=mend)
    if process.returncode:
        said = err.decode("utf-8", "replace").strip().splitlines()
        why = f"{Path(argv[0]).name} ended with {process.returncode}: {said[-1] if said else ''}"
        return Available(is_available=False, why_not=why[:_MAX_VERSION], mend=mend)
    return Available(is_available=True, version=_version(out.decode("utf-8", "replace")))


def missing(what: str, mend: str) -> Available:
    """Gives that a program is not here."""
    return Available(is_available=False, why_not=f"{what} is not here", mend=mend)


def no_tcp(what: str) -> Available:
    """Gives that a program cannot reach its model where there is no TCP at all."""
    return Available(
        is_available=False,
        why_not=f"{what} speaks TCP only, and this sandbox has none",
        mend="use the sandbox `bubblewrap` or `container`",
    )


def no_program(what: str, mend: str) -> InputError:
    """Gives the error for a job that would need what is not here."""
    return InputError(f"{what} is not here", wanted="its program", mend=mend, code="no_program")


def _version(said: str) -> str:
    words = said.strip().splitlines()[0].split() if said.strip() else []
    with_digit = [word for word in words if any(c.isdigit() for c in word)]
    return (with_digit or words or ["unknown"])[0][:_MAX_VERSION]
