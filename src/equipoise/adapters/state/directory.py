"""A folder as the state of a system."""

from pathlib import Path

from equipoise.adapters.state import standing, tree
from equipoise.adapters.state.standing import Snapshot
from equipoise.adapters.state.targets import check_apart, checked
from equipoise.errors import Blocked, InputError

_KIND = "directory"


class DirectoryStore:
    """A folder with all it holds: modes, times, links as links, empty folders."""

    def __init__(self, target: str, root: Path) -> None:
        """Takes the path of the folder, relative to the study's.

        Raises:
            InputError: emptying that folder could destroy more than state.
        """
        self._target = checked(target, root, kind=_KIND)
        self.name = f"{_KIND} {target}"

    def snapshot(self, keep: Path) -> str:
        """Takes the snapshot (or finds the one standing) and gives the state's sha256.

        Raises:
            InputError: there is no such folder, or it holds what nobody can copy.
            Blocked: the disk takes no more, or something in the folder cannot be read.
        """
        check_apart(self._target, keep)
        stands = self._standing(keep)
        if stands:
            return stands.sha256
        self._need_folder()
        return standing.take(keep, self._fill).sha256

    def restore(self, keep: Path) -> str:
        """Puts the snapshot back, gives the sha256 afterwards.

        Raises:
            Blocked: no snapshot stands, or something in the folder cannot be replaced.
        """
        check_apart(self._target, keep)
        if self._standing(keep) is None:
            raise Blocked(f"no snapshot of {self.name} stands in {keep}; mend: take one first")
        try:
            self._target.parent.mkdir(parents=True, exist_ok=True)
            tree.mirror(standing.content(keep), self._target)
        except OSError as error:
            raise Blocked(
                f"cannot put {self.name} back: {error.filename}: {error.strerror}; "
                "mend: stop what uses it, or give the right to write, then again"
            ) from error
        return self.digest()

    def digest(self) -> str:
        """Gives the sha256 over names, kinds, modes and contents of the folder as it is."""
        self._need_folder()
        try:
            return tree.digest(self._target)
        except OSError as error:
            raise Blocked(
                f"cannot read {error.filename}: {error.strerror}; mend: give the right to read"
            ) from error

    def teardown(self, keep: Path) -> None:
        """Puts the snapshot back and removes it; does nothing where none stands."""
        if self._standing(keep):
            self.restore(keep)
            standing.remove(keep)
        standing.remove_leftovers(keep)

    def _standing(self, keep: Path) -> Snapshot | None:
        return standing.standing(keep, _KIND, str(self._target))

    def _fill(self, content: Path) -> Snapshot:
        tree.copy(self._target, content)
        return Snapshot(kind=_KIND, target=str(self._target), sha256=tree.digest(content))

    def _need_folder(self) -> None:
        if not self._target.is_dir():
            raise InputError(
                f"{self.name} is no folder",
                wanted="the folder that holds the state, even an empty one",
                mend=f"make {self._target}, or name another in study.yaml",
                code="no_state",
            )
