"""The one way in which a state is taken and put back, whatever holds it."""

from pathlib import Path
from typing import Protocol, runtime_checkable

from equipoise.adapters.state import standing
from equipoise.adapters.state.claims import Claim
from equipoise.adapters.state.standing import Snapshot
from equipoise.errors import Blocked


class Medium(Protocol):
    """What holds a state: it can be copied, put back, and hashed as it is."""

    kind: str
    target: str
    claim: Path

    def check(self, keep: Path) -> None:
        """Checks that the snapshot and the state do not get in each other's way."""
        ...

    def take(self, content: Path) -> Snapshot:
        """Copies the state as it is; `content` is a path for it that is not there yet."""
        ...

    def put_back(self, content: Path, taken: Snapshot) -> None:
        """Makes the state what was taken; killed in the middle, the next time completes it."""
        ...

    def digest(self) -> str:
        """Gives the sha256 of the state as it is, also of a damaged one."""
        ...

    def forget(self, content: Path, taken: Snapshot | None) -> None:
        """Removes what was taken, or half taken, and is not in the folder of the snapshot."""
        ...


@runtime_checkable
class Watched(Protocol):
    """A medium that may come to an end while it is used."""

    def fault(self) -> str:
        """Says what befell it since the first question; empty = nothing."""
        ...


class Store:
    """The state that a run changes: taken once, put back as often as needed, crash-proof."""

    def __init__(self, medium: Medium, *, name: str, address: str = "") -> None:
        """Takes what holds the state, the name it has in the study, and where programs find it."""
        self.name = name
        self.address = address
        self._medium = medium
        self._claim = Claim(medium.claim)

    def snapshot(self, keep: Path) -> str:
        """Takes the snapshot (or finds the one standing) and gives the state's sha256.

        A state that another, killed run left changed is put back from that run's snapshot first.

        Raises:
            InputError: there is no such state, or it holds what nobody can copy.
            Blocked: another run uses this state, the disk takes no more, or something cannot be
                read.
        """
        self._medium.check(keep)
        earlier = self._claim.take(keep, self.name)
        stands = self._standing(keep)
        if stands:
            return stands.sha256
        if earlier and (left := self._standing(earlier)):
            self._medium.put_back(standing.content(earlier), left)
        return standing.take(keep, self._medium.take).sha256

    def restore(self, keep: Path) -> str:
        """Puts the snapshot back, gives the sha256 afterwards; may be repeated at any time.

        Raises:
            Blocked: no snapshot stands, or something does not let go of the state.
        """
        self._medium.check(keep)
        stands = self._standing(keep)
        if stands is None:
            raise Blocked(f"no snapshot of {self.name} stands in {keep}; mend: take one first")
        self._medium.put_back(standing.content(keep), stands)
        return self.digest()

    def digest(self) -> str:
        """Gives the sha256 of the state as it is: equal states have equal hashes.

        A damaged or missing state has a hash too, one that no sound state has.
        """
        return self._medium.digest()

    def teardown(self, keep: Path) -> None:
        """Puts the snapshot back and removes it; does nothing where none stands."""
        if self._standing(keep):
            self.restore(keep)
            standing.retire(keep)
        medium = self._medium
        gone = standing.retired(keep, medium.kind, medium.target)
        if gone or standing.is_torn(keep):
            medium.forget(standing.content(keep), gone)
        standing.remove_leftovers(keep)
        self._claim.drop(keep, self.name)

    def fault(self) -> str:
        """Says why what was done with the state since the first question counts for nothing.

        Empty where all is well; the state of a server that ended meanwhile may be any.
        """
        found = self._medium.fault() if isinstance(self._medium, Watched) else ""
        return f"{self.name}: {found}" if found else ""

    def reclaim(self, keep: Path) -> None:
        """Puts right what a run that was killed left whose snapshot is in `keep`; removes it.

        Raises:
            Blocked: another run that is alive uses this state, or it cannot be put back now.
        """
        self._medium.check(keep)
        later = self._claim.take(keep, self.name)
        if later and (left := self._standing(later)):
            self._medium.put_back(standing.content(later), left)
        self.teardown(keep)

    def _standing(self, keep: Path) -> Snapshot | None:
        return standing.standing(keep, self._medium.kind, self._medium.target)
