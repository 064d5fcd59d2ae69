"""A grading that is killed goes on where it was: same bytes as one that was not.

What is left is graded by one process, the whole by several: that makes no difference either.
"""

import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from equipoise.pipeline.verifying import verify_archive
from studies.loss.executed import archive_of, executed_study
from studies.loss.made_study import unit_line
from studies.loss.runs import equipoise_apart
from studies.loss.test_grading import SILENT, WRONG

CATALOG = {
    "version": "v1",
    "categories": [WRONG, SILENT, WRONG | {"id": "again"}, {**SILENT, "id": "code"}],
}
FILES = ("archive.json", "head.json", "grades.jsonl", "documents.jsonl", "notices.jsonl")


def large(folder: Path, n: int) -> Path:
    units = [
        unit_line(number, intent=intent, kind="deterministic")
        for intent in ("refund", "invoice")
        for number in range(1, n // 2 + 1)
    ]
    return executed_study(
        folder,
        lambda unit, arm, _: {"output": f"{unit} {arm} refunded 0 cents\n".encode() * 3},
        catalog=CATALOG,
        units=units,
        mde="0.01",
        is_durable=False,
    )


def contents(study: Path) -> dict[str, bytes]:
    path = archive_of(study, "release-2").path
    return {name: path.joinpath(name).read_bytes() for name in FILES}


@pytest.mark.parametrize(
    ("n_units", "n_kills"), [(1200, 3), pytest.param(4000, 60, marks=pytest.mark.slow)]
)
def test_a_killed_grading_ends_in_the_same_bytes(
    tmp_path: Path, n_units: int, n_kills: int
) -> None:
    whole, untouched = large(tmp_path / "whole", n_units), tmp_path / "untouched"
    killed = tmp_path / "killed"
    for copy in (untouched, killed):
        shutil.copytree(whole, copy)
    began = time.monotonic()
    equipoise_apart("grade", whole, "--arm", "release-2")
    lasted = time.monotonic() - began
    rng = np.random.default_rng(5)
    n_killed = n_here = 0
    while n_killed < n_kills or not n_here:
        argv = [sys.executable, "-m", "equipoise", "grade", str(killed), "--arm", "release-2"]
        with subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as program:
            time.sleep(lasted * float(rng.uniform(0.2, 1.0)))
            program.send_signal(signal.SIGKILL)
        if program.returncode == -signal.SIGKILL:
            n_killed, n_here = n_killed + 1, n_here + 1
        else:  # it had ended before: the machine is less busy now
            lasted, n_here = 0.8 * lasted, 0
            shutil.rmtree(killed)
            shutil.copytree(untouched, killed)
    equipoise_apart("grade", killed, "--arm", "release-2")
    assert contents(killed) == contents(whole)
    path = archive_of(killed, "release-2").path
    assert [fault for fault in verify_archive(path) if not fault.is_note] == []
