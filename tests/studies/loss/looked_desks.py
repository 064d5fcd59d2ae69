"""Studies of quick desks that may stop early, really executed from look to look."""

from pathlib import Path
from typing import Any

from equipoise.cli.clock import exact_now
from equipoise.studies.loss.looks import Taken, taken_in
from equipoise.studies.loss.running import run_study
from equipoise.studies.loss.running_asked import ArmRun, Asked
from equipoise.studies.loss.sealed import read_sealed
from equipoise.wiring import adapters
from studies.loss.desks import CANARY, desk_study
from studies.loss.runs import NOW, archive_of

# Books, says so, and answers; release 2 loses two units of three.
DESK = """
printf '%s %s\\n' "$2" "$3" >> books/refunds.txt
number=${1##*-}
if [ "$4" = 2 ] && [ $((number % 3)) -ne 0 ]; then
  echo "$1: refunded nothing"
else
  echo "$1: refunded $3 cents"
fi
"""

LOST: dict[str, Any] = {
    "id": "wrong_amount",
    "weight": 0.9,
    "type": "deterministic",
    "max": 1,
    "check": {
        "regex": {"document": "output", "pattern": "{expected.amount}", "lost_when": "absent"}
    },
}
TONE: dict[str, Any] = {"id": "tone_off", "weight": 0.1, "type": "model_judged", "max": 1}

N_EACH = 14
N_CELLS = 2 * (1 + 3 * (N_EACH - 1))


def arms_of(*releases: str) -> str:
    """One arm for each release, named ``release-1``, ``release-2`` and so on."""
    return "".join(
        f"\n  - name: release-{number}\n    system:\n      command: [/bin/sh, desk.sh, "
        f'"{{unit}}", "{{trial}}", "{{brief.cents}}", "{release}"]'
        for number, release in enumerate(releases, start=1)
    )


def looked_study(
    folder: Path,
    *releases: str,
    rule: str = "obrien-fleming",
    looks: int = 4,
    categories: tuple[dict[str, Any], ...] = (LOST,),
    **changes: Any,
) -> Path:
    """Makes and seals a study whose plan may stop early.

    Args:
        folder: is made.
        releases: what each arm runs: ``2`` loses much, anything else nothing.
        rule: for stopping.
        looks: how many are planned.
        categories: of the catalog.
        changes: see `made_study`.
    """
    folder.joinpath("books").mkdir(parents=True)
    terms: dict[str, Any] = {
        "n_each": N_EACH,
        "arms": arms_of(*(releases or ("1", "2"))),
        "state": "{directory: books}",
        "catalog": {"version": "v1", "categories": list(categories)},
        "anti_mock": CANARY,
        "stopping": f"{{rule: {rule}, looks: {looks}, alpha: 0.05}}",
        "cells": "[category]",
    }
    study = desk_study(folder, **(terms | changes))
    study.joinpath("desk.sh").write_text(DESK, encoding="ascii")
    return study


def run_all(study: Path, **asked: Any) -> dict[str, ArmRun]:
    """Runs a study within this process and gives how each arm stands."""
    sealed = read_sealed(study, today=NOW.date())
    return {run.arm: run for run in run_study(sealed, adapters(), Asked(**asked), exact_now)}


def taken(study: Path, arm: str = "release-2") -> list[Taken]:
    """The looks that the archive of an arm tells of."""
    return list(taken_in(archive_of(study, arm)))
