"""The long-lived process from which all jobs are started; it imports only the standard library.

It is started once per run, so that each start is the fork of a small process with one thread: the
kernel ends a sandbox when the *thread* that started it ends, and forking a large process is slow.
For each order it forks a keeper, which starts the job, watches it, ends its whole tree and reports.
It ends itself when the run that started it has ended, in whatever way.
"""

import array
import os
import signal
import socket

from equipoise.adapters.sandboxes.keeper import keep

MOST_FILES = 32
"""More open files than this are not sent with an order."""


def main(number: int) -> None:
    """Serves orders that come over the socket with this file number, until it is closed."""
    os.setsid()  # an interrupt typed at the terminal is not for us: the run decides what ends
    os.chdir("/")
    os.closerange(3, number)
    os.closerange(number + 1, os.sysconf("SC_OPEN_MAX"))
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # keepers report to the run, not to us
    orders = socket.socket(fileno=number)
    while True:
        files = _received(orders)
        if not files:
            return
        if os.fork() == 0:
            orders.close()
            keep(files)
        for file in files:
            os.close(file)


def _received(orders: socket.socket) -> list[int]:
    """Gives the open files of the next order, which no program inherits; none = there is no next.

    `socket.recv_fds` would leave them open in every program that is started.
    """
    files = array.array("i")
    room = socket.CMSG_LEN(MOST_FILES * files.itemsize)
    message, ancillary, _, _ = orders.recvmsg(1, room, socket.MSG_CMSG_CLOEXEC)
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            files.frombytes(data[: len(data) - len(data) % files.itemsize])
    return list(files) if message == b"o" else []
