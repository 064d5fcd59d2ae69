"""A filter of system calls for jobs: what no namespace covers is refused.

Key rings, sockets of the hypervisor, io_uring, BPF and performance counters belong to the whole
machine, and typing into a terminal (TIOCSTI) to whoever holds it; a program that runs as its owner
would be root's on the host, where the run is root's. No agent needs them. Layout of the filter:
linux/filter.h, linux/seccomp.h; numbers of calls: asm/unistd_64.h, asm-generic/unistd.h.
"""

import errno
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERROR = 0x7FFF0000, 0x00050000
_AT_CALL, _AT_ARCHITECTURE, _AT_FIRST = 0, 4, 16
_OF_X32 = 0x40000000
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_AF_UNIX, _AF_INET, _AF_INET6, _AF_NETLINK = 1, 2, 10, 16
_CLONE_NEWUSER = 0x10000000
_AS_OWNER = 0o6000
_MAKES = 0o100 | 0o20000000
"""The flags O_CREAT and O_TMPFILE, with which a call to open a file has a mode."""

_BEHIND_POINTERS = (435, 437)
"""clone3 and openat2: what they ask for cannot be looked at; who is told so uses the older ones."""

_EVERYWHERE = (*range(425, 434), 442)  # io_uring, and the newer calls about mounts


@dataclass(frozen=True, slots=True, kw_only=True)
class _Machine:
    """The numbers of one kind of processor.

    `modes`: call -> which argument is the mode of a file; `opens`: call that may make a file ->
    which argument are its flags, the next being the mode.
    """

    architecture: int
    refused: Sequence[int]
    ioctl: int
    socket: int
    clone: int
    modes: Mapping[int, int]
    opens: Mapping[int, int]


_MACHINES = {
    "x86_64": _Machine(
        architecture=0xC000003E,
        refused=(
            *(248, 249, 250, 246, 320, 175, 176, 313, 321, 298, 323, 304, 165, 166, 155, 308, 272),
            *(167, 168, 169, 164, 227, 159, 305, 163, 179, 103, *_EVERYWHERE),
        ),
        ioctl=16,
        socket=41,
        clone=56,
        modes={90: 1, 91: 1, 268: 2, 452: 2, 85: 1, 133: 1, 259: 2},
        opens={2: 1, 257: 2},
    ),
    "aarch64": _Machine(
        architecture=0xC00000B7,
        refused=(
            *(217, 218, 219, 104, 294, 105, 106, 273, 280, 241, 282, 265, 40, 39, 41, 268, 97),
            *(224, 225, 142, 170, 112, 171, 266, 89, 60, 116, *_EVERYWHERE),
        ),
        ioctl=29,
        socket=198,
        clone=220,
        modes={52: 1, 53: 2, 452: 2, 33: 2},
        opens={56: 2},
    ),
}
"""Refused: key rings, kexec, modules, BPF, counters, page faults in user space, files by handle,
mounts, namespaces, swap, reboot, setting the clock, accounting, quotas, the kernel's log."""


@cache
def compiled(machine: str, *, has_internet: bool) -> bytes:
    """Gives the filter for a kind of processor (as `os.uname` calls it); empty where it is unknown.

    Without `has_internet` only unix sockets can be made: for jobs without a network of their own.
    """
    numbers = _MACHINES.get(machine)
    if numbers is None:
        return b""
    families = (_AF_UNIX, _AF_INET, _AF_INET6, _AF_NETLINK) if has_internet else (_AF_UNIX,)
    permission = _ERROR | errno.EPERM
    steps = [
        (_LOAD, 0, 0, _AT_ARCHITECTURE),
        (_EQUAL, 1, 0, numbers.architecture),
        (_RETURN, 0, 0, permission),  # a program for another kind of processor
        (_LOAD, 0, 0, _AT_CALL),
    ]
    if machine == "x86_64":
        steps += [(_AT_LEAST, 0, 1, _OF_X32), (_RETURN, 0, 0, permission)]
    for call in numbers.refused:
        steps += [(_EQUAL, 0, 1, call), (_RETURN, 0, 0, permission)]
    for call in _BEHIND_POINTERS:
        steps += [(_EQUAL, 0, 1, call), (_RETURN, 0, 0, _ERROR | errno.ENOSYS)]
    refuse = (_RETURN, 0, 0, permission)
    steps += _looked_at(numbers.clone, [_load(0), (_ANY_BIT, 0, 1, _CLONE_NEWUSER), refuse])
    typing = [_load(1), (_EQUAL, 1, 0, _TIOCSTI), (_EQUAL, 0, 1, _TIOCLINUX), refuse]
    steps += _looked_at(numbers.ioctl, typing)
    for call, at in numbers.modes.items():
        steps += _looked_at(call, [_load(at), (_ANY_BIT, 0, 1, _AS_OWNER), refuse])
    for call, at in numbers.opens.items():
        made = [_load(at), (_ANY_BIT, 0, 3, _MAKES), _load(at + 1), (_ANY_BIT, 0, 1, _AS_OWNER)]
        steps += _looked_at(call, [*made, refuse])
    allowed = [(_EQUAL, len(families) - n, 0, family) for n, family in enumerate(families)]
    refused = (_RETURN, 0, 0, _ERROR | errno.EAFNOSUPPORT)
    steps += _looked_at(numbers.socket, [_load(0), *allowed, refused])
    steps.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


def _load(argument: int) -> tuple[int, int, int, int]:
    """Gives the step that loads the lower half of an argument, the first being 0."""
    return (_LOAD, 0, 0, _AT_FIRST + 8 * argument)


def _looked_at(
    call: int, steps: list[tuple[int, int, int, int]]
) -> list[tuple[int, int, int, int]]:
    """Gives steps that are taken for one call only, and then allow it."""
    inner = [*steps, (_RETURN, 0, 0, _ALLOW)]
    return [(_EQUAL, 0, len(inner), call), *inner]
