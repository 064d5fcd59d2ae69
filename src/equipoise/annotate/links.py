"""The secret links: one a person, one for the dashboard; only their hashes are kept."""

import hashlib
import hmac
import re
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from equipoise.errors import EquipoiseError

DASHBOARD = ""
"""The name under which a campaign's tokens hold that of the dashboard."""

_N_BYTES = 32
_TOKEN = re.compile(r"[A-Za-z0-9_-]{20,200}")


class Tokens:
    """The hashes of a campaign's tokens, read anew when their file was changed: old links end."""

    def __init__(self, path: Path, read: Callable[[Path], Mapping[str, str]]) -> None:
        """Takes the file, and what reads it and refuses what it must not hold."""
        self._path, self._read = path, read
        self._seen = self._sign()
        self._hashes = read(path)

    def owner(self, token: str) -> str | None:
        """Gives whose token it is now, or None."""
        seen = self._sign()
        if seen != self._seen:
            with suppress(EquipoiseError, OSError):  # half written: the next request reads it
                self._hashes, self._seen = self._read(self._path), seen
        return owner(self._hashes, token)

    def _sign(self) -> tuple[int, int, int]:
        try:
            found = self._path.stat()
        except OSError:
            return (0, 0, 0)
        return (found.st_mtime_ns, found.st_ino, found.st_size)


def new_token() -> str:
    """Gives a token that nobody can guess: 256 random bits."""
    return secrets.token_urlsafe(_N_BYTES)


def hashed(token: str) -> str:
    """Gives what is kept of a token; it has too many bits to be found by trying."""
    return hashlib.sha256(token.encode()).hexdigest()


def path_of(name: str, token: str) -> str:
    """Gives the path of a person's link, or of the dashboard's."""
    return f"/d/{token}" if name == DASHBOARD else f"/a/{token}"


def owner(hashes: Mapping[str, str], token: str) -> str | None:
    """Gives whose token it is, or None; takes as long for a wrong token as for a right one."""
    mine = hashed(token) if _TOKEN.fullmatch(token) else ""
    found = None
    for name, known in hashes.items():
        if hmac.compare_digest(mine, known):
            found = name
    return found
