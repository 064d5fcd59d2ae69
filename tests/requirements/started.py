"""The starter study, changed a little, and the commands a user types on it."""

import os
import subprocess
import sys
from pathlib import Path

WHEN = "1767312000"


def equipoise(*words: str | Path, code: int = 0) -> str:
    """Calls the program as a user does, at a fixed time, and gives all that it prints."""
    done = subprocess.run(
        [sys.executable, "-m", "equipoise", *map(str, words)],
        env=os.environ | {"SOURCE_DATE_EPOCH": WHEN},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


def sealed(folder: Path, *changes: tuple[str, str]) -> Path:
    """The starter study, planned and sealed; each change replaces a text of `study.yaml`."""
    equipoise("init", "loss", folder)
    text = folder.joinpath("study.yaml").read_text("utf-8")
    for found, wanted in changes:
        assert found in text
        text = text.replace(found, wanted)
    folder.joinpath("study.yaml").write_text(text, encoding="utf-8")
    equipoise("plan", folder)
    equipoise("seal", folder)
    return folder


def executed(folder: Path, *options: str) -> Path:
    """The study after `run` and `grade`."""
    equipoise("run", folder, *options)
    equipoise("grade", folder)
    return folder
