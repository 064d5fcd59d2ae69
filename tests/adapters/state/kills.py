"""A store at work in a process of its own, killed with SIGKILL after a while."""

import subprocess
import sys
import time
from pathlib import Path

from equipoise.records.plan import StateSpec

_PROGRAM = """
import sys
from pathlib import Path
from equipoise.records.plan import StateSpec
from equipoise.wiring import state_store
kind, target, root, keep, *verbs = sys.argv[1:]
store = state_store(StateSpec(kind=kind, target=target), Path(root))
print("go", flush=True)
for verb in verbs:
    getattr(store, verb)(Path(keep))
print("done", flush=True)
"""


def kill_after(
    seconds: float | None, spec: StateSpec, root: Path, keep: Path, *verbs: str
) -> tuple[bool, float]:
    """Gives whether the process had finished before it was killed, and how long it worked."""
    with subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, spec.kind, spec.target, str(root), str(keep), *verbs],
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == b"go\n"
        begin = time.perf_counter()
        if seconds is not None:
            time.sleep(seconds)
            process.kill()
        told = process.stdout.read()
        return told == b"done\n", time.perf_counter() - begin
