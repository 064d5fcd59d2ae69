"""Jobs for the tests of sandboxes."""

import subprocess
import sys
from pathlib import Path

import pytest

from equipoise.adapters.sandboxes.bubblewrap import MEND, found
from equipoise.ports.agents import Bounds, Job, Mount


def _why_not() -> str:
    """Says why bubblewrap cannot be tried here: by itself, with nothing of ours."""
    program = found()
    if program is None:
        return f"bubblewrap is not here; mend: {MEND}"
    plain = ["--unshare-all", "--ro-bind", "/", "/", "--", "/bin/true"]
    done = subprocess.run([program, *plain], capture_output=True, text=True, check=False)
    return f"no namespaces here: {done.stderr.strip()}" if done.returncode else ""


_WHY_NOT = _why_not()
needs_bubblewrap = pytest.mark.skipif(bool(_WHY_NOT), reason=_WHY_NOT)


def shell(script: str, workspace: Path, *, bounds: Bounds | None = None, **more: str) -> Job:
    """Gives a job that runs a script of the shell in a workspace, at ``/ws``."""
    return Job(
        argv=["/bin/sh", "-c", script],
        lease="test/agent",
        folder="/ws",
        environment={"PATH": "/usr/bin:/bin", **more},
        mounts=[Mount(source=workspace, target="/ws", is_writable=True)],
        bounds=bounds or Bounds(wall_s=30),
    )


def python() -> tuple[str, list[Mount]]:
    """Gives a Python for a job, and the mounts that it needs: none where it is the system's."""
    base = Path(sys.base_prefix)
    program = base / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}"
    if base.is_relative_to("/usr"):
        return str(program), []
    return str(program), [Mount(source=base, target=str(base))]
