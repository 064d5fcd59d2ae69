"""A store at work in a process of its own, killed with SIGKILL after a while."""

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

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


def kill_often(
    use: tuple[StateSpec, Path, Path, str],
    prepare: Callable[[], object],
    settle: Callable[[], object],
    *,
    n_cut: int = 2,
) -> None:
    """Cuts the work off `n_cut` times at moments all over it, with `settle` after each."""
    spec, root, keep, verb = use
    moments = np.random.default_rng(len(verb))
    prepare()
    _, whole = kill_after(None, spec, root, keep, verb)
    settle()
    for _ in range(8 * n_cut):
        prepare()
        is_done, took = kill_after(moments.uniform(0, whole), spec, root, keep, verb)
        whole = took if is_done else whole
        settle()
        n_cut -= not is_done
        if not n_cut:
            return
    pytest.fail(f"{n_cut} cuts are still to come: the work is too quick to be cut")


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
