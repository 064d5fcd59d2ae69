"""Runs a program in the working folder."""

import os
import subprocess
import sys


def run(
    argv: list[str], text: str, seconds: float, variables: dict[str, str]
) -> tuple[int, str, str]:
    """Gives exit code and output of a program; `python` is the interpreter that runs us."""
    words = [sys.executable if word == "python" else word for word in argv[:1]] + argv[1:]
    done = subprocess.run(  # noqa: S603  a program of the workspace, inside its sandbox
        words,
        input=text,
        env=dict(os.environ) | variables,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=seconds,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr
