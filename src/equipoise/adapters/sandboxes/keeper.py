"""A keeper of jobs, one at a time: starts it, watches it, ends its whole tree, reports.

It is forked from the spawner and becomes the parent of whatever a job leaves behind, so no process
of the job can get away from it. It ends the job when the run that asked for it is gone.
"""

import ctypes
import json
import os
import resource
import select
import signal
import socket
import time
from contextlib import suppress
from typing import NoReturn

from equipoise.adapters.sandboxes.groups import Joined
from equipoise.adapters.sandboxes.handing import received
from equipoise.adapters.sandboxes.landlocking import restrict
from equipoise.adapters.sandboxes.measuring import Measuring, descendants
from equipoise.adapters.sandboxes.order import STATUS_FILE, Order, Report, order_of, packed
from equipoise.adapters.sandboxes.processes import started

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_TICK_S = 0.25
_PATIENCE_S = 10.0
_LIBC = ctypes.CDLL(None, use_errno=True)


def keep(orders: socket.socket) -> NoReturn:
    """Keeps one job after the other to its end, as they are handed over, and exits."""
    code = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
        _LIBC.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        joined = Joined()
        while files := received(orders):
            _one(files, joined)
            orders.send(b"i")
        joined.leave()
        code = 0
    except BrokenPipeError:
        code = 0  # the run has gone; everything has been ended
    finally:
        os._exit(code)


def _one(files: list[int], joined: Joined) -> None:
    """Keeps one job; `files` = its order, the line to the run, the job's stdio, others."""
    order_file, line_file, *handed = files
    with socket.socket(fileno=line_file) as line:
        with open(order_file, "rb") as file:
            file.seek(0)
            order = order_of(file.read())
        report = _kept(order, line, handed, joined)
        line.setblocking(True)  # noqa: FBT003  its only parameter
        line.sendall(packed(report))


def _kept(order: Order, line: socket.socket, handed: list[int], joined: Joined) -> Report:
    begin = time.monotonic()
    unbounded = joined.set(order.groups)
    status, told = os.pipe()
    handed = [*handed, told]
    try:
        pid = _started(order, handed)
    except OSError as error:
        os.close(status)
        return Report(code=None, detail=error.strerror or str(error), unbounded=unbounded)
    finally:
        for number in handed:
            os.close(number)
    _note(order.lease_file, pid)
    why = ""
    try:
        why = _watched(order, pid, line, begin)
    finally:
        code = _ended(pid, is_over=not why)
    return Report(
        code=code,
        why=why,
        detail=joined.told(),
        duration_ms=(time.monotonic() - begin) * 1e3,
        status=_read(status),
        unbounded=unbounded,
    )


def _note(lease_file: str, pid: int) -> None:
    """Tells the lease what was started, so that it can be ended should we be killed."""
    if lease_file:
        line = json.dumps({"group": pid, "start": started(pid), "keeper": os.getpid()})
        with suppress(OSError), open(lease_file, "a") as file:
            file.write(line + "\n")


def _started(order: Order, handed: list[int]) -> int:
    """Forks and executes; gives the number of the process.

    Raises:
        OSError: the program could not be executed.
    """
    told, tell = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            _become(order, handed)
        except OSError as error:
            os.write(tell, json.dumps([error.errno, error.strerror, str(error.filename)]).encode())
        finally:
            os._exit(127)
    os.close(tell)
    said = os.read(told, 4096)
    os.close(told)
    if said:
        os.waitpid(pid, 0)
        number, text, name = json.loads(said)
        raise OSError(number, f"{name}: {text}", name)
    return pid


def _become(order: Order, handed: list[int]) -> None:
    """Turns this process into the program of the order."""
    os.setsid()
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    with suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("500")
    for target, given in zip(_numbers(order), handed, strict=True):
        os.dup2(given, target)
    os.chdir(order.folder)
    for name, value in order.limits.items():
        kind = getattr(resource, name)
        hard = resource.getrlimit(kind)[1]
        bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (bound, bound))
    if order.restriction:
        allowed = order.restriction
        restrict(allowed.readable, allowed.writable, bytes.fromhex(allowed.calls))
    os.execve(order.argv[0], list(order.argv), dict(order.environment))  # noqa: S606  no shell is wanted


def _numbers(order: Order) -> list[int]:
    """Gives the numbers under which the program finds the files; none is in use by us so high."""
    return [0, 1, 2, *order.inherits, STATUS_FILE]


def _watched(order: Order, pid: int, line: socket.socket, begin: float) -> str:
    """Waits for the end; gives why the job has to be ended, or nothing."""
    handle = os.pidfd_open(pid)
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    poll.register(line, select.POLLIN)
    measuring: Measuring | None = None
    try:
        while True:
            left_s = begin + order.wall_s - time.monotonic()
            if left_s <= 0:
                return "wall_s"
            ready = {number for number, _ in poll.poll(max(1, min(left_s, _TICK_S) * 1e3))}
            if handle in ready:
                return ""
            if ready:
                return "asked"
            measuring = measuring or Measuring(order.watched)
            why = measuring.exceeded(descendants(os.getpid()))
            if why:
                return why
    finally:
        os.close(handle)


def _ended(pid: int, *, is_over: bool) -> int:
    """Ends everything that descends from us and gives how the job itself ended, as of `waitpid`."""
    if not is_over:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    _, raw = os.waitpid(pid, 0)
    give_up = time.monotonic() + _PATIENCE_S
    while time.monotonic() < give_up:
        for left in descendants(os.getpid()):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(left, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            break
        time.sleep(0.0005)
    return os.waitstatus_to_exitcode(raw)


def _read(status: int) -> str:
    """Reads what the program told of its status, and closes the pipe."""
    os.set_blocking(status, False)
    try:
        return os.read(status, 65536).decode(errors="replace")
    except BlockingIOError:
        return ""
    finally:
        os.close(status)
