"""Sorts what is found in a workspace: unchanged, changed, an artifact, an escape."""

import hashlib
import posixpath
from collections.abc import Callable, Mapping

from equipoise.adapters.workspaces.hostile import Entry, shown

UNREAD = "unread"
"""Stands in `Frozen.tree` for what is no file, or larger than what is read."""


class Reading:
    """What became of a seed's files, entry by entry; complete after `finish`."""

    def __init__(
        self,
        files: Mapping[bytes, tuple[str, str]],
        is_artifact: Callable[[str], bool],
        kept_bytes: int,
    ) -> None:
        """Begins with the seed's files: path -> mode and blob; keeps `kept_bytes` at most."""
        self._files = files
        self._is_artifact = is_artifact
        self._left = kept_bytes
        self._seen: set[bytes] = set()
        self._linked: dict[tuple[int, int], list[Entry]] = {}
        self.changed: list[Entry] = []
        self.gone: list[bytes] = []
        self.tree: dict[str, str] = {}
        self.artifacts: dict[str, bytes] = {}
        self.escapes: list[str] = []
        self.is_whole = True

    def take(self, entry: Entry) -> None:
        """Sorts one entry; a file with further hard links waits for them."""
        self._seen.add(entry.path)
        if entry.others:
            self._linked.setdefault(entry.inode, []).append(entry)
        else:
            self._sort(entry)

    def finish(self, *, is_whole: bool) -> None:
        """Sorts what has hard links, and finds what is gone; `is_whole` = everything was listed.

        A file that has a name outside of the workspace as well is not the agent's own: its content
        is not kept.
        """
        for entries in self._linked.values():
            for entry in entries:
                if entry.others + 1 == len(entries):
                    self._sort(entry)
                else:
                    self._unread(entry, "a hard link to something outside of the workspace")
        self.is_whole &= is_whole
        if is_whole:
            self.gone = sorted(set(self._files) - self._seen)
            self.tree.update({shown(path): "" for path in self.gone})

    def _sort(self, entry: Entry) -> None:
        if entry.content is None:
            self._unread(entry, entry.why)
            return
        name = shown(entry.path)
        is_artifact = entry.mode != "120000" and self._is_artifact(name)
        is_changed = not self._is_seeds(entry)
        if not is_artifact and not is_changed:
            return
        if len(entry.content) > self._left:
            self._unread(entry, "more than what is kept of one workspace")
            return
        self._left -= len(entry.content)
        if is_artifact:
            self.artifacts[name] = entry.content
        if is_changed:
            self.changed.append(entry)
            self.tree[name] = entry.sha256
            if entry.mode == "120000":
                self._look_at_link(entry.path, entry.content)

    def _is_seeds(self, entry: Entry) -> bool:
        mode, blob = self._files.get(entry.path, ("", ""))
        return mode == entry.mode and blob_name(entry.content or b"", len(blob)) == blob

    def _unread(self, entry: Entry, why: str) -> None:
        self.is_whole = False
        self.tree[shown(entry.path)] = entry.sha256 or UNREAD
        self.escapes.append(f"{shown(entry.path)}: {why}")

    def _look_at_link(self, path: bytes, target: bytes) -> None:
        reached = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        if reached.startswith(b"/") or reached.split(b"/")[0] in {b"..", b".git"}:
            self.escapes.append(f"{shown(path)}: a link out of the workspace, to {shown(target)}")


def blob_name(content: bytes, n_digits: int) -> str:
    """Gives the name that git has for a content, where its names have so many digits."""
    hasher = hashlib.sha256() if n_digits == 64 else hashlib.sha1(usedforsecurity=False)
    hasher.update(b"blob %d\0" % len(content))
    hasher.update(content)
    return hasher.hexdigest()
