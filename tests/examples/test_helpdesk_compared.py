"""Two drives compared as anybody's runs are: what was planted is found, and no more."""

import json
import subprocess
import sys
from pathlib import Path

from equipoise.examples.helpdesk import MAPPING
from equipoise.examples.helpdesk.drive.driver import Drive, drive


def test_imported_runs_show_what_was_planted_and_nothing_else(tmp_path: Path) -> None:
    runs = [
        drive(Drive(release=release, out=tmp_path / f"release-{release}", own_dice=True)).runs
        for release in (1, 2)
    ]
    comparison = tmp_path / "comparison"
    done = subprocess.run(
        [
            *(sys.executable, "-m", "equipoise", "compare", *map(str, runs)),
            *("-o", str(comparison), "--map", str(MAPPING)),
            *("--partition", "intent", "--partition", "intent*language*channel"),
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 1, done.stderr
    assert "= release-2: EQUIVALENT to release-1" in done.stdout
    estimates = json.loads(comparison.joinpath("estimates.json").read_bytes())["comparisons"]
    verdicts = json.loads(comparison.joinpath("verdicts.json").read_bytes())
    listed = {
        (one["cell"]["value"].partition(" × ")[0], verdict["word"])
        for one, verdict in zip(estimates, verdicts, strict=True)
        if verdict["is_listed"]
    }
    assert listed == {("refund", "worse"), ("invoice", "better")}
