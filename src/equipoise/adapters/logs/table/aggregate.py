"""Spells rows that only count executions out into trials, and checks the rate they declare."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from equipoise.adapters.logs.noticing import Noticer
from equipoise.adapters.logs.table import fields
from equipoise.adapters.logs.table.mapping import Aggregate, Column, Mapping
from equipoise.adapters.logs.table.resources import ResourceReader
from equipoise.records.grade import Grade
from equipoise.records.notice import Headline
from equipoise.records.trial import Trial, trial_id

MAX_TOTAL = 1_000_000
"""Most executions that one row may count."""


class AggregateProjector:
    """Turns a row such as "80 of 225 passed" into 225 trials of units that have no name.

    The units of two rows are never the same, so arms made of them can only be compared unpaired;
    a notice says so. Money that the row declares belongs to the row, not to a trial: a headline.
    """

    def __init__(
        self, mapping: Mapping, spec: Aggregate, *, source: Path, noticer: Noticer
    ) -> None:
        """Prepares the columns."""
        self._mapping = mapping
        self._spec = spec
        self._name = source.name
        self._noticer = noticer
        self._arm = fields.getter(mapping.arm or Column(const=source.stem))
        self._model = fields.getter(mapping.model) if mapping.model is not None else None
        self._resources = ResourceReader(mapping, noticer)
        self._arms: set[str] = set()

    def readings(self, line: int, row: dict[str, Any]) -> Iterator[Trial | Grade | Headline]:
        """Yields the headlines of the row, then its trials, the passed ones first."""
        where = f"{self._name}:{line}"
        arm = self._arm(row)
        total, passed = (self._count(row, name) for name in (self._spec.total, self._spec.passed))
        if arm is None or total is None or passed is None or not 0 < total <= MAX_TOTAL:
            self._noticer.refused("bad_counts", "the row has no arm, or no counts to read", where)
            return
        if passed > total or arm in self._arms:
            what = "more passed than were tried" if passed > total else "an arm a second time"
            self._noticer.refused("bad_counts", what, where)
            return
        self._arms.add(arm)
        yield from self._declared(row, arm, passed / total, where)
        yield from self._trials(row, (arm, passed, total), where)

    def finish(self) -> None:
        """Says what rows of counts cannot say."""
        if self._arms:
            self._noticer.warn(
                "counts_only",
                "the rows give counts, not executions: units have no names, so arms are compared "
                "unpaired, without repetitions, partitions or costs per unit",
                self._name,
            )

    def _trials(
        self, row: dict[str, Any], counted: tuple[str, int, int], where: str
    ) -> Iterator[Trial | Grade]:
        arm, passed, total = counted
        model = self._model(row) if self._model is not None else None
        names = self._mapping.labels | {}
        labels = {key: fields.text(fields.field(row, name)) for key, name in names.items()}
        versions = {k: fields.text(fields.field(row, n)) for k, n in self._mapping.versions.items()}
        for index in range(total):
            unit = f"{arm}#{index + 1}"
            name = trial_id(unit, arm, model, 1, 1)
            yield Trial(
                id=name,
                unit=unit,
                arm=arm,
                model=model,
                labels={k: v for k, v in labels.items() if v is not None},
                versions={k: v for k, v in versions.items() if v is not None},
                source=where,
            )
            yield Grade(trial=name, value=1.0 if index < passed else 0.0)

    def _declared(
        self, row: dict[str, Any], arm: str, counted: float, where: str
    ) -> Iterator[Headline]:
        if self._mapping.cost_usd is not None:
            cost = self._resources.cost_usd(row, where)
            yield Headline(metric="total_cost", value=cost, arm=arm, where=where)
        if self._spec.rate is None:
            return
        try:
            rate = fields.number(fields.field(row, self._spec.rate))
        except ValueError:
            rate = None
        if rate is None:
            return
        rate /= self._spec.rate_scale
        yield Headline(metric="mean", value=rate, arm=arm, where=where)
        if abs(rate - counted) * self._spec.rate_scale > self._spec.rate_tolerance:
            self._noticer.warn(
                "headline_does_not_follow",
                f"arm {arm!r} declares the rate {rate:.4g}, its counts give {counted:.4g}",
                where,
            )

    def _count(self, row: dict[str, Any], name: str) -> int | None:
        try:
            found = fields.number(fields.field(row, name))
        except ValueError:
            return None
        return int(found) if found is not None and found.is_integer() else None
