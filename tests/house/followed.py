"""Follows a document as its reader does: types its commands and holds what they print."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from house.documents import ROOT, Block, blocks


@dataclass(frozen=True, slots=True, kw_only=True)
class Followed:
    """The folder where the commands were typed, and what each block of them printed."""

    desk: Path
    said: tuple[str, ...]


def follow(document: Path, folder: Path, **environment: str) -> Followed:
    """Types every block of the document that can be run; one that ends otherwise fails the test.

    Args:
        document: a Markdown file.
        folder: in which the reader's folder is made, with the examples of the repository in it.
        environment: variables to set.
    """
    desk = folder / "desk"
    desk.mkdir()
    desk.joinpath("examples").symlink_to(ROOT / "examples")
    surroundings = _surroundings(folder) | environment
    known = blocks(document.read_text("utf-8"))
    said = tuple(_typed(block, desk, surroundings) for block in known if not block.not_run)
    return Followed(desk=desk, said=said)


def _typed(block: Block, desk: Path, surroundings: dict[str, str]) -> str:
    done = subprocess.run(
        ["bash", "-e", "-c", block.commands],
        cwd=desk,
        env=surroundings,
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    told = f"$ {block.commands}\n{done.stdout}{done.stderr}"
    assert done.returncode == block.exit_code, told
    is_as_written = _pattern(block.prints).fullmatch(_lines(done.stdout + done.stderr))
    assert not block.prints or is_as_written, f"{told}\n-- the document says:\n{block.prints}"
    return done.stdout


def _lines(text: str) -> str:
    """The lines that say something, without what stands before and after them."""
    return "".join(f"{line.strip()}\n" for line in text.splitlines() if line.strip())


def _pattern(prints: str) -> re.Pattern[str]:
    """A line ``...`` stands for any lines, even none; ``...`` in a line for anything in it."""
    lines = [
        "(?:.*\n)*" if line == "..." else re.escape(line).replace(r"\.\.\.", ".*") + "\n"
        for line in _lines(prints).splitlines()
    ]
    return re.compile("".join(lines))


def _surroundings(folder: Path) -> dict[str, str]:
    """This interpreter and this source tree under the names a reader types."""
    programs = folder / "bin"
    programs.mkdir()
    for name, call in (("python", ""), ("python3", ""), ("equipoise", "-m equipoise ")):
        program = programs / name
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" {call}"$@"\n')
        program.chmod(0o755)
    return os.environ | {
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "src"),
    }
