"""A loss comparison in reading order: what is listed, what is not and why, the suites behind it."""

from dataclasses import dataclass

from equipoise.records.event import Amendment
from equipoise.records.plan import Plan
from equipoise.records.suite import LossComparison, LossRow, Suite
from equipoise.records.verdict import Word


@dataclass(frozen=True, slots=True, kw_only=True)
class LossReading:
    """Everything a page of a loss comparison shows.

    `base` and `new` are the suites that were compared; `plan` what was promised.
    """

    comparison: LossComparison
    base: Suite
    new: Suite
    plan: Plan
    amendments: tuple[Amendment, ...] = ()

    @property
    def regressions(self) -> tuple[LossRow, ...]:
        """Gives the listed rows that lost more, by their lower bound, surest first."""
        rows = (row for row in self.comparison.rows if row.is_listed and not row.is_improvement)
        return tuple(sorted(rows, key=lambda row: (-_lowest(row), name(row))))

    @property
    def improvements(self) -> tuple[LossRow, ...]:
        """Gives the listed rows that lost less, surest first."""
        rows = (row for row in self.comparison.rows if row.is_listed and row.is_improvement)
        return tuple(sorted(rows, key=lambda row: (_highest(row), name(row))))

    @property
    def unproven(self) -> tuple[LossRow, ...]:
        """Gives the rows whose only fault is that no citation stands behind them."""
        return tuple(row for row in self.comparison.rows if row.failed == ("citation",))

    @property
    def others(self) -> tuple[LossRow, ...]:
        """Gives the rows that are no finding, in the plan's order."""
        apart = {name(row) for row in self.unproven}
        rows = self.comparison.rows
        return tuple(row for row in rows if not row.is_listed and name(row) not in apart)


def name(row: LossRow) -> str:
    """Gives the name of a row's cell: ``intent=refund / tone_off``."""
    return f"{row.partition} / {row.category}" if row.category else row.partition


def word(row: LossRow) -> Word:
    """Gives the word of one cell; `equivalent` is never said of a cell by this rule."""
    if row.delta is None:
        return Word.NOT_EVALUABLE
    if not row.is_listed:
        return Word.CANNOT_TELL
    return Word.BETTER if row.is_improvement else Word.WORSE


def joint(row: LossRow) -> tuple[float, float] | None:
    """Gives the wider of the literal and the guarded limits on each side; None without any."""
    lows = [value for value in (row.literal_lo, row.guarded_lo) if value is not None]
    highs = [value for value in (row.literal_hi, row.guarded_hi) if value is not None]
    return (min(lows), max(highs)) if lows and highs else None


def _lowest(row: LossRow) -> float:
    return -1.0 if row.limits is None else row.limits[0]


def _highest(row: LossRow) -> float:
    return 1.0 if row.limits is None else row.limits[1]
