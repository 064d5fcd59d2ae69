"""A folder as the state of a system."""

import hashlib
from pathlib import Path

from equipoise.adapters.state import tree
from equipoise.adapters.state.standing import Snapshot
from equipoise.adapters.state.store import Store
from equipoise.adapters.state.targets import check_apart, checked
from equipoise.errors import Blocked, InputError

_KIND = "directory"
_MISSING = hashlib.sha256(b"no folder").hexdigest()


def made(target: str, root: Path) -> Store:
    """Gives the store of a folder; the path counts from `root`, the folder of the study.

    Raises:
        InputError: emptying that folder could destroy more than state.
    """
    return Store(_Folder(checked(target, root, kind=_KIND)), name=f"{_KIND} {target}")


class _Folder:
    """A folder with all it holds: modes, times, links as links, empty folders."""

    def __init__(self, path: Path) -> None:
        self.kind = _KIND
        self.target = str(path)
        self.claim = path.with_name(f".{path.name}.claim")
        self._path = path

    def check(self, keep: Path) -> None:
        check_apart(self._path, keep)

    def take(self, content: Path) -> Snapshot:
        if not self._path.is_dir():
            raise InputError(
                f"{self._path} is no folder",
                wanted="the folder that holds the state, even an empty one",
                mend="make it, or name another in study.yaml",
                code="no_state",
            )
        tree.copy(self._path, content)
        return Snapshot(kind=_KIND, target=self.target, sha256=tree.digest(content))

    def put_back(self, content: Path, taken: Snapshot) -> None:
        del taken
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            tree.mirror(content, self._path)
        except OSError as error:
            raise Blocked(
                f"cannot put {self._path} back: {error.filename}: {error.strerror}; "
                "mend: stop what uses it, or give the right to write, then again"
            ) from error

    def digest(self) -> str:
        if not self._path.is_dir():
            return _MISSING
        try:
            return tree.digest(self._path)
        except OSError as error:
            raise Blocked(
                f"cannot read {error.filename}: {error.strerror}; mend: stop what changes it, "
                "or give the right to read"
            ) from error

    def forget(self, content: Path, taken: Snapshot | None) -> None:
        """Does nothing: all of it is in the folder of the snapshot."""
