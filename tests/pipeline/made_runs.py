"""A reader of readings that a test made: the port's smallest real implementation."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from equipoise.ports import Reading
from equipoise.records.grade import Grade
from equipoise.records.trial import Trial, trial_id


@dataclass(slots=True, kw_only=True)
class MadeReader:
    """Yields what it was given; with nothing given, one trial per line of a JSONL file."""

    readings: tuple[Reading, ...] = ()
    name: str = "made"
    options_seen: list[dict[str, Any]] = field(default_factory=list)

    def read(self, source: Path, options: dict[str, Any]) -> Iterator[Reading]:
        """Yields the readings."""
        self.options_seen.append(options)
        yield from self.readings or _rows(source)


def made_trial(
    unit: str, arm: str = "a", repetition: int = 1, attempt: int = 1, **more: Any
) -> Trial:
    """A trial of the cell, with the id that every reader gives it."""
    identity = trial_id(unit, arm, None, repetition, attempt)
    return Trial(id=identity, unit=unit, arm=arm, repetition=repetition, attempt=attempt, **more)


def _rows(source: Path) -> Iterator[Reading]:
    with source.open(encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            trial = made_trial(row["unit"], row.get("arm", "a"), row.get("repetition", 1))
            yield trial
            yield Grade(trial=trial.id, value=row["value"])
