"""Outcome studies for tests of planning: the starter with the built-in pack, and changes to it."""

import json
import shutil
from pathlib import Path
from typing import Any

import yaml

import equipoise
from equipoise.records.codec import decode
from equipoise.records.outcome_plan import OutcomePlan
from equipoise.records.plan import Plan
from studies.loss.compared_loss_runs import called

EXAMPLES = Path(equipoise.__file__).parent / "examples"
CODEX = {"harness": "codex", "model": "gpt-5.1-codex-2025-11-13", "provider": "openai"}


def starter(folder: Path) -> Path:
    """Writes the starter of outcome studies, with the built-in pack."""
    shutil.copytree(EXAMPLES / "starter_outcome", folder)
    shutil.copytree(EXAMPLES / "workshop", folder / "pack")
    return folder


def change(study: Path, **keys: Any) -> None:
    """Sets keys of the study file; null takes one out."""
    path = study / "study.yaml"
    given = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.BaseLoader) | keys
    kept = {key: value for key, value in given.items() if value is not None}
    plain = json.loads(json.dumps(kept))  # no part twice: YAML would write an alias for it
    path.write_text(yaml.safe_dump(plain, sort_keys=False), encoding="utf-8")


def planned(study: Path) -> OutcomePlan:
    """Plans the study and gives what it promises."""
    done = called("plan", study)
    assert done.exit_code == 0, done.output
    plan = decode(study.joinpath("plan.json").read_bytes(), Plan)
    assert isinstance(plan.outcome, OutcomePlan)
    return plan.outcome


def refused(study: Path, exit_code: int = 2) -> str:
    """Gives what is told where the study cannot be planned."""
    done = called("plan", study)
    assert done.exit_code == exit_code, done.output
    return done.output


def arm(name: str, skill: Any = None, **agent: Any) -> dict[str, Any]:
    """Gives an arm of a real harness, which is never started."""
    made = {"name": name, "agent": {**CODEX, **agent}}
    return made if skill is None else {**made, "skill": skill}
