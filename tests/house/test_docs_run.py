"""What the documents tell a reader to type works, and prints what they say it prints."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from house.documents import ROOT, Block, blocks, documents


def _named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


_HELD_ELSEWHERE = {"docs/reference/calc.md": "tests/cli/test_calc_reference.py"}
_WHOLE_STUDIES = {
    "docs/how-to/any-agent.md",
    "docs/how-to/ci.md",
    "docs/how-to/from-your-logs.md",
    "docs/how-to/loss-study.md",
    "examples/helpdesk/README.md",
}
"""Documents that run studies as the tutorial does; `make test-slow` types them too."""

_RUN = [
    pytest.param(path, marks=[pytest.mark.slow] if _named(path) in _WHOLE_STUDIES else [])
    for path in documents()
    if _named(path) not in _HELD_ELSEWHERE
    and any(not block.not_run for block in blocks(path.read_text("utf-8")))
]


@pytest.mark.parametrize("path", _RUN, ids=_named)
def test_the_commands_of_a_document_run_as_written(path: Path, tmp_path: Path) -> None:
    desk = tmp_path / "desk"
    desk.mkdir()
    desk.joinpath("examples").symlink_to(ROOT / "examples")
    surroundings = _surroundings(tmp_path)
    for block in blocks(path.read_text("utf-8")):
        if not block.not_run:
            _run(block, desk, surroundings)


@pytest.mark.parametrize("document", _HELD_ELSEWHERE)
def test_a_document_left_out_here_is_held_by_another_test(document: str) -> None:
    assert Path(document).name in ROOT.joinpath(_HELD_ELSEWHERE[document]).read_text("utf-8")


def _run(block: Block, desk: Path, surroundings: dict[str, str]) -> None:
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


def _surroundings(tmp_path: Path) -> dict[str, str]:
    """This interpreter and this source tree under the names a reader types."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, call in (("python", ""), ("python3", ""), ("equipoise", "-m equipoise ")):
        program = programs / name
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" {call}"$@"\n')
        program.chmod(0o755)
    return os.environ | {
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "src"),
    }
