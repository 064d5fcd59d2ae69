"""Listens on a loopback port of the cell, passes all on to a unix socket, and runs a program.

usage: relay.py PORT SOCKET -- PROGRAM ARGUMENT ...
"""

import os
import signal
import socket
import subprocess
import sys
import threading
from contextlib import suppress


def pump(source: socket.socket, target: socket.socket) -> None:
    """Copies bytes until one side ends, then tells the other."""
    with suppress(OSError):
        while piece := source.recv(65536):
            target.sendall(piece)
    for end, how in ((target, socket.SHUT_WR), (source, socket.SHUT_RD)):
        with suppress(OSError):
            end.shutdown(how)


def serve(listener: socket.socket, path: str) -> None:
    """Accepts connections for ever; one that finds nobody behind the socket is closed."""
    while True:
        here, _ = listener.accept()
        there = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            there.connect(path)
        except OSError:
            here.close()
            there.close()
            continue
        for pair in ((here, there), (there, here)):
            threading.Thread(target=pump, args=pair, daemon=True).start()


def main(argv: list[str]) -> int:
    """Runs the program and ends as it ends, by the same signal where it was one."""
    port, path, program = int(argv[0]), argv[1], argv[3:]
    listener = socket.create_server(("127.0.0.1", port), backlog=64)
    threading.Thread(target=serve, args=(listener, path), daemon=True).start()
    try:
        child = subprocess.Popen(program)
    except OSError as error:
        sys.stderr.write(f"{program[0]} cannot be started: {error.strerror}\n")
        return 127
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda number, _: child.send_signal(number))
    code = child.wait()
    if code < 0:
        sys.stderr.flush()
        signal.signal(-code, signal.SIG_DFL) if -code not in (9, 19) else None
        os.kill(os.getpid(), -code)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
