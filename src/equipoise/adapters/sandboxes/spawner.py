"""The long-lived process from which all jobs are started; it imports only the standard library.

It is started once per run, so that each start is the fork of a small process with one thread: the
kernel ends a sandbox when the *thread* that started it ends, and forking a large process is slow.
It hands each order to a keeper, which starts the job, watches it, ends its whole tree and reports.
It ends when the run that started it has ended, in whatever way, and its keepers with it.
"""

import os
import select
import signal
import socket
from contextlib import suppress

from equipoise.adapters.sandboxes.handing import received
from equipoise.adapters.sandboxes.keeper import keep

_MOST_IDLE = 64


def main(number: int) -> None:
    """Serves orders that come over the socket with this file number, until it is closed."""
    os.setsid()  # an interrupt typed at the terminal is not for us: the run decides what ends
    os.chdir("/")
    os.closerange(3, number)
    os.closerange(number + 1, os.sysconf("SC_OPEN_MAX"))
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # keepers report to the run, not to us
    _Keepers(socket.socket(fileno=number)).serve()


class _Keepers:
    """The keepers, each with the socket on which it gets orders and says that it is idle."""

    def __init__(self, orders: socket.socket) -> None:
        self._orders = orders
        self._lines: dict[int, socket.socket] = {}
        self._idle: list[socket.socket] = []
        self._poll = select.poll()
        self._poll.register(orders, select.POLLIN)

    def serve(self) -> None:
        while True:
            for number, _ in self._poll.poll():
                if number != self._orders.fileno():
                    self._hear(self._lines[number])
                    continue
                files = received(self._orders)
                if not files:
                    return
                self._hand(files)
                for file in files:
                    os.close(file)

    def _hear(self, line: socket.socket) -> None:
        """A keeper is idle, or gone."""
        said = b""
        with suppress(ConnectionResetError):
            said = line.recv(1)
        if said and len(self._idle) < _MOST_IDLE:
            self._idle.append(line)
        else:
            self._drop(line)

    def _hand(self, files: list[int]) -> None:
        while True:
            line = self._idle.pop() if self._idle else self._born(files)
            try:
                socket.send_fds(line, [b"o"], files)
            except (BrokenPipeError, ConnectionResetError):
                self._drop(line)  # it was killed; the next will do
            else:
                return

    def _born(self, files: list[int]) -> socket.socket:
        ours, theirs = socket.socketpair()
        if os.fork() == 0:
            for line in (ours, self._orders, *self._lines.values()):
                line.close()
            for file in files:
                os.close(file)
            keep(theirs)
        theirs.close()
        self._lines[ours.fileno()] = ours
        self._poll.register(ours, select.POLLIN)
        return ours

    def _drop(self, line: socket.socket) -> None:
        self._poll.unregister(line)
        del self._lines[line.fileno()]
        if line in self._idle:
            self._idle.remove(line)
        line.close()
