"""Restricts this process to some paths with Landlock, for good (linux/landlock.h)."""

import ctypes
import errno
import os
import stat
import struct
from collections.abc import Sequence

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_PATH_BENEATH = 1
_ASK_VERSION = 1
_NO_NEW_PRIVS, _SET_SECCOMP, _FILTER = 38, 22, 2
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_N_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | 1 << 14 | 1 << 15
_TCP, _SCOPES = 0b11, 0b11
_LIBC = ctypes.CDLL(None, use_errno=True)


def version() -> int:
    """Gives the version of Landlock that this kernel has; 0 = none."""
    return max(0, int(_LIBC.syscall(_CREATE, None, ctypes.c_size_t(0), _ASK_VERSION)))


def restrict(readable: Sequence[str], writable: Sequence[str], calls: bytes) -> None:
    """Takes everything from this process but these paths, and TCP, signals and abstract sockets.

    `calls` is a filter of system calls; empty = none. A path that is not there is left out.

    Raises:
        OSError: it could not be done; the process must not go on.
    """
    known = version()
    n_rights = _N_RIGHTS.get(known, 16)
    attributes = struct.pack(
        "=QQQ",
        (1 << n_rights) - 1,
        _TCP if known >= 4 else 0,
        _SCOPES if known >= 6 else 0,
    )[: 8 if known < 4 else 16 if known < 6 else 24]
    rules = _checked(_LIBC.syscall(_CREATE, attributes, ctypes.c_size_t(len(attributes)), 0))
    for paths, rights in ((readable, _READ), (writable, (1 << n_rights) - 1)):
        for path in paths:
            _allow(rules, path, rights & ((1 << n_rights) - 1))
    _checked(_LIBC.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0))
    _checked(_LIBC.syscall(_RESTRICT, rules, 0))
    os.close(rules)
    if calls:
        steps = ctypes.create_string_buffer(calls, len(calls))
        program = struct.pack("HxxxxxxP", len(calls) // 8, ctypes.addressof(steps))
        _checked(_LIBC.prctl(_SET_SECCOMP, _FILTER, program, 0, 0))


def _allow(rules: int, path: str, rights: int) -> None:
    try:
        file = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(file).st_mode):
            rights &= _OF_FILES
        rule = struct.pack("=Qi", rights, file)
        _checked(_LIBC.syscall(_ADD, rules, _PATH_BENEATH, rule, 0))
    finally:
        os.close(file)


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno() or errno.EPERM
        raise OSError(number, os.strerror(number), "landlock")
    return result
