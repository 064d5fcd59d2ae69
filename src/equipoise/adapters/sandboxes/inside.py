"""What a job finds around it under bubblewrap: the arguments that say so."""

import os
import platform
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath

from equipoise.adapters.sandboxes.devices import own
from equipoise.adapters.sandboxes.etc import COPIED, HOME, UID, mounted_in
from equipoise.adapters.sandboxes.seccomp import compiled
from equipoise.errors import InputError
from equipoise.ports.agents import Job, Mount

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_TMP, _SHM = "/tmp", "/dev/shm"  # noqa: S108  the job's own
_OF_THE_KERNEL = (
    *(f"/proc/{name}" for name in ("sys", "sysrq-trigger", "irq", "bus", "fs", "mtrr")),
    "/proc/pressure",
)
"""What of the kernel may be looked at, not changed.

A run of root maps root to the job's user, and the kernel lets the owner of these, root, write.
Bubblewrap covers only those whose folder may itself be written to.
"""

_COVERED = (
    *("acpi", "asound", "driver", "kcore", "keys", "kmsg", "latency_stats", "sched_debug"),
    *("scsi", "slabinfo", "timer_list", "timer_stats", "vmallocinfo", "pagetypeinfo"),
    *("kpagecount", "kpageflags", "kpagecgroup"),
)
"""What of ``/proc`` is nobody's business: the kernel shows its owner what it hides from others."""

_SHM_BYTES = 64 * 2**20
_NAMESPACES = ("user", "pid", "net", "ipc", "uts", "cgroup")
_TAKEN = ("/", "/proc", "/dev", "/sys")


@dataclass(frozen=True, slots=True, kw_only=True)
class Inside:
    """The arguments for one job, and the texts that they mention by number.

    `texts`: the number under which bubblewrap finds an open file -> what is in it. `memory` are the
    folders that exist only in memory, writable and bounded.
    """

    arguments: tuple[str, ...]
    texts: Mapping[int, bytes]
    memory: tuple[str, ...]


def inside(job: Job, etc: str, *, first_file: int, options: tuple[str, ...] = ()) -> Inside:
    """Gives what a job finds around it, with `etc` as its ``/etc``.

    Texts get numbers from `first_file`.

    Raises:
        InputError: a mount cannot be: its source is not there, or its target is not a path that
            may be taken.
    """
    home = job.environment.get("HOME", HOME)
    calls = compiled(platform.machine(), has_internet=True)
    filters = {first_file: calls} if calls else {}
    is_mounted = home in {_place(mount.target) for mount in job.mounts}
    memory = tuple(dict.fromkeys((_TMP, *(() if is_mounted else (home,)), _SHM)))
    size = str(job.bounds.tmp_bytes)
    arguments = [
        *(f"--unshare-{name}" for name in _NAMESPACES),
        *options,
        *("--uid", str(UID), "--gid", str(UID), "--hostname", "cell"),
        *("--die-with-parent", "--new-session", "--cap-drop", "ALL"),
        *_system(),
        *("--ro-bind", etc, "/etc"),
        *(word for path in mounted_in(etc) for word in ("--ro-bind", path, path)),
        *("--proc", "/proc", *_covers(), "--dev", "/dev"),
        *(
            word
            for path in own()
            for word in ("--dev-bind", path, f"/dev/{os.path.basename(path)}")
        ),
        *("--perms", "1777", "--size", size, "--tmpfs", _TMP),
        *("--perms", "0700", "--size", size, "--tmpfs", _place(home)),
        *("--perms", "1777", "--size", str(_SHM_BYTES), "--tmpfs", _SHM),
        *(word for mount in job.mounts for word in _mounted(mount)),
        *("--remount-ro", "/dev", "--remount-ro", "/"),
        *(word for number in filters for word in ("--seccomp", str(number))),
        *("--chdir", job.folder),
        "--clearenv",
        *(word for name, value in job.environment.items() for word in ("--setenv", name, value)),
    ]
    return Inside(
        arguments=tuple(arguments),
        texts=filters,
        memory=memory,
    )


def system_paths() -> tuple[str, ...]:
    """Gives the paths of the system's programs and libraries, and of its harmless settings."""
    return (*_SYSTEM, *(f"/etc/{name}" for name in COPIED))


@cache
def _system() -> tuple[str, ...]:
    """Gives the mounts of the system's programs and libraries."""
    words: list[str] = []
    for path in map(Path, _SYSTEM):
        if path.is_symlink() and path.parent == Path("/"):
            words += ("--symlink", str(path.readlink()), str(path))
        elif path.exists():
            words += ("--ro-bind", str(path), str(path))
    return tuple(words)


@cache
def _covers() -> tuple[str, ...]:
    """Gives the mounts over what the kernel takes, and shows where the run is its owner's."""
    words: list[str] = []
    for path in _OF_THE_KERNEL:
        if os.path.exists(path):
            words += ("--ro-bind", path, path)
    for path in (f"/proc/{name}" for name in _COVERED if os.geteuid() == 0):
        if os.path.isdir(path):
            words += ("--tmpfs", path, "--remount-ro", path)
        elif os.path.exists(path):
            words += ("--ro-bind", "/dev/null", path)
    return tuple(words)


def _mounted(mount: Mount) -> Iterator[str]:
    source = Path(os.path.abspath(mount.source))
    if "\0" in str(source) or not source.exists():
        raise InputError(
            f"there is no {str(mount.source)!r} to be mounted at {mount.target!r}",
            wanted="a file, folder or socket",
            code="bad_mount",
        )
    yield from ("--bind" if mount.is_writable else "--ro-bind", str(source), _place(mount.target))


def _place(target: str) -> str:
    path = PurePosixPath(target)
    if not path.is_absolute() or ".." in path.parts or str(path) in _TAKEN or "\0" in target:
        raise InputError(
            f"{target!r} cannot be a place in a sandbox",
            wanted="an absolute path without '..', and none of " + ", ".join(_TAKEN),
            code="bad_mount",
        )
    return str(path)
