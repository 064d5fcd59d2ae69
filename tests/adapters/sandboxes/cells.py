"""Jobs for the tests of sandboxes."""

import sys
from pathlib import Path

import pytest

from equipoise.adapters.sandboxes.bubblewrap import MEND, found
from equipoise.ports.agents import Bounds, Job, Mount

needs_bubblewrap = pytest.mark.skipif(
    found() is None, reason=f"bubblewrap is not here; mend: {MEND}"
)


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
