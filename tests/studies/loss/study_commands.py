"""Calls the command line on a study folder, at a fixed time."""

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

from equipoise.studies.loss.planning import plan_study, write_plan
from equipoise.studies.loss.sealing import seal_study

TIME = datetime(2026, 1, 2, 12, tzinfo=UTC)
NOON = str(int(TIME.timestamp()))


def run(*args: str | Path, **env: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr; a traceback is a failure of the test."""
    done = subprocess.run(
        [sys.executable, "-m", "equipoise", *map(str, args)],
        capture_output=True,
        check=False,
        env=os.environ
        | {"PYTHONPATH": str(Path("src").resolve()), "SOURCE_DATE_EPOCH": NOON}
        | env,
    )
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def planned(study: Path) -> Path:
    """The study with its plan."""
    write_plan(study, plan_study(study, today=TIME.date()))
    return study


def sealed(study: Path) -> Path:
    """The study, planned and sealed on one's own word."""
    seal_study(planned(study), now=TIME)
    return study
