"""What has to be mounted for our Python to start in a sandbox, and how it begins there."""

import json
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from equipoise.errors import InputError
from equipoise.ports.agents import Available, Mount

INSIDE = Path(__file__).with_name("inside")
"""The folder of what runs inside."""

_LEAST = (8, 3)
_LEAST_PYTHON = (3, 10)
_ABOUT_US = [sys.prefix, sys.base_prefix, str(Path(sysconfig.get_path("stdlib")).parents[1])]
_ASK = """\
import json, os, sys, sysconfig
up = os.path.dirname
folders = [sys.prefix, sys.base_prefix, up(up(sysconfig.get_path("stdlib")))]
print(json.dumps({"version": sys.version_info[:2], "folders": folders}))
"""
_SYSTEM = ("/usr", "/bin", "/lib", "/lib64")
_BEGIN = """\
import importlib, importlib.util, sys
place, module, function, *words = sys.argv[1:]
sys.argv = sys.argv[:1]
spec = importlib.util.spec_from_file_location("equipoise_inside", place + "/__init__.py")
sys.modules[spec.name] = importlib.util.module_from_spec(spec)
sys.path += {paths!r}
getattr(importlib.import_module("equipoise_inside." + module), function)(*words)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpreter:
    """A Python: its program, and the folders that it needs to start."""

    program: str
    folders: tuple[str, ...]

    def command(
        self, module: str, function: str, *words: str, paths: Sequence[str] = ()
    ) -> list[str]:
        """Gives the command that calls a function inside.

        ``-I``: no variable and no user folder has a say in what is imported; ``-B``: nothing is
        cached.
        """
        code = _BEGIN.format(paths=list(paths))
        return [self.program, "-I", "-B", "-c", code, str(INSIDE), module, function, *words]

    def mounts(self) -> tuple[Mount, ...]:
        """Gives its mounts, and those of what runs inside, each at its own place."""
        folders = {*self.folders, str(INSIDE), *pytest_paths()}
        return tuple(
            Mount(source=Path(folder), target=folder)
            for folder in sorted(folders)
            if not folder.startswith(_SYSTEM)
        )


def ours() -> Interpreter:
    """Gives the Python that runs us."""
    return Interpreter(program=sys.executable, folders=_folders(sys.executable, _ABOUT_US))


def of_the_program(python: Path) -> Interpreter:
    """Gives another Python, after asking it where it lies.

    Raises:
        InputError: it is none, or too old.
    """
    wanted = f"a Python of version {'.'.join(map(str, _LEAST_PYTHON))} or later"
    try:
        done = subprocess.run(  # noqa: S603  the study names it; no shell
            [python, "-I", "-c", _ASK], capture_output=True, text=True, timeout=60, check=True
        )
        about = json.loads(done.stdout)
        version_there = tuple(about["version"])
    except (OSError, ValueError, LookupError, TypeError, subprocess.SubprocessError) as error:
        raise InputError(
            f"{python} does not answer as a Python: {error}", wanted=wanted, code="bad_python"
        ) from error
    if version_there < _LEAST_PYTHON:
        found = ".".join(map(str, version_there))
        raise InputError(f"{python} has version {found}", wanted=wanted, code="bad_python")
    return Interpreter(program=str(python), folders=_folders(str(python), about["folders"]))


def _folders(program: str, about: Sequence[str]) -> tuple[str, ...]:
    real = Path(program).resolve().parent.parent
    return tuple(sorted({*about, str(real)}))


def pytest_paths() -> list[str]:
    """Gives where pytest lies, for `sys.path`; nothing where it is not installed."""
    return [str(folder) for folder in _pytest()]


def available() -> Available:
    """Says whether pytest is here, and new enough to run hidden tests."""
    mend = "pip install 'equipoise[suites]'"
    try:
        found = version("pytest")
    except PackageNotFoundError:
        return Available(is_available=False, why_not="pytest is not installed", mend=mend)
    numbers = tuple(int(part) for part in found.split(".")[:2] if part.isdecimal())
    if numbers < _LEAST:
        why_not = f"pytest {found} is older than {'.'.join(map(str, _LEAST))}"
        return Available(is_available=False, version=found, why_not=why_not, mend=mend)
    return Available(is_available=True, version=found)


def _pytest() -> list[Path]:
    spec = find_spec("pytest")
    return [Path(spec.origin).parents[1]] if spec is not None and spec.origin else []
