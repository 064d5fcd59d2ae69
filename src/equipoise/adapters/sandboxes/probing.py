"""Tries a sandbox: runs a job that looks for what it must not find."""

import os
import socket
from pathlib import Path

from equipoise.adapters.scratch import scratch
from equipoise.ports.agents import (
    Available,
    Bounds,
    Ended,
    HowEnded,
    Isolation,
    Job,
    Mount,
    Sandbox,
)

_SCRIPT = """
echo user $(id -u)
test -e "$1" && echo sees a file of the host
cat "$1" >/dev/null 2>&1 && echo reads a file of the host
kill -0 "$2" 2>/dev/null && echo reaches a process of the host
test "$(ls /proc | grep -c '^[0-9]')" -gt 8 && echo sees processes of the host
grep -q : /proc/net/dev && grep : /proc/net/dev | grep -qv ' *lo:' && echo has a network
grep -qs ":$3 " /proc/net/tcp && echo sees sockets of the host
env | grep -Eqv '^(PATH|PWD|OLDPWD|SHLVL|_|HOME|HOSTNAME|TMPDIR|EQUIPOISE_LEASE)=' &&
    echo has a variable of ours
(: > /usr/.probe) 2>/dev/null && echo writes to the system
(: > /probe) 2>/dev/null && echo writes to the root
chmod 666 /dev/null 2>/dev/null && echo changes devices of the host
(: > .probe) 2>/dev/null || echo cannot write to its workspace
echo end
"""
_ABSENT = {
    Isolation.NAMESPACES: {
        "sees a file of the host",
        "reads a file of the host",
        "reaches a process of the host",
        "sees processes of the host",
        "changes devices of the host",
        "has a network",
        "sees sockets of the host",
        "has a variable of ours",
        "writes to the system",
        "writes to the root",
    },
    Isolation.PATHS: {
        "reads a file of the host",
        "has a variable of ours",
        "writes to the system",
        "writes to the root",
    },
    Isolation.NONE: {"has a variable of ours"},
}
_ABSENT[Isolation.CONTAINER] = _ABSENT[Isolation.NAMESPACES]


async def tried(sandbox: Sandbox, version: str, mend: str) -> Available:
    """Runs the job that looks around, and says whether it found only what this isolation allows.

    `mend` is what to do where nothing can be started.
    """
    with scratch() as folder, socket.socket() as open_:
        open_.bind(("127.0.0.1", 0))
        open_.listen()
        job = _job(folder, open_.getsockname()[1], sandbox.isolation)
        return _judged(sandbox, await sandbox.run(job), version, mend)


def _job(folder: Path, port: int, isolation: Isolation) -> Job:
    workspace, secret = folder / "ws", folder / "secret"
    workspace.mkdir()
    secret.write_text("secret", encoding="ascii")
    is_apart = isolation in (Isolation.NAMESPACES, Isolation.CONTAINER)
    target = "/ws" if is_apart else str(workspace)
    return Job(
        argv=["/bin/sh", "-c", _SCRIPT, "probe", str(secret), str(os.getpid()), f"{port:04X}"],
        lease="probe",
        folder=target,
        environment={"PATH": "/usr/bin:/bin"},
        mounts=[Mount(source=workspace, target=target, is_writable=True)],
        bounds=Bounds(wall_s=20, memory_bytes=256 * 2**20),
    )


def _judged(sandbox: Sandbox, ended: Ended, version: str, mend: str) -> Available:
    lines = ended.stdout.decode(errors="replace").splitlines()
    if ended.how is not HowEnded.EXITED or not lines or lines[-1] != "end":
        why = ended.detail or f"the job of the probe ended as {ended.how.value}"
        return Available(is_available=False, version=version, why_not=why, mend=mend)
    wrong = [line for line in lines if line in _ABSENT[sandbox.isolation]]
    wrong += [line for line in lines if line == "cannot write to its workspace"]
    if sandbox.isolation is Isolation.NAMESPACES and lines[0] != "user 1000":
        wrong.append(f"is not another user, but {lines[0]}")
    if wrong:
        return Available(
            is_available=False,
            version=version,
            why_not="it starts, but a job in it " + "; ".join(wrong),
            mend=mend,
        )
    return Available(is_available=True, version=version)
