"""A PostgreSQL cluster of the tests' own, or a skip that says what is missing."""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest

GUARDED = "guarded"
"""The one role of the cluster that must give a password; a test that wants it makes it."""

_NUMBERS = count(1)
_SERVER_USER = "nobody"
_PASSWORD = "s3cret-of-the-tests"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """A running server, reached through a socket in its folder."""

    folder: Path
    programs: Path
    user: str

    def address(self, database: str) -> str:
        """Gives the address of a database, without a password."""
        return f"postgresql://{self.user}@/{database}?host={self.folder}"

    def database(self, *statements: str) -> str:
        """Makes a new database, does the statements in it, and gives its name."""
        name = f"desk_{os.getpid()}_{next(_NUMBERS)}"
        self.do("postgres", f"CREATE DATABASE {name}")
        self.do(name, *statements)
        return name

    def do(self, database: str, *statements: str) -> str:
        """Does statements with psql, the tool of PostgreSQL itself, and gives what they print."""
        done = subprocess.run(
            [str(self.programs / "psql"), "-XAtq", "-v", "ON_ERROR_STOP=1", self.address(database)],
            input=";\n".join([*statements, ""]),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


def programs() -> Path | None:
    """Gives the folder of the newest PostgreSQL server, or none."""
    found = [Path("/usr/lib/postgresql"), Path("/usr/pgsql")]
    folders = [path.parent for place in found for path in sorted(place.glob("*/bin/initdb"))]
    on_path = shutil.which("initdb")
    return folders[-1] if folders else Path(on_path).parent if on_path else None


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A private cluster; its server dies with the tests."""
    pytest.importorskip("psycopg", reason="psycopg is not installed: pip install '.[postgres]'")
    where = programs()
    if where is None:
        pytest.skip("no PostgreSQL server: apt-get install postgresql (or `make machine` as root)")
    folder = Path(tempfile.mkdtemp(prefix="equipoise-pg-", dir="/tmp"))
    before = _as_somebody(folder)
    made = Cluster(folder=folder, programs=where, user="tester")
    data = folder / "data"
    initdb = [where / "initdb", "-D", data, "-U", made.user, "-A", "trust", "-E", "UTF8"]
    done = subprocess.run(
        [*before, *map(str, initdb), "--no-sync", "--locale=C"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    rules = data / "pg_hba.conf"
    rules.write_text(f"local all {GUARDED} scram-sha-256\nlocal all all trust\n")
    settings = ["-c", "listen_addresses=", "-c", "fsync=off", "-c", "full_page_writes=off"]
    log = folder / "log"
    with (
        log.open("wb") as told,
        subprocess.Popen(
            [*before, *map(str, (where / "postgres", "-D", data, "-k", folder)), *settings],
            cwd=folder,
            stdout=told,
            stderr=told,
        ) as server,
    ):
        try:
            _wait(made, server, log)
            yield made
        finally:
            server.terminate()
            try:
                server.wait(10)
            except subprocess.TimeoutExpired:
                server.kill()
    shutil.rmtree(folder, ignore_errors=True)


def _as_somebody(folder: Path) -> list[str]:
    """Gives what starts a program as an unprivileged user: a server refuses to be root's."""
    if os.geteuid() != 0:
        return ["setpriv", "--pdeathsig", "KILL"] if shutil.which("setpriv") else []
    if not shutil.which("setpriv"):
        pytest.skip("PostgreSQL refuses to be root's, and there is no setpriv: use another user")
    shutil.chown(folder, _SERVER_USER)
    folder.chmod(0o755)
    return [
        *("setpriv", f"--reuid={_SERVER_USER}", "--regid=nogroup", "--clear-groups"),
        *("--pdeathsig", "KILL"),
    ]


def _wait(made: Cluster, server: "subprocess.Popen[bytes]", log: Path) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end and server.poll() is None:
        ready = [str(made.programs / "pg_isready"), "-q", "-h", str(made.folder)]
        if subprocess.run(ready, check=False).returncode == 0:
            return
        time.sleep(0.05)
    pytest.fail(f"PostgreSQL did not start: {log.read_text()}")
