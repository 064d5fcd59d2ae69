"""What has to be mounted for our Python to start in a sandbox, and how it begins there."""

import sys
import sysconfig
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from equipoise.ports.agents import Available, Mount

INSIDE = Path(__file__).with_name("inside")
"""The folder of what runs inside."""

_LEAST = (8, 3)
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


def beginning(module: str, function: str, *words: str, paths: Sequence[str] = ()) -> list[str]:
    """Gives the command that calls a function inside, with our own interpreter.

    ``-I``: no variable and no user folder has a say in what is imported; ``-B``: nothing is cached.
    """
    code = _BEGIN.format(paths=list(paths))
    return [sys.executable, "-I", "-B", "-c", code, str(INSIDE), module, function, *words]


def mounts() -> tuple[Mount, ...]:
    """Gives the mounts of our own interpreter, and of what runs inside, each at its own place."""
    folders = {Path(sys.prefix), Path(sys.base_prefix), INSIDE, *_pytest()}
    stdlib = sysconfig.get_path("stdlib")
    folders.add(Path(stdlib).parents[1])
    resolved = {Path(sys.executable).resolve().parent.parent}
    return tuple(
        Mount(source=folder, target=str(folder))
        for folder in sorted(folders | resolved)
        if not str(folder).startswith(_SYSTEM)
    )


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
