"""What a run may spend, and why it stops when that is spent."""

from collections.abc import Callable

from equipoise.records.plan import Limits


class Spending:
    """Counts what was spent; no attempt is begun once a limit is reached.

    Attempts that are under way then are let go on to their end: half a trial costs as much and
    shows nothing. What a system does not tell of its cost counts as nothing spent, and is counted
    in `n_cost_unknown`.
    """

    def __init__(
        self,
        limits: Limits,
        *,
        max_cells: int | None,
        monotonic: Callable[[], float],
        spent_usd: float = 0.0,
        spent_s: float = 0.0,
    ) -> None:
        """Starts the clock; `spent_usd` and `spent_s` are what earlier parts of the run took."""
        self._limits = limits
        self._max_cells = max_cells
        self._monotonic = monotonic
        self._started = monotonic() - spent_s
        self.usd = spent_usd
        self.n_cells = 0
        self.n_cost_unknown = 0

    def add(self, cost_usd: float | None) -> None:
        """Takes what one attempt cost."""
        if cost_usd is None:
            self.n_cost_unknown += 1
        else:
            self.usd += cost_usd

    @property
    def left_s(self) -> float | None:
        """Gives how many seconds are left; null = no limit."""
        if self._limits.max_minutes is None:
            return None
        return self._limits.max_minutes * 60 - (self._monotonic() - self._started)

    def why_stop(self) -> str:
        """Gives the limit that is reached, or an empty text."""
        limits = self._limits
        if self._max_cells is not None and self.n_cells >= self._max_cells:
            return f"{self.n_cells} cells were begun, as many as --max-cells allows"
        if limits.max_usd is not None and self.usd >= limits.max_usd:
            return f"{self.usd:.4f} USD were spent, max_usd is {limits.max_usd:g}"
        minutes = (self._monotonic() - self._started) / 60
        if limits.max_minutes is not None and minutes >= limits.max_minutes:
            return f"{minutes:.1f} minutes have passed, max_minutes is {limits.max_minutes:g}"
        return ""
