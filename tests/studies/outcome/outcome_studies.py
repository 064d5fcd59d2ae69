"""Outcome studies on the built-in pack, with stand-ins whose work is known beforehand."""

import json
import shutil
from pathlib import Path
from typing import Any

import yaml

import equipoise
from studies.loss.compared_loss_runs import called

EXAMPLES = Path(equipoise.__file__).parent / "examples"
FIX, FEATURE = "i01-last-day-missing", "f01-export"
STRONG = ("literal", "senior")


def scripted(name: str, harness: dict[str, Any]) -> dict[str, Any]:
    """An arm that is a stand-in."""
    provider = {"scripted": "model.yaml"}
    agent = {"harness": {"scripted": harness}, "model": "stand-in-2026-01-01", "provider": provider}
    return {"name": name, "agent": agent}


def of_the_pack(name: str) -> dict[str, Any]:
    """An arm that is a stand-in of the built-in pack."""
    return scripted(name, {"scenario": f"pack/agents/{name}.yaml"})


def made(folder: Path, arms: list[dict[str, Any]], **keys: Any) -> Path:
    """A study folder with a copy of the built-in pack."""
    shutil.copytree(EXAMPLES / "workshop", folder / "pack")
    folder.joinpath("model.yaml").write_text("turns: [{say: done}]\n", encoding="ascii")
    written = {
        "kind": "outcome",
        "title": "Who thinks of what nobody wrote down?",
        "question": "Does a stand-in that thinks further pass more hidden tests?",
        "seed": "1",
        "pack": "pack",
        "scenarios": [FIX, FEATURE],
        "without_stops": "They are run in a study of their own.",
        "baseline": arms[0]["name"],
        "is_simulated": "true",
        "arms": arms,
        **keys,
    }
    folder.joinpath("study.yaml").write_text(
        yaml.safe_dump(json.loads(json.dumps(written))), encoding="utf-8"
    )
    return folder


def graded(study: Path) -> Path:
    """The study planned, sealed, run and graded."""
    for verb in ("plan", "seal", "run", "grade"):
        done = called(verb, study)
        assert done.exit_code == 0, done.output
    return study


def comparison(study: Path) -> Path:
    """The folder of the only comparison."""
    (folder,) = study.glob("comparisons/*")
    return folder


def lines(path: Path) -> list[dict[str, Any]]:
    """The lines of a JSONL file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
