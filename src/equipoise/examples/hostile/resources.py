"""Attempts to use more than there is for one agent, and to go on after the end."""

import os
import signal
import sys
import time
from contextlib import suppress

from .targets import Attempt, Targets

_MIB = 2**20


def fill_a_file(of: Targets) -> str:
    """Writes a file that is larger than a file may be."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    path = os.path.join(of.workspace, "large")
    try:
        with suppress(OSError), open(path, "wb", buffering=0) as file:
            while os.fstat(file.fileno()).st_size <= of.file_bytes + 4 * _MIB:
                file.write(b"x" * _MIB)
        size = os.stat(path).st_size
    finally:
        os.unlink(path)
    return str(size) if size > of.file_bytes else ""


def fill_memory_with_files(of: Targets) -> str:
    """Fills every folder that is kept in memory."""
    for folder in ("/tmp", os.path.expanduser("~"), "/dev/shm", "/dev", "/", "/run", "/var/tmp"):
        n_bytes = 0
        made: list[str] = []
        with suppress(OSError):
            while n_bytes <= max(of.tmp_bytes, 64 * _MIB) + 4 * _MIB:
                made.append(os.path.join(folder, f"fill{len(made)}"))
                with open(made[-1], "wb", buffering=0) as file:
                    n_bytes += file.write(b"x" * _MIB)
        for path in made:
            with suppress(OSError):
                os.unlink(path)
        if n_bytes > max(of.tmp_bytes, 64 * _MIB):
            return f"{folder}: {n_bytes}"
    return ""


def open_endless_files(of: Targets) -> str:
    held: list[int] = []
    with suppress(OSError):
        while len(held) <= of.n_files_open + 10:
            held.append(os.open("/dev/null", os.O_RDONLY))
    n_open = len(held)
    for file in held:
        os.close(file)
    return str(n_open) if n_open > of.n_files_open else ""


def bomb_with_forks(of: Targets) -> str:
    """Starts processes until it is refused."""
    pids: list[int] = []
    with suppress(OSError):
        while len(pids) <= of.n_processes + 50:
            pid = os.fork()
            if pid == 0:
                time.sleep(20)
                os._exit(0)
            pids.append(pid)
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    for pid in pids:
        os.waitpid(pid, 0)
    return str(len(pids)) if len(pids) > of.n_processes + 8 else ""


def take_all_memory(of: Targets) -> str:
    """Fills twice the memory that there is for it; the kernel may end it."""
    held = bytearray()
    while len(held) < 2 * of.memory_bytes:
        held += b"x" * (16 * _MIB)
    return str(len(held))


def stay_as_a_daemon(of: Targets) -> str:
    """Leaves a process that counts in the workspace; the judge is outside."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for name in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                signal.signal(name, signal.SIG_IGN)
            os.closerange(3, 64)
            null = os.open("/dev/null", os.O_RDWR)
            for number in range(3):
                os.dup2(null, number)
            for n in range(3000):
                with open(os.path.join(of.workspace, "beat"), "w") as file:
                    file.write(str(n))
                time.sleep(0.01)
        os._exit(0)
    time.sleep(0.1)
    return ""


def write_to_the_terminal(_: Targets) -> str:
    """Writes what a terminal would obey; the judge is outside."""
    sys.stderr.write("\x1b]0;owned\x07\x1b[2J\x1b[31mall tests passed\x1b]52;c;b3duZWQ=\x07\n")
    sys.stderr.flush()
    return ""


ATTEMPTS: tuple[Attempt, ...] = (
    fill_a_file,
    fill_memory_with_files,
    open_endless_files,
    bomb_with_forks,
    take_all_memory,
    stay_as_a_daemon,
    write_to_the_terminal,
)
