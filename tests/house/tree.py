"""The files of the repository that belong to it, as the house tests see them."""

import subprocess
from functools import cache
from pathlib import Path

from house.documents import ROOT

SOURCE = ROOT / "src" / "equipoise"
PACKS = SOURCE / "examples" / "workshop"
"""Aged projects that agents are to work on, which are not written as the house is."""


@cache
def tracked() -> tuple[Path, ...]:
    """Every file that git knows, or, in a tree without git, every file that is not a by-product."""
    done = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, text=True, check=False
    )
    if done.returncode == 0:
        names = [name for name in done.stdout.split("\0") if name]
        return tuple(path for name in names if (path := ROOT / name).is_file())
    return tuple(
        path
        for path in sorted(ROOT.rglob("*"))
        if path.is_file() and not any(_is_by_product(part) for part in path.parts)
    )


def modules() -> list[Path]:
    """Every Python file of the package, of the tests and of the benchmarks."""
    return [path for path in tracked() if path.suffix == ".py" and not path.is_relative_to(PACKS)]


def name_of(path: Path) -> str:
    """The file's name from the top of the repository."""
    return path.relative_to(ROOT).as_posix()


def _is_by_product(part: str) -> bool:
    return part.startswith(".") or part in {"__pycache__", "build", "dist"}
