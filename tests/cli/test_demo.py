"""The demo from two running releases to a verified verdict: what was planted is found, no more."""

import json
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.requirement("I-10")
def test_the_demo_finds_what_was_planted_and_nothing_else(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "equipoise", "demo", "-o", str(tmp_path / "out")],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    comparison = tmp_path / "out" / "comparison"
    assert f"verified: {comparison}" in done.stdout
    assert comparison.joinpath("report", "index.html").resolve().as_uri() in done.stdout
    estimates = json.loads(comparison.joinpath("estimates.json").read_bytes())["comparisons"]
    verdicts = json.loads(comparison.joinpath("verdicts.json").read_bytes())
    listed = {
        (one["cell"]["value"].partition(" × ")[0], verdict["word"])
        for one, verdict in zip(estimates, verdicts, strict=True)
        if verdict["is_listed"]
    }
    assert listed == {("refund", "worse"), ("invoice", "better")}
