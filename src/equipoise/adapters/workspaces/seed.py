"""One seed in the store: copied for a cell, frozen after it, built again with a diff on top."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from equipoise.adapters.workspaces.copying import copy_tree
from equipoise.adapters.workspaces.diffs import difference, split
from equipoise.adapters.workspaces.git import git
from equipoise.adapters.workspaces.history import history
from equipoise.adapters.workspaces.hostile import Limits, Walk
from equipoise.adapters.workspaces.reading import Reading
from equipoise.errors import InputError
from equipoise.ports.agents import Frozen
from equipoise.records.globs import matcher


@dataclass(frozen=True, slots=True, kw_only=True)
class GitSeed:
    """A repository at one commit; `sha256` is over its commit and the content of every file.

    `tree` is the pristine copy in the store, `files` what git has in it: path -> mode and blob.
    """

    sha256: str
    head: str
    tree: Path
    files: dict[bytes, tuple[str, str]] = field(repr=False)
    commits: frozenset[str] = field(repr=False)
    config: bytes = field(repr=False)
    limits: Limits = field(default_factory=Limits)

    def copy(self, to: Path) -> None:
        """Makes a fresh copy; `to` is not there yet, or empty.

        Raises:
            InputError: there is something in `to`, or it cannot be written.
        """
        try:
            if to.exists() and any(to.iterdir()):
                raise InputError(
                    f"{to} is not empty", wanted="a new folder", code="workspace_not_empty"
                )
            copy_tree(self.tree, to)
        except OSError as error:
            raise InputError(
                f"the workspace {to} cannot be written: {error.strerror}",
                mend="free space, or choose another folder for the work",
                code="workspace_not_written",
            ) from error

    def freeze(self, workspace: Path, artifacts: Sequence[str] = ()) -> Frozen:
        """Reads what became of a copy; nothing in it is executed or followed.

        Git is never run on the workspace's own repository: its files are read here and handed to a
        repository of ours. What the seed ignores, and caches of Python, is in `tree` but in no
        diff; an agent cannot add to what is ignored.
        """
        walk = Walk(workspace, self.limits)
        read = Reading(self.files, matcher(artifacts), self.limits.kept_bytes)
        for entry in walk.entries():
            read.take(entry)
        read.finish(is_whole=walk.is_whole)
        past = history(workspace, self.commits, self.config)
        return Frozen(
            diff=difference(self, read.changed, read.gone),
            tree=dict(sorted(read.tree.items())),
            artifacts=read.artifacts,
            escapes=(*walk.notes, *read.escapes, *past.escapes),
            heads=past.heads,
            commits=past.commits,
            is_whole=read.is_whole,
            is_listed=walk.is_whole,
        )

    def rebuild(
        self, to: Path, diff: bytes, allowed: Sequence[str] = ("**",), kept: Sequence[str] = ()
    ) -> tuple[str, ...]:
        """Makes a fresh copy with a diff on top, and gives the paths whose changes were left out.

        Raises:
            InputError: the diff does not fit the seed.
        """
        self.copy(to)
        if not diff.strip():
            return ()
        taken, left_out = split(self._git, diff, to, matcher(allowed), matcher(kept))
        if taken:
            git(self._git, "apply", "--whitespace=nowarn", "-", work_tree=to, stdin=taken)
        return left_out

    @property
    def _git(self) -> Path:
        return self.tree / ".git"
