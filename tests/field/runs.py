"""Small runs files of two arms for the field cases, and the command line as a process."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typed import typed

SOURCE = Path(__file__).parents[2] / "src"


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    """Writes rows as JSON Lines; NaN is written as NaN, as many tools do."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def passes(arm: str, values: Iterable[Any], **same: Any) -> list[dict[str, Any]]:
    """Gives one row per value: unit u0, u1, ... of an arm."""
    return [
        {"arm": arm, "unit": f"u{i:03}", "outcome": value, **same} for i, value in enumerate(values)
    ]


def both(values: Iterable[Any], **same: Any) -> list[dict[str, Any]]:
    """Gives the same rows for the arms base and new."""
    given = list(values)
    return [row for arm in ("base", "new") for row in passes(arm, given, **same)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """What a process of the command line gave back."""

    code: int
    out: str
    err: str


def process(*args: object, cwd: Path, before: str = "", **environment: str) -> Process:
    """Runs the command line in a folder, as a process of its own where that makes a difference.

    Args:
        args: arguments.
        cwd: its folder.
        before: shell text in front of it, such as a limit.
        environment: variables to set.
    """
    if not before and not environment:
        with chdir(cwd):
            told_here = typed(*args)
        return Process(code=told_here.code, out=told_here.out, err=told_here.err)
    command = [sys.executable, "-m", "equipoise", *map(str, args)]
    if before:
        command = ["bash", "-c", f'{before}; exec "$@"', "bash", *command]
    done = subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(SOURCE), **environment},
        capture_output=True,
        check=False,
    )
    told = Process(
        code=done.returncode,
        out=done.stdout.decode("utf-8", "replace"),
        err=done.stderr.decode("utf-8", "replace"),
    )
    assert "Traceback" not in told.err, told.err
    return told
