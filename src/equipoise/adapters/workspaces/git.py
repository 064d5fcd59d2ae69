"""Runs git on repositories of ours, blind to every setting of the machine and of the workspace."""

import os
import subprocess
from collections.abc import Collection
from pathlib import Path

from equipoise.errors import InputError
from equipoise.ports.agents import GIT_KILLED, Available

NOBODY = "Equipoise <seed@equipoise.invalid>"
"""Who authored and committed what names nobody."""

_SETTINGS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.autocrlf=false",
    "core.eol=lf",
    "core.safecrlf=false",
    "core.fileMode=true",
    "core.symlinks=true",
    "core.protectNTFS=false",  # names that mean .git elsewhere are files like others here
    "core.protectHFS=false",
    "core.quotePath=true",
    "core.attributesFile=/dev/null",
    "core.excludesFile=/dev/null",
    "core.pager=cat",
    "core.commitGraph=false",
    "core.logAllRefUpdates=false",
    "commit.gpgSign=false",
    "diff.noprefix=false",
    "diff.mnemonicPrefix=false",
    "diff.renames=false",
    "diff.algorithm=myers",
    "fastimport.unpackLimit=0",
    "gc.auto=0",
    "maintenance.auto=false",
    "pack.threads=1",
    "pack.writeReverseIndex=false",
    "protocol.allow=never",
    "init.defaultBranch=main",
    "attr.tree=4b825dc642cb6eb9a060e54bf8d69288fbee4904",  # the empty tree: no attributes
)
_TIMEOUT_S = 600
_LEAST = (2, 30)


def git(
    folder: Path,
    *arguments: str,
    work_tree: Path | None = None,
    stdin: bytes = b"",
    fine: Collection[int] = (0,),
) -> bytes:
    """Gives what git prints about a repository; `folder` is its git folder.

    `work_tree` is also the working folder; `fine` are the exit codes that are no failure.

    Raises:
        InputError: git is not installed, or it failed; with what it said.
    """
    environment = _environment() | {"GIT_DIR": str(folder)}
    if work_tree is not None:
        environment["GIT_WORK_TREE"] = str(work_tree)
    settings = [word for setting in _SETTINGS for word in ("-c", setting)]
    try:
        done = subprocess.run(  # noqa: S603  arguments are ours; no shell
            ["git", *settings, *arguments],  # noqa: S607  git of the machine's PATH
            cwd=work_tree or folder,
            env=environment,
            input=stdin,
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except FileNotFoundError as error:
        raise InputError(
            "there is no git", wanted="git 2.30 or later on PATH", mend="install git", code="no_git"
        ) from error
    except subprocess.TimeoutExpired as error:
        raise InputError(
            f"git {arguments[0]} took more than {_TIMEOUT_S} s", code=GIT_KILLED
        ) from error
    if done.returncode < 0:
        raise InputError(
            f"git {arguments[0]} was killed by signal {-done.returncode}", code=GIT_KILLED
        )
    if done.returncode not in fine:
        said = done.stderr.decode("utf-8", "replace").strip()[-500:]
        raise InputError(f"git {arguments[0]} failed: {said}", code="git_failed")
    return done.stdout


def available() -> Available:
    """Says whether git is here and new enough."""
    mend = "apt-get install git"
    try:
        said = git(Path("/"), "--version").decode("ascii", "replace").split()
    except InputError as error:
        return Available(is_available=False, why_not=error.found, mend=mend)
    version = next((word for word in said if word[0].isdecimal()), "")
    numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdecimal())
    if numbers < _LEAST:
        wanted = ".".join(map(str, _LEAST))
        return Available(
            is_available=False,
            version=version,
            why_not=f"git {version} is older than {wanted}",
            mend=mend,
        )
    return Available(is_available=True, version=version)


def _environment() -> dict[str, str]:
    """Nothing of ours but the PATH: no configuration, identity, replacement or alternate."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": "/nonexistent",
        "XDG_CONFIG_HOME": "/nonexistent",
        "LC_ALL": "C",
        "TZ": "UTC",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_EDITOR": "false",
    }
