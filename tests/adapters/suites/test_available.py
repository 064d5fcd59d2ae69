"""What workspaces and hidden suites need is found out by asking it."""

import sys
from pathlib import Path

import pytest

from equipoise.adapters.suites.interpreters import available as pytest_available
from equipoise.adapters.suites.interpreters import of_the_program, ours
from equipoise.adapters.workspaces.git import available as git_available
from equipoise.errors import InputError


def test_what_the_tests_themselves_use_is_there() -> None:
    for found in (pytest_available(), git_available()):
        assert found.is_available, found
        assert found.version[0].isdecimal()
        assert not found.why_not


def test_another_python_is_asked_where_it_lies(tmp_path: Path) -> None:
    assert of_the_program(Path(sys.executable)) == ours()
    program = tmp_path / "python"
    for script, what in (
        ("echo hello", "does not answer"),
        ("echo '{\"version\": [3, 6]}'", "3.6"),
    ):
        program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        program.chmod(0o755)
        with pytest.raises(InputError, match=what):
            of_the_program(program)
    with pytest.raises(InputError, match="does not answer"):
        of_the_program(tmp_path / "nothing")
