"""What workers of a run that was killed left: waited for, ended, removed."""

import fcntl
import shutil
import time
from collections.abc import Callable
from pathlib import Path

from equipoise.adapters.executors.worker import ALIVE
from equipoise.errors import Blocked

WORKERS = "workers"
"""Folder in that of a run in which each worker has its own."""

_POLL_S = 0.1


def end_workers(work: Path, sweep: Callable[[Path], int], *, longest_s: float = 30.0) -> int:
    """Waits until no worker of an earlier start is at work on the run, and ends what they left.

    A worker ends when it loses the process that drives it; until then it holds a lock in its
    folder. It is waited for up to `longest_s` seconds.

    Raises:
        Blocked: one is still at work.
    """
    n_ended, until = 0, time.monotonic() + longest_s
    folders = sorted(work.joinpath(WORKERS).glob("*/"))
    for folder in folders:
        while not _has_ended(folder):
            if time.monotonic() > until:
                raise Blocked(
                    f"process {folder.joinpath(ALIVE).read_text('utf-8').strip()}, a worker of an "
                    f"earlier start, is still at work in {folder}; mend: end it, then run again"
                )
            time.sleep(_POLL_S)
        n_ended += sweep(folder)
        shutil.rmtree(folder, ignore_errors=True)
    return n_ended


def _has_ended(folder: Path) -> bool:
    try:
        with (folder / ALIVE).open("rb+") as alive:
            fcntl.flock(alive, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except FileNotFoundError:
        return True
    return True
