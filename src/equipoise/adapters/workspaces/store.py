"""Makes seeds and keeps them by what they are made from: built once, checked at every opening."""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from equipoise.adapters.workspaces.git import git
from equipoise.adapters.workspaces.hostile import Walk, shown
from equipoise.adapters.workspaces.reading import blob_name
from equipoise.adapters.workspaces.recipe import BRANCH, EPOCH, Commit, from_folder, stream
from equipoise.adapters.workspaces.seed import GitSeed
from equipoise.errors import InputError, Tampered

_VERSION = "seed 1"
_RAW = b"* -text -eol -crlf -ident -filter -working-tree-encoding\n"
_CONFIG = """\
[core]
\trepositoryformatversion = {version}
\tfilemode = true
\tbare = false
\tlogallrefupdates = true
\tautocrlf = false
\ttrustctime = false
\tcheckstat = minimal
[user]
\tname = Developer
\temail = developer@equipoise.invalid
[commit]
\tgpgsign = false
"""


class SeedStore:
    """A folder of seeds; whoever makes the same seed at the same time gets the same one."""

    def __init__(self, folder: Path) -> None:
        """Keeps the seeds in a folder, which is made when the first one is."""
        self._folder = folder.resolve()

    def from_folder(self, folder: Path) -> GitSeed:
        """Gives a plain folder as a seed with one commit.

        Raises:
            InputError: there is no such folder, or something in it is no file, folder or link.
        """
        return self.from_commits([from_folder(folder)])

    def from_commits(self, commits: Sequence[Commit]) -> GitSeed:
        """Gives a repository with these commits; the same commits have the same names anywhere.

        Raises:
            InputError: there is no commit, or one holds what git cannot.
        """
        if not commits:
            raise InputError("there is no commit", wanted="one or more", code="no_seed")
        recipe = stream(commits)

        def fill(repository: Path) -> None:
            git(repository, "fast-import", "--quiet", "--done", stdin=recipe)

        return self._seed("commits", hashlib.sha256(recipe).hexdigest(), "", fill)

    def from_repository(self, repository: Path, commit: str = "HEAD") -> GitSeed:
        """Gives an existing repository as it was at a commit, with the history up to there.

        Raises:
            InputError: it is no repository, has no such commit, lacks a part of the history, or has
                submodules.
        """
        source = _git_folder(repository)
        try:
            oid = git(source, "rev-parse", "--verify", "--end-of-options", f"{commit}^{{commit}}")
        except InputError as error:
            raise InputError(
                f"{repository} has no commit {commit!r}",
                wanted="a commit, tag or branch of it",
                mend=str(error),
                code="no_commit",
            ) from error
        name = oid.decode("ascii").strip()
        if git(source, "rev-parse", "--is-shallow-repository").strip() == b"true":
            raise InputError(
                f"{repository} is a shallow clone",
                wanted="its whole history",
                mend="git fetch --unshallow, or use its files as a plain folder",
                code="shallow_seed",
            )

        def fill(target: Path) -> None:
            pack = git(source, "pack-objects", "--revs", "--stdout", "-q", stdin=oid)
            git(target, "index-pack", "--stdin", stdin=pack)
            target.joinpath(*BRANCH.split("/")).write_text(f"{name}\n", encoding="ascii")

        digest = hashlib.sha256(name.encode()).hexdigest()
        return self._seed("repository", digest, name, fill)

    def _seed(self, kind: str, digest: str, oid: str, fill: Callable[[Path], None]) -> GitSeed:
        key = hashlib.sha256(f"{_VERSION} {kind} {digest}".encode()).hexdigest()
        place = self._folder / key
        for _attempt in range(3):
            if not place.is_dir():
                self._build(place, len(oid) == 64, fill)
            seed = _opened(place / "tree")
            if seed is not None:
                return seed
            shutil.rmtree(place, ignore_errors=True)
        raise Tampered(
            f"the seed {place} does not hold what was put there: is somebody changing it?"
        )

    def _build(self, place: Path, is_sha256: bool, fill: Callable[[Path], None]) -> None:
        """Builds a seed beside its place and moves it there whole."""
        self._folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".new-", dir=self._folder) as name:
            tree = Path(name, "tree")
            repository = tree / ".git"
            _lay_out(repository, is_sha256=is_sha256)
            fill(repository)
            _check_out(tree, repository)
            try:
                Path(name, "whole").mkdir()
                tree.rename(Path(name, "whole", "tree"))
                Path(name, "whole").rename(place)
            except OSError:
                if not place.is_dir():
                    raise


def _git_folder(repository: Path) -> Path:
    """Gives where a repository keeps its objects: `.git`, or itself where it is bare."""
    folder = repository / ".git"
    if folder.is_file():
        text = folder.read_text(encoding="utf-8", errors="replace").strip()
        folder = repository / text.removeprefix("gitdir: ")
    elif not folder.is_dir():
        folder = repository
    if not (folder / "HEAD").is_file():
        raise InputError(
            f"{repository} is no git repository",
            wanted="a folder with .git, or a bare one",
            code="no_repository",
        )
    return folder.absolute()


def _lay_out(repository: Path, *, is_sha256: bool) -> None:
    """Lays an empty repository out by hand: no template, no hook, no description gets in."""
    for name in ("objects/info", "objects/pack", "refs/heads", "info"):
        repository.joinpath(name).mkdir(parents=True)
    repository.joinpath("HEAD").write_text(f"ref: {BRANCH}\n", encoding="ascii")
    repository.joinpath("config").write_bytes(_config(is_sha256=is_sha256))
    repository.joinpath("info", "attributes").write_bytes(_RAW)


def _config(*, is_sha256: bool) -> bytes:
    text = _CONFIG.format(version=int(is_sha256))
    if is_sha256:
        text += "[extensions]\n\tobjectformat = sha256\n"
    return text.encode()


def _check_out(tree: Path, repository: Path) -> None:
    """Packs what is reachable, writes the files, and gives all of them one time and plain modes."""
    git(repository, "repack", "-a", "-d", "-n", "-q", "--no-write-bitmap-index")
    git(repository, "read-tree", "-u", "--reset", BRANCH, work_tree=tree)
    for parent, folders, names in os.walk(tree, topdown=False):
        for name in [*names, *folders]:
            path = Path(parent, name)
            if not path.is_symlink():
                is_program = path.is_dir() or path.stat().st_mode & 0o100
                path.chmod(0o755 if is_program else 0o644)
            os.utime(path, (EPOCH, EPOCH), follow_symlinks=False)
    git(repository, "update-index", "-q", "--refresh", work_tree=tree)


def _opened(tree: Path) -> GitSeed | None:
    """Gives the seed that lies in a folder; null where its files are not what its commit says."""
    repository = tree / ".git"
    try:
        head = git(repository, "rev-parse", "--verify", BRANCH).decode("ascii").strip()
        listed = git(repository, "ls-tree", "-r", "-z", "--full-tree", head)
        commits = git(repository, "rev-list", head).decode("ascii").split()
        tags = git(repository, "for-each-ref", "--format=%(refname) %(objectname)", "refs/tags")
        config = repository.joinpath("config").read_bytes()
    except (InputError, OSError):
        return None
    files = _files(listed)
    hasher = hashlib.sha256(f"{_VERSION}\n{head}\n".encode())
    seen = set()
    for entry in Walk(tree).entries():
        content = entry.content or b""
        if files.get(entry.path) != (entry.mode, blob_name(content, len(head))):
            return None
        seen.add(entry.path)
        hasher.update(f"{entry.mode} {entry.sha256} ".encode() + entry.path + b"\0")
    hasher.update(tags)
    if seen != set(files) or config != _config(is_sha256=len(head) == 64):
        return None
    return GitSeed(
        sha256=hasher.hexdigest(),
        head=head,
        tree=tree,
        files=files,
        commits=frozenset(commits),
        config=config,
    )


def _files(listed: bytes) -> dict[bytes, tuple[str, str]]:
    """Reads `git ls-tree -r -z`.

    Raises:
        InputError: there is a submodule.
    """
    files = {}
    for line in listed.split(b"\0")[:-1]:
        about, _, path = line.partition(b"\t")
        mode, kind, oid = about.decode("ascii").split(" ")
        if kind != "blob":
            raise InputError(
                f"{shown(path)} is a submodule",
                wanted="a repository without submodules",
                mend="put its files into the repository",
                code="seed_submodule",
            )
        files[path] = (mode, oid)
    return files
