"""The filter of system calls decides as it should, on processors that are not here too."""

import errno
import os
import platform
import re
import struct
from pathlib import Path

import pytest

from equipoise.adapters.sandboxes.seccomp import compiled

_HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}
_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_ALLOWED = 0x7FFF0000
_REFUSED = (
    *("add_key", "request_key", "keyctl", "bpf", "perf_event_open", "userfaultfd", "mount"),
    *("umount2", "pivot_root", "setns", "unshare", "swapon", "swapoff", "reboot", "acct"),
    *("clock_settime", "settimeofday", "adjtimex", "clock_adjtime", "syslog", "quotactl"),
    *("kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module"),
    *("open_by_handle_at", "io_uring_setup", "io_uring_enter", "io_uring_register"),
    *("open_tree", "move_mount", "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr"),
)
_FREE = (
    *("read", "write", "close", "execve", "exit_group", "futex", "mmap", "getpid", "pipe2"),
    *("dup3", "wait4", "kill", "ptrace", "memfd_create", "statx", "renameat2", "unlinkat"),
)


def _decision(machine: str, call: int, *arguments: int, architecture: int | None = None) -> int:
    """Runs the filter as the kernel would (Documentation/networking/filter.rst)."""
    padded = (*arguments, 0, 0, 0, 0, 0, 0)[:6]
    told = struct.pack("=iIQ6Q", call, architecture or _ARCHITECTURES[machine], 0, *padded)
    steps = list(struct.iter_unpack("=HBBI", compiled(machine, has_internet=True)))
    at = loaded = 0
    while True:
        code, yes, no, value = steps[at]
        at += 1
        if code == 0x06:
            return int(value)
        if code == 0x20:
            (loaded,) = struct.unpack_from("=I", told, value)
        else:
            holds = {0x15: loaded == value, 0x35: loaded >= value, 0x45: bool(loaded & value)}
            at += yes if holds[code] else no


def _error(number: int) -> int:
    return 0x00050000 | number


@pytest.fixture(params=sorted(_HEADERS))
def machine(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    if not _HEADERS[name].exists():
        pytest.skip(f"{_HEADERS[name]} is not here (linux-libc-dev)")
    return name


def _numbers(machine: str) -> dict[str, int]:
    text = _HEADERS[machine].read_text()
    return {name: int(n) for name, n in re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)\b", text)}


def test_what_is_refused_and_what_is_free(machine: str) -> None:
    numbers = _numbers(machine)
    for name in _REFUSED:
        assert _decision(machine, numbers[name]) == _error(errno.EPERM), name
    for name in _FREE:
        assert _decision(machine, numbers[name]) == _ALLOWED, name
    for name in ("clone3", "openat2"):
        assert _decision(machine, numbers[name]) == _error(errno.ENOSYS), name


def test_what_depends_on_arguments(machine: str) -> None:
    numbers = _numbers(machine)

    def decided(name: str, *arguments: int) -> int:
        return _decision(machine, numbers[name], *arguments)

    refused, no_family = _error(errno.EPERM), _error(errno.EAFNOSUPPORT)
    assert [decided("socket", family, 1, 0) for family in (1, 2, 10, 16)] == [_ALLOWED] * 4
    assert [decided("socket", family, 1, 0) for family in (0, 17, 38, 40)] == [no_family] * 4
    assert decided("ioctl", 0, 0x5413) == _ALLOWED  # the size of a terminal
    assert [decided("ioctl", 0, asked) for asked in (0x5412, 0x541C)] == [refused] * 2
    assert decided("ioctl", 0, 1 << 32 | 0x5412) == refused  # the kernel takes the lower half
    assert decided("clone", 0x00010F00) == _ALLOWED  # a thread
    assert decided("clone", 0x10000000 | 17) == refused
    assert decided("fchmodat", 0, 0, 0o755) == _ALLOWED
    assert [decided("fchmodat", 0, 0, mode) for mode in (0o4755, 0o2755)] == [refused] * 2
    assert decided("fchmod", 0, 0o4755) == refused
    assert decided("openat", 0, 0, os.O_RDONLY, 0o6000) == _ALLOWED  # it makes nothing
    assert decided("openat", 0, 0, 0o101, 0o644) == _ALLOWED
    assert decided("openat", 0, 0, 0o101, 0o4755) == refused
    assert decided("mknodat", 0, 0, 0o104755) == refused


def test_calls_of_another_kind_of_processor_are_refused() -> None:
    assert _decision("x86_64", 0, architecture=0x40000003) == _error(errno.EPERM)
    assert _decision("x86_64", 0x40000000) == _error(errno.EPERM)  # x32


def test_without_a_network_only_unix_sockets_are_made() -> None:
    assert compiled("x86_64", has_internet=False) != compiled("x86_64", has_internet=True)
    assert compiled("vax", has_internet=True) == b""
    assert compiled(platform.machine(), has_internet=True) or platform.machine() not in _HEADERS
