"""A full disk or Ctrl-C stops grading: a line says so, a whole archive is left, and it goes on."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from studies.loss.executed import executed_study
from studies.loss.made_study import CATALOG, unit_line
from studies.loss.runs import equipoise_apart
from studies.loss.test_grading_killed import contents, large


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this machine lets us mount no tmpfs")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.slow
def test_a_full_disk_is_told_and_what_was_graded_stays(small_disk: Path) -> None:
    units = [
        unit_line(number, intent=intent, kind="deterministic")
        for intent in ("refund", "invoice")
        for number in range(1, 31)
    ]
    catalog = {**CATALOG, "categories": CATALOG["categories"][:1]}
    folder = small_disk / "study"
    executed_study(folder, units=units, catalog=catalog, mde="0.3", is_durable=False)
    for verb in ("grade", "compare"):
        fill = small_disk / "fill"
        free = os.statvfs(small_disk)
        fill.write_bytes(bytes(free.f_bavail * free.f_bsize - 8 * 1024))
        done = equipoise_apart(verb, folder, code=3)
        assert done.stderr.startswith("equipoise: disk full while ")
        assert "mend: free space, then again" in done.stderr
        fill.unlink()
        equipoise_apart(verb, folder)
        equipoise_apart("verify", folder)


@pytest.mark.slow
def test_ctrl_c_ends_every_process_without_a_traceback(tmp_path: Path) -> None:
    """A terminal sends it to all processes of the group at once."""
    whole, folder = large(tmp_path / "whole", 2400), tmp_path / "stopped"
    shutil.copytree(whole, folder)
    began = time.monotonic()
    equipoise_apart("grade", whole)
    lasted = time.monotonic() - began
    argv = [sys.executable, "-m", "equipoise", "grade", str(folder)]
    for share in (0.2, 0.4, 0.5, 0.6, 0.7, 0.8):
        with subprocess.Popen(
            argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, process_group=0
        ) as program:
            time.sleep(lasted * share)
            os.killpg(program.pid, signal.SIGINT)
            _, err = program.communicate(timeout=60)
        if program.returncode == 0:
            continue
        assert program.returncode in {130, -signal.SIGINT}
        assert err == "equipoise: interrupted\n"
        equipoise_apart("verify", folder)
    equipoise_apart("grade", folder)
    assert contents(folder) == contents(whole)
