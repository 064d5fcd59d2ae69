"""Comparing loads no library that it does not need: `scipy.stats` alone costs a second."""

import subprocess
import sys


def test_comparing_does_not_load_scipy_stats() -> None:
    code = "import equipoise.cli.comparing, sys; print('scipy.stats' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
