"""Reads what a seed's repository holds: commits, every object, every file beside the objects."""

import os
from collections.abc import Iterator
from pathlib import Path

from equipoise.adapters.workspaces.git import git
from equipoise.ports.probes import Held, SeedCommit

_FORMAT = "%an <%ae>%x00%at%x00%s"


def commits(repository: Path) -> tuple[SeedCommit, ...]:
    """Gives the commits that any reference leads to, the oldest first."""
    said = git(repository, "log", "--all", "--reverse", "--topo-order", f"--format={_FORMAT}")
    found = []
    for line in said.decode("utf-8", "replace").splitlines():
        author, at, subject = line.split("\0", 2)
        found.append(SeedCommit(author=author, at=int(at), subject=subject))
    return tuple(found)


def held(repository: Path) -> Iterator[Held]:
    """Gives every blob, commit and tag, reachable or not, and what lies in `.git` beside objects.

    So what was amended away, stashed, or is named by a reflog only is given as well.
    """
    listed = git(repository, "cat-file", "--batch-all-objects", "--batch-check", "--unordered")
    wanted = {
        line.split()[0]
        for line in listed.splitlines()
        if line.split()[1] in (b"blob", b"commit", b"tag")
    }
    for oid, kind, content in _objects(repository, b"\n".join(sorted(wanted)) + b"\n"):
        yield Held(where=f"{kind} {oid[:12]}", content=content)
    for parent, folders, names in os.walk(repository):
        folders[:] = sorted(one for one in folders if Path(parent, one) != repository / "objects")
        for name in sorted(names):
            path = Path(parent, name)
            if path.is_file() and not path.is_symlink():
                where = path.relative_to(repository).as_posix()
                yield Held(where=f".git/{where}", content=path.read_bytes())


def _objects(repository: Path, wanted: bytes) -> Iterator[tuple[str, str, bytes]]:
    """Reads what ``git cat-file --batch`` says: a line with oid, kind and size, then the bytes."""
    said = memoryview(git(repository, "cat-file", "--batch", stdin=wanted))
    at = 0
    while at < len(said):
        end = bytes(said[at : at + 200]).index(b"\n") + at
        oid, kind, size = bytes(said[at:end]).decode("ascii").split(" ")
        begin = end + 1
        yield oid, kind, bytes(said[begin : begin + int(size)])
        at = begin + int(size) + 1
