"""Reads what an agent did to the repository of its workspace, without ever running git on it."""

import hashlib
import os
import re
import zlib
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from equipoise.adapters.workspaces.hostile import read_inside, shown

_REF_BYTES = 4096
_OBJECT_BYTES = 1 << 20
_N_COMMITS = 1000
_N_REFS = 200
_OID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_RUNS_PROGRAMS = re.compile(
    r"^\s*(fsmonitor|hookspath|external|textconv|command|clean|smudge|process|driver|program|"
    r"sshcommand|gitproxy|pager|editor|askpass|helper|path|alternateref\w*|worktree)\s*=",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """The branches at the end, the commits that were made, and what else was planted.

    `commits` are reachable from a head and not in the seed; null where they cannot
    be read (packed, damaged, too many).
    """

    heads: dict[str, str]
    commits: tuple[str, ...] | None
    escapes: tuple[str, ...]


def history(workspace: Path, known: Collection[str], config: bytes) -> History:
    """Gives the history of a copy of a seed whose commits are `known` and config was `config`."""
    folder = workspace / ".git"
    if folder.is_symlink() or not folder.is_dir():
        there = os.path.lexists(folder)
        what = ".git: no folder any more" if there else ".git: gone"
        return History(heads={}, commits=None, escapes=(what,))
    heads = _heads(folder)
    return History(
        heads=heads, commits=_commits(folder, heads, known), escapes=_planted(folder, config)
    )


def _heads(folder: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    packed = read_inside(folder, "packed-refs", _OBJECT_BYTES) or b""
    for line in packed.decode("utf-8", "replace").splitlines():
        oid, _, name = line.partition(" ")
        if name.startswith("refs/heads/") and _OID.fullmatch(oid):
            found[name.removeprefix("refs/heads/")] = oid
    for name in _names(folder / "refs" / "heads"):
        text = (read_inside(folder, f"refs/heads/{name}", _REF_BYTES) or b"").decode(
            "ascii", "replace"
        )
        if _OID.fullmatch(text.strip()):
            found[name] = text.strip()
    head = (read_inside(folder, "HEAD", _REF_BYTES) or b"").decode("ascii", "replace").strip()
    if _OID.fullmatch(head):
        found["HEAD"] = head  # detached
    return dict(sorted(found.items())[:_N_REFS])


def _names(folder: Path) -> list[str]:
    """Names of branches that lie as files in a folder, those with a `/` in their names too."""
    names: list[str] = []
    if folder.is_symlink() or folder.parent.is_symlink():
        return names
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(folders)[:_N_REFS]
        for name in sorted(files):
            if len(names) == _N_REFS:
                return names
            inner = Path(parent, name).relative_to(folder).as_posix()
            if inner.isprintable():
                names.append(inner)
    return names


def _commits(folder: Path, heads: dict[str, str], known: Collection[str]) -> tuple[str, ...] | None:
    seen: dict[str, None] = {}
    left = sorted(set(heads.values()) - set(known))
    while left:
        oid = left.pop()
        if oid in seen:
            continue
        parents = _parents(folder, oid)
        if parents is None or len(seen) == _N_COMMITS:
            return None
        seen[oid] = None
        left += [parent for parent in parents if parent not in known]
    return tuple(seen)


def _parents(folder: Path, oid: str) -> list[str] | None:
    """Gives the parents of a commit that lies as an object of its own; null where it does not."""
    packed = read_inside(folder, f"objects/{oid[:2]}/{oid[2:]}", _OBJECT_BYTES)
    if packed is None:
        return None
    try:
        body = zlib.decompressobj().decompress(packed, _OBJECT_BYTES)
    except zlib.error:
        return None
    hasher = hashlib.sha1(usedforsecurity=False) if len(oid) == 40 else hashlib.sha256()
    hasher.update(body)
    if hasher.hexdigest() != oid or not body.startswith(b"commit "):
        return None
    head = body.partition(b"\0")[2].partition(b"\n\n")[0].decode("utf-8", "replace")
    return [line[7:] for line in head.splitlines() if line.startswith("parent ")]


def _planted(folder: Path, config: bytes) -> tuple[str, ...]:
    """Says what would run a program, or lead out of the repository, for the next one to use it."""
    found = []
    text = read_inside(folder, "config", _OBJECT_BYTES)
    if text is None:
        found.append(".git/config: gone, or no plain file")
    elif text != config:
        keys = {key.lower() for key in _RUNS_PROGRAMS.findall(text.decode("utf-8", "replace"))}
        found += [f".git/config: sets {key}" for key in sorted(keys)]
    hooks = folder / "hooks"
    if hooks.is_symlink():
        found.append(".git/hooks: a link")
    elif os.path.lexists(hooks):
        found += [f".git/hooks/{name}: a hook" for name in _listed(hooks)]
    found += [
        f".git/{name}: leads out of the repository"
        for name in (
            "objects/info/alternates",
            "commondir",
            "worktrees",
            "modules",
            "config.worktree",
        )
        if os.path.lexists(folder / name)
    ]
    return tuple(found)


def _listed(folder: Path) -> list[str]:
    try:
        names = sorted(os.listdir(os.fsencode(folder)))  # noqa: PTH208  names only, as bytes
    except OSError:
        return ["(unreadable)"]
    return [shown(name) for name in names[:20] if not name.endswith(b".sample")]
