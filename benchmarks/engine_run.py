"""Runs a sealed study with a system that answers at once, and says what that took."""

import json
import os
import sys
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from equipoise.cli.clock import exact_now
from equipoise.ports import Answer
from equipoise.records.brief import Request
from equipoise.records.trial import Ending, Usage
from equipoise.studies.loss.running import run_study
from equipoise.studies.loss.running_asked import Asked
from equipoise.studies.loss.sealed import read_sealed
from equipoise.wiring import adapters

_TODAY = datetime(2026, 5, 1, tzinfo=UTC).date()


class Noop:
    """Answers at once with an output of its own."""

    is_simulated = True

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        """Has nothing to end."""

    async def execute(self, request: Request) -> Answer:
        """Answers."""
        return Answer(
            ending=Ending(),
            output=f"answer to {request.brief.unit}, seed {request.seed}".encode(),
            usage=Usage(input_tokens=10, output_tokens=1),
            cost_usd=0.0001,
        )

    async def canary(self, request: Request) -> Answer:
        """Answers likewise."""
        return await self.execute(request)


def ran(study: Path) -> int:
    """Runs it within this process; gives how many cells were executed."""
    noop = replace(adapters(), system=lambda *_: Noop())
    (run,) = run_study(read_sealed(study, today=_TODAY), noop, Asked(), exact_now)
    assert run.endings == {"completed": run.n_cells}, run
    return run.n_cells


def main(study: Path) -> None:
    """Measures one run; the start of Python and imports are left out."""
    before = os.times()
    started = time.perf_counter()
    n = ran(study)
    after = os.times()
    cpu_s = after.user + after.system - before.user - before.system
    print(json.dumps({"n": n, "wall_s": time.perf_counter() - started, "cpu_s": cpu_s}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
