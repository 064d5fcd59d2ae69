"""Names the cells of a source and refuses a cell that comes twice."""

from equipoise.adapters.logs.noticing import Noticer
from equipoise.adapters.logs.seen import Seen
from equipoise.records.trial import trial_id

Cell = tuple[str, str, str | None]
"""Unit, arm, model."""


class CellNames:
    """Gives trial ids; memory grows by sixteen bytes a trial."""

    def __init__(self, noticer: Noticer) -> None:
        """Has met nothing yet."""
        self._noticer = noticer
        self._seen = Seen()
        self._further: dict[str, int] = {}

    def admit(self, cell: Cell, place: tuple[int, int], where: str) -> str | None:
        """Gives the id of the trial at (repetition, attempt); None for a double, which is told."""
        name = trial_id(*cell, *place)
        if not self._seen.add(int(name, 16)):
            return name
        self._noticer.refused(
            "duplicate_trial",
            "the same unit, arm, model, repetition and attempt a second time; the first one stands",
            where,
        )
        return None

    def number(self, cell: Cell, where: str, *, why: str = "") -> tuple[str, int]:
        """Gives the id and number of the next repetition of a cell, in the order of the source."""
        first = trial_id(*cell, 1, 1)
        if not self._seen.add(int(first, 16)):
            return first, 1
        repetition = self._further.get(first, 1) + 1
        self._further[first] = repetition
        if why:
            self._noticer.warn("repetitions_numbered", why, where)
        name = trial_id(*cell, repetition, 1)
        self._seen.add(int(name, 16))
        return name, repetition
