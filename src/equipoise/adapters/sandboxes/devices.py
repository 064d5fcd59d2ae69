"""Devices for the jobs of root: as the host's own, but owned by nobody.

A run of root maps root to the user of a job, which then owns what root owns and is shown to it. So
it could take ``/dev/null`` from all programs of the host by changing its mode.
"""

import os
import stat
import tempfile
from contextlib import suppress
from functools import cache

_DEVICES = {
    "null": (1, 3),
    "zero": (1, 5),
    "full": (1, 7),
    "random": (1, 8),
    "urandom": (1, 9),
    "tty": (5, 0),
}
_NOBODY = 65534


@cache
def own() -> tuple[str, ...]:
    """Gives the paths of devices that a job may be shown; none where the host's own do no harm.

    They are made once, in the first place whose file system takes devices, and stay.
    """
    if os.geteuid() != 0:
        return ()
    for base in (tempfile.gettempdir(), "/var/tmp", "/dev"):  # noqa: S108  only ours is taken
        folder = os.path.join(base, "equipoise-devices")
        with suppress(OSError):
            with suppress(FileExistsError):
                os.mkdir(folder, 0o755)
            if os.lstat(folder).st_uid != 0:
                continue  # somebody has been here before us
            paths = tuple(_made(folder, name) for name in _DEVICES)
            with open(paths[0], "rb"):  # not where devices are switched off
                return paths
    return ()


def _made(folder: str, name: str) -> str:
    path = os.path.join(folder, name)
    with suppress(FileExistsError):
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(*_DEVICES[name]))
    found = os.lstat(path)
    if not stat.S_ISCHR(found.st_mode) or found.st_rdev != os.makedev(*_DEVICES[name]):
        raise FileExistsError(17, "something else is there", path)
    os.chmod(path, 0o666)  # noqa: S103  as the host's own
    os.chown(path, _NOBODY, _NOBODY)
    return path
