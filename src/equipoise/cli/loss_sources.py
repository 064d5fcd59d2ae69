"""Tells a loss study, and archives of its runs, from everything else that can be given."""

import json
from pathlib import Path

_MANIFEST = "archive.json"
_STUDY = ("study.yaml", "plan.json")


def is_loss(sources: tuple[str, ...]) -> bool:
    """Says whether the sources are a loss study, or archives of runs of one."""
    paths = [Path(text) for text in sources]
    if len(paths) == 1 and is_study(paths[0]):
        return True
    return len(paths) == 2 and all(_is_run(path) for path in paths)


def is_study(path: Path) -> bool:
    """Says whether the path is the folder of a study."""
    return any((path / name).is_file() for name in _STUDY) and not (path / _MANIFEST).is_file()


def _is_run(path: Path) -> bool:
    if not (path / _MANIFEST).is_file():
        return False
    try:
        read = json.loads(path.joinpath(_MANIFEST).read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(read, dict) and read.get("kind") == "run"


def is_loss_report(path: Path) -> bool:
    """Says whether the path is a study, or the folder of a comparison of one."""
    return is_study(path) or path.joinpath("regressions.json").is_file()
