"""Made studies, sealed, and their runs started as a user would start them."""

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from equipoise.archive.store import Archive
from equipoise.cli.clock import exact_now
from equipoise.pipeline.study_files import PLAN, PLAN_PAGE
from equipoise.records.event import Event, EventKind
from equipoise.records.trial import Trial
from equipoise.studies.loss.planning import plan_study
from equipoise.studies.loss.running import run_study
from equipoise.studies.loss.running_asked import ArmRun, Asked
from equipoise.studies.loss.sealed import read_sealed
from equipoise.studies.loss.sealing import seal_study
from equipoise.wiring import adapters
from studies.loss.made_study import made_study
from typed import typed

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


Ended = subprocess.CompletedProcess[str]


def equipoise(*arguments: str | Path, code: int | None = 0) -> Ended:
    """Types a command; `code` is the exit code that is wanted, None = any."""
    told = typed(*arguments)
    assert code in (None, told.code), told.out + told.err
    return Ended(arguments, told.code, told.out, told.err)


def equipoise_apart(*arguments: str | Path, code: int | None = 0) -> Ended:
    """Runs the program as a process of its own, with its start, as one that is to be killed."""
    done = subprocess.run(
        [sys.executable, "-m", "equipoise", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert "Traceback" not in done.stderr, done.stderr
    if code is not None:
        assert done.returncode == code, done.stdout + done.stderr
    return done


def sealed_study(folder: Path, **changes: Any) -> Path:
    """Makes a study (see `made_study`), plans and seals it."""
    made_study(folder, **changes)
    planned = plan_study(folder, today=NOW.date())
    folder.joinpath(PLAN).write_bytes(planned.content)
    folder.joinpath(PLAN_PAGE).write_text(planned.page, encoding="utf-8")
    seal_study(folder, now=NOW)
    return folder


def run(study: Path, *options: str, code: int | None = 0) -> list[dict[str, Any]]:
    """Runs the study and gives how each arm stands."""
    done = equipoise("run", study, "--json", *options, code=code)
    arms: list[dict[str, Any]] = json.loads(done.stdout)["arms"] if done.stdout else []
    return arms


def run_here(study: Path, arm: str = "release-1", **asked: Any) -> ArmRun:
    """Runs an arm within this process; faster, and errors can be looked at.

    Args:
        study: a sealed study.
        arm: its name.
        asked: `adapters` in place of the real ones, and what `Asked` takes.
    """
    known = asked.pop("adapters", None) or adapters()
    sealed = read_sealed(study, today=NOW.date())
    (told,) = run_study(sealed, known, Asked(arms=(arm,), **asked), exact_now)
    return told


def archive_of(study: Path, arm: str) -> Archive:
    """Opens the archive of an arm's run."""
    (path,) = study.joinpath("archive").glob(f"{arm}-????????-*")
    return Archive.open(path)


def trials(study: Path, arm: str) -> list[Trial]:
    """Gives all trials of an arm's run."""
    return list(archive_of(study, arm).read(Trial))


def events(study: Path, arm: str, kind: EventKind) -> list[Event]:
    """Gives the events of a kind of an arm's run."""
    return [event for event in archive_of(study, arm).read(Event) if event.kind is kind]


def outputs(study: Path, arm: str) -> dict[tuple[str, int], bytes]:
    """Gives what was answered for each unit and repetition."""
    archive = archive_of(study, arm)
    return {
        (trial.unit, trial.repetition): b"".join(archive.blobs.chunks(trial.output.sha256))
        for trial in archive.read(Trial)
        if trial.output is not None
    }
