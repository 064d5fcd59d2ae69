"""Attempts that can only end with the agent's own end: by then a bound must have been reached."""

import os
import signal
import sys
import time
from io import FileIO

from .targets import Attempt, Targets


def write_endless_output(_: Targets) -> str:
    chunk = b"\x1b[2Jy" * 20_000
    while True:
        os.write(1, chunk)


def never_end(_: Targets) -> str:
    for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(name, signal.SIG_IGN)
    while True:
        time.sleep(60)


def burn_the_processor(_: Targets) -> str:
    for _n in range(3):
        if os.fork() == 0:
            break
    while True:
        pass


def fill_the_disk_with_many_files(of: Targets) -> str:
    n = 0
    while True:
        n += 1
        with open(os.path.join(of.workspace, f"part{n}"), "wb") as file:
            file.write(b"x" * 2**20)
        time.sleep(0.002)


def fill_the_disk_without_names(of: Targets) -> str:
    held: list[FileIO] = []
    while True:
        path = os.path.join(of.workspace, f"gone{len(held)}")
        held.append(open(path, "wb", buffering=0))
        os.unlink(path)
        held[-1].write(b"x" * 2**20)
        time.sleep(0.002)


def use_up_inodes(_: Targets) -> str:
    n = 0
    while True:
        n += 1
        os.mkdir(f"/tmp/{n}")


def bury_itself_in_folders(of: Targets) -> str:
    os.chdir(of.workspace)
    while True:
        os.mkdir("d" * 100)
        os.chdir("d" * 100)
        time.sleep(0.001)


def kill_everything_it_sees(_: Targets) -> str:
    os.kill(-1, signal.SIGKILL)
    sys.exit(0)


ATTEMPTS: tuple[Attempt, ...] = (
    write_endless_output,
    never_end,
    burn_the_processor,
    fill_the_disk_with_many_files,
    fill_the_disk_without_names,
    use_up_inodes,
    bury_itself_in_folders,
    kill_everything_it_sees,
)
