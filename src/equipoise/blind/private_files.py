"""Files that only their owner may read: keys, and the secret that names packets."""

import os
import secrets
import stat
from pathlib import Path

from equipoise.archive.durable import replacing, write_all
from equipoise.errors import InputError

_SECRET_BYTES = 32


def write_private(path: Path, content: bytes) -> None:
    """Writes the file whole or not at all, with mode 0600 from its first byte on.

    Raises:
        StorageFull: the disk took no more; the file is as it was.
    """
    with replacing(path) as part:
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            os.fchmod(handle, 0o600)
            write_all(handle, content)
            os.fsync(handle)
        finally:
            os.close(handle)


def read_private(path: Path) -> bytes:
    """Gives the content of a file that nobody but its owner may read.

    Raises:
        InputError: there is none, it is no ordinary file, or group or others may read or write it
            (``not_private``).
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        raise InputError(
            f"{path.name} cannot be read: {error.strerror}",
            wanted="the file that was written beside the packets",
            where=str(path),
            code="no_private_file",
        ) from error
    with os.fdopen(handle, "rb") as file:
        held = os.fstat(file.fileno())
        if not stat.S_ISREG(held.st_mode):
            raise InputError(
                f"{path.name} is no ordinary file", where=str(path), code="no_private_file"
            )
        if held.st_mode & 0o077:
            raise InputError(
                f"{path.name} may be used by others than its owner (mode {held.st_mode & 0o777:o})",
                wanted="mode 600: who can read it is not blind",
                mend=f"find out who has read it, then chmod 600 {path.name}",
                where=str(path),
                code="not_private",
            )
        return file.read()


def study_secret(path: Path) -> bytes:
    """Gives the secret of a study, made at the first call and kept with mode 0600.

    Raises:
        InputError: the file is readable by others (``not_private``) or holds no such secret.
    """
    if not path.exists():
        write_private(path, secrets.token_hex(_SECRET_BYTES).encode() + b"\n")
    return kept_secret(path)


def kept_secret(path: Path) -> bytes:
    """Gives the secret of a study, which has to be there: nothing is written.

    Raises:
        InputError: there is none, the file is readable by others (``not_private``) or holds no such
            secret.
    """
    text = read_private(path).strip()
    try:
        secret = bytes.fromhex(text.decode("ascii"))
    except ValueError:
        secret = b""
    if len(secret) != _SECRET_BYTES:
        raise InputError(
            f"{path.name} holds no secret",
            wanted=f"{2 * _SECRET_BYTES} hexadecimal digits",
            mend="put the file back as it was: packets already given out bear names made from it",
            where=str(path),
            code="no_secret",
        )
    return secret
