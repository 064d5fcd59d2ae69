"""Hands open files from one process to another, so that no program inherits them by accident."""

import array
import socket

MOST_FILES = 32
"""More open files than this are not handed over at once."""


def received(line: socket.socket) -> list[int]:
    """Waits for what is handed over next, and gives it; none = nothing will be.

    `socket.recv_fds` would leave the files open in every program that is started.
    """
    files = array.array("i")
    room = socket.CMSG_LEN(MOST_FILES * files.itemsize)
    try:
        message, ancillary, _, _ = line.recvmsg(1, room, socket.MSG_CMSG_CLOEXEC)
    except ConnectionResetError:
        return []
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            files.frombytes(data[: len(data) - len(data) % files.itemsize])
    return list(files) if message == b"o" else []
