"""Executed loss studies whose judged category is found by judges that are stand-ins."""

import json
from pathlib import Path
from typing import Any

from equipoise.archive.store import Archive
from equipoise.blind.private_files import write_private
from equipoise.pipeline.judging_terms import Means
from equipoise.records.judgement import Judgement
from equipoise.studies.loss.grading_told import Told
from equipoise.wiring.judges import judges as judges_of
from studies.loss.executed import NOW, executed_study, grade
from studies.loss.executed import archive_of as run_of
from studies.loss.test_grading import WRONG

TONE: dict[str, Any] = {
    "id": "tone_off",
    "weight": 0.1,
    "type": "model_judged",
    "max": 2,
    "about": "The amount is nothing at all.",
}
CATALOG: dict[str, Any] = {"version": "v1", "categories": [WRONG, TONE]}
NOTHING = "refunded 0 cents"


def judge(name: str = "reader", **rule: Any) -> dict[str, Any]:
    """A judge that finds `NOTHING` in what it is shown; a keyword changes its rule."""
    script = {"finds": NOTHING} | rule
    return {
        "name": name,
        "model": {
            "model": "gpt-5-mini-2025-08-07",
            "provider": {"scripted_judge": {key: str(value) for key, value in script.items()}},
        },
    }


def judged_study(
    folder: Path, *judges: dict[str, Any], policy: str = "double", **more: Any
) -> Path:
    """An executed study with these judges; `more` goes to the judges' mapping or the study."""
    said = {"policy": policy, "judges": list(judges) or [judge()]} | more.pop("judges", {})
    study = executed_study(folder, judges=json.dumps(said), **({"catalog": CATALOG} | more))
    study.joinpath("judgements").mkdir()
    write_private(study / "judgements" / "secret", b"5" * 64)  # what is drawn hangs on it
    return study


def ask(study: Path, **means: Any) -> dict[str, Told]:
    """Grades a study, asking its judges, and gives what came of it by arm."""
    held = Means(opened=judges_of(study, lambda: NOW), clock=lambda: NOW, **means)
    return grade(study, judges=held)


def judgements(study: Path, arm: str = "release-1") -> list[Judgement]:
    """Gives the judgements of an arm's run, in order."""
    return list(judged_archive(study, arm).read(Judgement))


def judged_archive(study: Path, arm: str = "release-1") -> Archive:
    """Opens the archive of judgements of an arm's run."""
    return Archive.open(study / "judgements" / run_of(study, arm).path.name)
