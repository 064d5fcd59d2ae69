"""Importing the package prints nothing and loads nothing heavy."""

import subprocess
import sys


def test_importing_the_package_is_silent_and_light() -> None:
    code = (
        "import equipoise, equipoise.errors, sys;"
        "heavy = {'numpy', 'scipy', 'duckdb', 'pydantic', 'rich'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
    assert done.stderr == ""
