"""An interrupt ends a command cleanly at any moment, while it is still being loaded too."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from every import for_every
from typed import equipoise

MOMENTS = (
    "signal",
    "click.core",
    "equipoise.cli",
    "yaml",
    "pydantic_core",
    "numpy",
    "scipy.special",
)
"""Modules in the order in which `plan` loads them."""


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("interrupted") / "study"
    equipoise("init", "loss", folder)
    return folder


@for_every("module", MOMENTS)
def test_an_interrupt_while_it_loads_is_one_line_and_130(module: str, study: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-X", "importtime", "-m", "equipoise", "plan", str(study)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as program:
        assert program.stderr
        said = []
        for line in program.stderr:
            said.append(line)
            if line.startswith("import time:") and line.rpartition("|")[2].strip() == module:
                os.kill(program.pid, signal.SIGINT)
                break
        else:
            pytest.fail(f"{module} is not loaded")
        said += program.stderr
    told = [line for line in said if not line.startswith("import time:")]
    assert told == ["equipoise: interrupted\n"]
    assert program.returncode == 130
