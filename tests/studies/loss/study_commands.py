"""Calls the command line on a study folder, at a fixed time."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from equipoise.cli import commands
from equipoise.studies.loss.planning import plan_study, write_plan
from equipoise.studies.loss.sealing import seal_study

TIME = datetime(2026, 1, 2, 12, tzinfo=UTC)
NOON = str(int(TIME.timestamp()))


def run(*args: str | Path, **env: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr; a traceback is a failure of the test."""
    done = CliRunner().invoke(
        commands, [str(arg) for arg in args], env={"SOURCE_DATE_EPOCH": NOON} | env
    )
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.stdout, done.stderr


def planned(study: Path) -> Path:
    """The study with its plan."""
    write_plan(study, plan_study(study, today=TIME.date()))
    return study


def sealed(study: Path) -> Path:
    """The study, planned and sealed on one's own word."""
    seal_study(planned(study), now=TIME)
    return study


def plan_of(study: Path) -> dict[str, Any]:
    """The plan as a dict."""
    code, _, err = run("plan", study)
    assert (code, err) == (0, "")
    plan: dict[str, Any] = json.loads(study.joinpath("plan.json").read_bytes())
    return plan


def outlook_of(study: Path) -> dict[str, Any]:
    """The outlook as a dict."""
    code, out, err = run("plan", study, "--json")
    assert (code, err) == (0, "")
    outlook: dict[str, Any] = json.loads(out)
    return outlook


def refused(study: Path, code: int) -> str:
    """What is said where planning ends with this exit code; no plan was written."""
    got, out, err = run("plan", study)
    assert (got, out) == (code, ""), err
    assert not study.joinpath("plan.json").exists()
    return err
