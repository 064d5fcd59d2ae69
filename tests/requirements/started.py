"""The starter study, changed a little, and the commands a user types on it."""

from pathlib import Path

from typed import NOON
from typed import equipoise as typed_alone


def equipoise(*words: str | Path, code: int = 0) -> str:
    """Calls the program as a user does, at a fixed time, and gives all that it prints."""
    return typed_alone(*words, code=code, SOURCE_DATE_EPOCH=NOON)


_SMALL = (("mde: 0.25", "mde: 0.5"), ("sample: 52", "sample: 13"))


def sealed(folder: Path, *changes: tuple[str, str]) -> Path:
    """The starter study with few units, planned and sealed.

    Each change replaces a text of `study.yaml`.
    """
    equipoise("init", "loss", folder)
    text = folder.joinpath("study.yaml").read_text("utf-8")
    for found, wanted in (*_SMALL, *changes):
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
