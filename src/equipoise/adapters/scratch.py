"""Folders for a moment's work, named after the process that works in them.

So whoever starts after a kill sees whose they were, and removes those that belong to nobody.
"""

import hashlib
import itertools
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_NUMBERS = itertools.count(1)
_PREFIX = "equipoise-scratch"


@contextmanager
def scratch() -> Iterator[Path]:
    """Gives a new folder that is ours alone, and removes it afterwards."""
    pid = os.getpid()
    words = (_PREFIX, _machine(), str(pid), _started(pid), str(next(_NUMBERS)))
    folder = Path(tempfile.gettempdir(), "-".join(words))
    folder.mkdir(mode=0o700)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def sweep() -> tuple[str, ...]:
    """Removes the folders of processes that are gone, and gives their paths.

    One of another start of the machine, or of another container, is not ours to judge.
    """
    gone = []
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}-{_machine()}-*"):
        pid, _, rest = folder.name.removeprefix(f"{_PREFIX}-{_machine()}-").partition("-")
        is_left = pid.isdecimal() and _started(int(pid)) != rest.partition("-")[0]
        with suppress(OSError):
            if is_left and folder.lstat().st_uid == os.geteuid():
                shutil.rmtree(folder)
                gone.append(str(folder))
    return tuple(gone)


def _machine() -> str:
    """Names the start of the machine, and the namespace in which our process numbers count."""
    told = ""
    with suppress(OSError):
        told += Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii")
    with suppress(OSError):
        told += str(Path("/proc/self/ns/pid").readlink())
    return hashlib.sha256(told.encode()).hexdigest()[:12]


def _started(pid: int) -> str:
    """Gives when a process was started, which together with its number names it; "" if gone."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    fields = stat.rpartition(")")[2].split()
    return fields[19] if fields[0] not in "ZX" else ""
