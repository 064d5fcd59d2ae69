"""Programs of the workspace, run beside the program under test, for tests that drive them."""

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest


class Finished(NamedTuple):
    """What became of a program: its exit code and what it printed."""

    returncode: int
    stdout: str
    stderr: str


class Programs:
    """A plugin of pytest with the fixture `program`."""

    def __init__(self, run: Callable[..., Any]) -> None:
        """Takes who runs them: words, text for stdin, seconds, variables."""
        self._run = run

    @pytest.fixture
    def program(self) -> Callable[..., Finished]:
        """Gives a function: words -> what became of the program; `python` is its interpreter."""

        def program(
            *words: str, text: str = "", seconds: float = 60.0, **variables: str
        ) -> Finished:
            return Finished(*self._run(list(words), text, seconds, variables))

        return program
