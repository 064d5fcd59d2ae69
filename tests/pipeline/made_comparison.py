"""A small comparison made by the product, for the tests that look at it and alter it."""

import json
from pathlib import Path

from click.testing import CliRunner

from equipoise.cli import commands


def run(*args: object) -> tuple[int, str, str]:
    """Runs the command line in this process; gives exit code, stdout and stderr."""
    done = CliRunner().invoke(commands, [str(arg) for arg in args], catch_exceptions=False)
    return done.exit_code, done.stdout, done.stderr


def write_runs(path: Path, passes: dict[str, bool], *, topic_of: str = "ab") -> Path:
    """Writes one row per unit, with a topic that depends on the unit alone."""
    lines = [
        json.dumps({"id": unit, "passed": passed, "topic": topic_of[i % len(topic_of)]})
        for i, (unit, passed) in enumerate(passes.items())
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def made(folder: Path, *options: str) -> Path:
    """Compares two files of 60 units; the new arm passes half of what the baseline fails."""
    base = write_runs(folder / "base.jsonl", {f"u{i:02}": i % 3 == 0 for i in range(60)})
    new = write_runs(folder / "new.jsonl", {f"u{i:02}": i % 3 != 1 for i in range(60)})
    out = folder / "comparison"
    code, _, err = run("compare", base, new, "-o", out, "--partition", "topic", *options)
    assert code == 0, err
    return out
