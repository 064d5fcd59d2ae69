"""Makes the diff of a seed and of files in memory, and splits a diff by its paths."""

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from equipoise.adapters.scratch import scratch
from equipoise.adapters.workspaces.git import NOBODY, git
from equipoise.adapters.workspaces.hostile import Entry, shown
from equipoise.adapters.workspaces.recipe import EPOCH, quoted
from equipoise.errors import InputError

_CACHES = {b"__pycache__", b".pytest_cache", b".mypy_cache", b".ruff_cache"}
_SECTION = re.compile(rb"^(?=diff --git )", re.MULTILINE)
_MOVED = re.compile(rb"^(?:rename|copy) from (.*)$", re.MULTILINE)
_HERE = b"./"
"""Begins a path that git is not to take for a pattern, such as one that begins with a colon."""
_FORMAT = ("--binary", "--full-index", "--no-ext-diff", "--no-textconv", "--no-color")


class Base(Protocol):
    """What a diff starts from: a commit, its files, a work tree with the repository in it."""

    @property
    def head(self) -> str: ...  # noqa: D102  said above
    @property
    def tree(self) -> Path: ...  # noqa: D102  said above
    @property
    def files(self) -> Mapping[bytes, tuple[str, str]]: ...  # noqa: D102  said above
    @property
    def config(self) -> bytes: ...  # noqa: D102  said above


def difference(base: Base, changed: Sequence[Entry], gone: Sequence[bytes]) -> bytes:
    """Gives the diff, made in a repository of ours; new paths that the seed ignores are left out.

    Caches of Python are always left out: compiled code would run in place of its source.
    """
    ignored = _ignored(base, [one.path for one in changed if one.path not in base.files])
    taken = [entry for entry in changed if entry.path not in ignored]
    if not taken and not gone:
        return b""
    with scratch() as place:
        _lay_out(place, base)
        git(place, "fast-import", "--quiet", "--done", stdin=_commit(base.head, taken, gone))
        return git(place, "diff", *_FORMAT, base.head, "refs/heads/frozen")


def split(
    repository: Path,
    diff: bytes,
    work_tree: Path,
    may: Callable[[str], bool],
    must_not: Callable[[str], bool],
) -> tuple[bytes, tuple[str, ...]]:
    """Gives the part of a diff whose paths may change, and the paths of the rest.

    What cannot be beside the rest is left out with it: a link in the place of a folder whose files
    have to stay, or a folder in the place of such a file.

    Raises:
        InputError: it is no diff.
    """
    sections = [part for part in _SECTION.split(diff) if part.startswith(b"diff --git ")]
    names = git(repository, "apply", "--numstat", "-z", work_tree=work_tree, stdin=diff)
    paths = [name.split(b"\t", 2)[2] for name in names.split(b"\0") if name.count(b"\t") >= 2]
    if len(paths) != len(sections):
        raise InputError(
            f"the diff has {len(sections)} parts and names {len(paths)} paths",
            wanted="the output of `git diff --binary`",
            code="diff_does_not_apply",
        )
    touched = [
        (shown(path), *(shown(old) for old in _MOVED.findall(section)))
        for path, section in zip(paths, sections, strict=True)
    ]
    stays = {one for names in touched for one in names if must_not(one) or not may(one)}
    above = {parent for one in stays for parent in _parents(one)}
    is_out = [
        any(one in stays or one in above or stays & set(_parents(one)) for one in names)
        for names in touched
    ]
    taken = [section for section, out in zip(sections, is_out, strict=True) if not out]
    return b"".join(taken), tuple(
        names[0] for names, out in zip(touched, is_out, strict=True) if out
    )


def _parents(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:n]) for n in range(1, len(parts))]


def _lay_out(folder: Path, base: Base) -> None:
    """Lays a bare repository out that sees the seed's objects."""
    folder.joinpath("objects", "info").mkdir(parents=True)
    folder.joinpath("objects", "pack").mkdir()
    folder.joinpath("refs", "heads").mkdir(parents=True)
    folder.joinpath("HEAD").write_text("ref: refs/heads/frozen\n", encoding="ascii")
    folder.joinpath("config").write_bytes(base.config.replace(b"bare = false", b"bare = true"))
    objects = os.fsencode(base.tree.absolute() / ".git" / "objects")
    folder.joinpath("objects", "info", "alternates").write_bytes(quoted(objects) + b"\n")


def _commit(head: str, taken: Sequence[Entry], gone: Sequence[bytes]) -> bytes:
    parts = [
        f"feature done\ncommit refs/heads/frozen\ncommitter {NOBODY} {EPOCH} +0000\n".encode(),
        f"data 0\nfrom {head}\n".encode(),
        *(b"D " + quoted(path) + b"\n" for path in gone),
    ]
    for entry in taken:
        content = entry.content or b""
        start = f"M {entry.mode} inline ".encode() + quoted(entry.path)
        parts.append(start + b"\ndata %d\n%s\n" % (len(content), content))
    return b"".join([*parts, b"done\n"])


def _ignored(base: Base, paths: Iterable[bytes]) -> set[bytes]:
    """Gives those of some new paths that the seed's own rules leave out."""
    ignored, asked = set(), []
    for path in paths:
        parents = [path[:i] for i, byte in enumerate(path) if byte == 0x2F]
        if _CACHES & set(path.split(b"/")) or path.endswith(b".pyc"):
            ignored.add(path)
        elif not any(parent in base.files for parent in parents):
            asked.append(path)
    if asked and any(path.rpartition(b"/")[2] == b".gitignore" for path in base.files):
        said = git(
            base.tree / ".git",
            "check-ignore",
            "-z",
            "--stdin",
            "--no-index",
            work_tree=base.tree,
            stdin=b"".join(_HERE + path + b"\0" for path in asked),
            fine=(0, 1),
        )
        ignored |= {path.removeprefix(_HERE) for path in said.split(b"\0")}
    return ignored
