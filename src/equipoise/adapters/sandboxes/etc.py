"""The ``/etc`` of jobs: small things copied once for a run, so that it takes few mounts."""

import os
import shutil
from contextlib import suppress
from functools import cache

UID = 1000
HOME = "/home"
"""The home of a job whose environment names none."""

COPIED = (
    "alternatives",
    "ca-certificates.conf",
    "fonts",
    "inputrc",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "localtime",
    "magic",
    "magic.mime",
    "mime.types",
    "pki/tls/certs",
    "protocols",
    "services",
    "ssl/certs",
    "ssl/openssl.cnf",
    "terminfo",
)
"""What of the host's settings may be seen: nothing that names a person, a host or a key."""

_TEXTS = {
    "passwd": (
        "root:x:0:0:root:/nonexistent:/usr/sbin/nologin\n"
        f"agent:x:{UID}:{UID}:agent:{HOME}:/bin/sh\n"
        "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"
    ),
    "group": f"root:x:0:\nagent:x:{UID}:\nnogroup:x:65534:\n",
    "hosts": "127.0.0.1 localhost cell\n::1 localhost\n",
    "hostname": "cell\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
}


_FEW = 20


def write_etc(folder: str) -> None:
    """Writes into an empty folder what jobs find in ``/etc``; links stay links.

    A folder of many files is left empty: what is in it has to be mounted there (`mounted_in`).
    """
    for name in COPIED:
        source, target = f"/etc/{name}", os.path.join(folder, name)
        with suppress(OSError, shutil.Error):  # what may not be read is not for jobs either
            os.makedirs(os.path.dirname(target), exist_ok=True)
            if not os.path.isdir(source):
                shutil.copy(source, target, follow_symlinks=False)
            elif len(os.listdir(source)) > _FEW:
                os.mkdir(target)
            else:
                shutil.copytree(source, target, symlinks=True)
    for name, text in _TEXTS.items():
        with open(os.path.join(folder, name), "w", encoding="ascii") as file:
            file.write(text)


@cache
def mounted_in(folder: str) -> tuple[str, ...]:
    """Gives the folders of ``/etc`` that `write_etc` has left empty in a folder."""
    return tuple(
        f"/etc/{name}"
        for name in COPIED
        if os.path.isdir(os.path.join(folder, name))
        and not os.listdir(os.path.join(folder, name))
        and os.listdir(f"/etc/{name}")
    )
