"""A program: a PostgreSQL server in one folder, up until its standard input ends.

It is started by whoever needs the server and ends the server with them, however they end. Where it
is root's it runs as another user in a user namespace, since a server refuses to be root's; its
whole tree of processes ends with it.
"""

import fcntl
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

READY = "ready"
_USER = "equipoise"
_START_S = 60.0
_STOP_S = 10.0
_SETTINGS = (
    "listen_addresses=",
    "fsync=off",
    "full_page_writes=off",
    "synchronous_commit=off",
    "log_min_messages=warning",
)


def main(place: Path, programs: Path) -> int:
    """Starts the server, says so, and ends it once nobody is there any more."""
    with (place / "alive").open("wb") as alive:
        fcntl.flock(alive, fcntl.LOCK_EX)
        try:
            return _served(place, programs)
        finally:
            shutil.rmtree(place, ignore_errors=True)


def _served(place: Path, programs: Path) -> int:
    before = _as_somebody(place)
    data = place / "data"
    made = subprocess.run(  # noqa: S603  a program of PostgreSQL, without a shell
        [
            *before,
            str(programs / "initdb"),
            *("-D", str(data), "-U", _USER, "-A", "trust", "-E", "UTF8"),
            *("--locale=C", "--no-sync"),
        ],
        cwd=place,
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode:
        return _failed(made.stderr)
    settings = [word for one in _SETTINGS for word in ("-c", one)]
    log = place / "log"
    with (
        log.open("wb") as told,
        subprocess.Popen(  # noqa: S603  as above
            [*before, str(programs / "postgres"), "-D", str(data), "-k", str(place), *settings],
            cwd=place,
            stdin=subprocess.DEVNULL,
            stdout=told,
            stderr=told,
        ) as server,
    ):
        try:
            if not _is_up(server, programs, place):
                return _failed(log.read_text("utf-8", "replace"))
            sys.stdout.write(f"{READY}\n")
            sys.stdout.flush()
            _until_either_ends(server)
        finally:
            _end(server)
    return 0


def _until_either_ends(server: "subprocess.Popen[bytes]") -> None:
    """Waits for the end of our input, or of the server: then the next one can be started."""
    if not hasattr(os, "pidfd_open"):
        sys.stdin.buffer.read()
        return
    ended = os.pidfd_open(server.pid)
    try:
        select.select([sys.stdin.fileno(), ended], [], [])
    finally:
        os.close(ended)


def _is_up(server: "subprocess.Popen[bytes]", programs: Path, place: Path) -> bool:
    give_up = time.monotonic() + _START_S
    ask = [str(programs / "psql"), "-XAtqc", "SELECT 1", "-h", str(place), "-U", _USER, "postgres"]
    while server.poll() is None and time.monotonic() < give_up:
        asked = subprocess.run(ask, capture_output=True, check=False)  # noqa: S603  as above
        if asked.returncode == 0:
            return True
        time.sleep(0.05)
    return False


def _end(server: "subprocess.Popen[bytes]") -> None:
    server.send_signal(signal.SIGINT)
    try:
        server.wait(_STOP_S)
    except subprocess.TimeoutExpired:
        server.kill()


def _as_somebody(place: Path) -> list[str]:
    """Gives what starts a program that ends with us, and is not root's."""
    if os.geteuid() != 0:
        return ["setpriv", "--pdeathsig", "KILL"] if shutil.which("setpriv") else []
    known = place / "passwd"
    known.write_text(f"{_USER}:x:1000:1000::/:/bin/sh\n", encoding="ascii")
    return [
        *("bwrap", "--die-with-parent", "--unshare-user", "--unshare-pid", "--unshare-ipc"),
        *("--uid", "1000", "--gid", "1000", "--ro-bind", "/", "/", "--dev", "/dev"),
        *("--proc", "/proc", "--bind", str(place), str(place)),
        *("--ro-bind", str(known), "/etc/passwd", "--chdir", str(place), "--"),
    ]


def _failed(said: str) -> int:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    sys.stdout.write(f"{' '.join(lines[-3:]) or 'it said nothing'}\n")
    sys.stdout.flush()
    return 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
