"""What a seed is made from: commits with fixed authors and dates, written for `git fast-import`."""

import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from equipoise.adapters.workspaces.git import NOBODY
from equipoise.errors import InputError

BRANCH = "refs/heads/main"

EPOCH = 1_767_225_600
"""2026-01-01T00:00:00Z: the time of the first commit; each later one is a minute after it."""

_TAG = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_AUTHOR = re.compile(r"[^<>\n\0]+ <[^<>\n\0]*>")


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A file as a commit has it; a link has its target as content."""

    content: bytes
    is_executable: bool = False
    is_link: bool = False

    @property
    def mode(self) -> str:
        """Gives the mode that git has for it."""
        if self.is_link:
            return "120000"
        return "100755" if self.is_executable else "100644"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tag:
    """A tag on a commit; with a message it is an object of its own, by the commit's author."""

    name: str
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """One commit on top of the one before it: paths that change, null where one is deleted.

    `author` (``Name <mail>``) is also the committer; `at` is in seconds since 1970, null = a minute
    after the commit before. `tags` name it from then on.
    """

    message: str
    files: Mapping[str, File | bytes | None]
    author: str = NOBODY
    at: int | None = None
    tags: Sequence[Tag] = ()


def from_folder(folder: Path, message: str = "Seed") -> Commit:
    """Gives a plain folder as one commit: files, links and executable bits; no `.git` of its own.

    Raises:
        InputError: there is no such folder, or something in it is no file, folder or link.
    """
    if not folder.is_dir():
        raise InputError(f"{folder} is no folder", wanted="the folder of a seed", code="no_seed")
    return Commit(message=message, files=dict(_files(folder)))


def stream(commits: Sequence[Commit]) -> bytes:
    """Gives the commits as input of `git fast-import`.

    Raises:
        InputError: a path, a tag or an author is not what git can hold, a tag is there twice, or a
            deleted path is not there.
    """
    parts = [b"feature done\n"]
    at = EPOCH - 60
    present: set[str] = set()
    named: set[str] = set()
    for number, commit in enumerate(commits, start=1):
        at = commit.at if commit.at is not None else at + 60
        where = f"commit {number}"
        who = _who(commit.author, at, where)
        message = commit.message.encode()
        parts.append(
            f"commit {BRANCH}\nmark :{number}\nauthor {who}\ncommitter {who}\n".encode()
            + b"data %d\n%s\n" % (len(message), message)
        )
        deletions_first = sorted(
            commit.files.items(), key=lambda item: (item[1] is not None, item[0])
        )
        parts += [_change(path, file, present, where) for path, file in deletions_first]
        parts += [_tag(tag, number, who, named, where) for tag in commit.tags]
    parts.append(b"done\n")
    return b"".join(parts)


def _tag(tag: Tag, number: int, who: str, named: set[str], where: str) -> bytes:
    if not _TAG.fullmatch(tag.name) or ".." in tag.name or tag.name.endswith((".", ".lock")):
        wanted = "letters, digits, '.', '_' and '-'"
        raise InputError(f"tag {tag.name!r}", wanted=wanted, where=where, code="bad_tag")
    if tag.name in named:
        raise InputError(f"tag {tag.name!r} is there already", where=where, code="bad_tag")
    named.add(tag.name)
    if not tag.message:
        return f"reset refs/tags/{tag.name}\nfrom :{number}\n\n".encode()
    message = f"{tag.message.rstrip()}\n".encode()
    head = f"tag {tag.name}\nfrom :{number}\ntagger {who}\n".encode()
    return head + b"data %d\n%s\n" % (len(message), message)


def quoted(path: bytes) -> bytes:
    """Gives a path as git quotes it."""
    inner = b"".join(
        b"\\%03o" % byte if byte < 32 or byte > 126 or byte in b'"\\' else bytes([byte])
        for byte in path
    )
    return b'"' + inner + b'"'


def _who(author: str, at: int, where: str) -> str:
    if not _AUTHOR.fullmatch(author):
        raise InputError(
            f"author {author!r}", wanted="'Name <mail>'", where=where, code="bad_author"
        )
    return f"{author} {at} +0000"


def _change(path: str, file: File | bytes | None, present: set[str], where: str) -> bytes:
    _check(path, where)
    if file is None:
        if path not in present:
            raise InputError(
                f"deletes {path!r}, which is not there", where=where, code="bad_seed_path"
            )
        present.discard(path)
        return b"D " + quoted(os.fsencode(path)) + b"\n"
    present.add(path)
    held = file if isinstance(file, File) else File(content=file)
    head = f"M {held.mode} inline ".encode() + quoted(os.fsencode(path))
    return head + b"\ndata %d\n%s\n" % (len(held.content), held.content)


def _check(path: str, where: str) -> None:
    parts = path.split("/")
    if "\0" in path or any(part in {"", ".", ".."} or part.lower() == ".git" for part in parts):
        raise InputError(
            f"path {path!r}",
            wanted="a path below the seed, without '.', '..' and '.git'",
            where=where,
            code="bad_seed_path",
        )


def _files(folder: Path) -> Iterator[tuple[str, File]]:
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name.lower() != ".git")
        links = [name for name in folders if Path(parent, name).is_symlink()]
        for name in sorted([*names, *links]):
            path = Path(parent, name)
            if name.lower() != ".git":
                yield path.relative_to(folder).as_posix(), _file(path)


def _file(path: Path) -> File:
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        return File(content=os.fsencode(path.readlink()), is_link=True)
    if not stat.S_ISREG(mode):
        raise InputError(
            f"{path} is a pipe, a socket or a device",
            wanted="files, folders and links",
            code="bad_seed_path",
        )
    return File(content=path.read_bytes(), is_executable=bool(mode & stat.S_IXUSR))
