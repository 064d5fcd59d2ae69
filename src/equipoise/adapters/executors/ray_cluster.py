"""The connection to a Ray cluster: one of this machine alone that ends with us, or the user's."""

import logging
import os
import shutil
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from importlib import import_module
from pathlib import Path
from secrets import token_hex
from typing import Any

import anyio
from anyio import to_thread
from anyio.abc import Process

from equipoise.adapters import short_folders
from equipoise.errors import Blocked

_FOLDER = "equipoise-ray-"
_LONGEST_TEMPORARY = 24
"""A socket's path may have 107 bytes, and Ray's own part of it takes up to 80."""

_MEND = (
    "ray start, with the same versions of Python and Ray, and its token here "
    "(RAY_AUTH_MODE=token, RAY_AUTH_TOKEN_PATH)"
)
_REACH_S = 5.0
_START_S = 180.0
_STOP_S = 30.0
_QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_raylet_start_wait_time_s": "120",
    "RAY_gcs_rpc_server_connect_timeout_s": "60",
    "RAY_py_gcs_connect_timeout_s": "60",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_ROTATION_MAX_BYTES": "1000000",
    "RAY_ROTATION_BACKUP_COUNT": "1",
}
_LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
"""By this Ray listens on the loopback address only, on any system."""


@asynccontextmanager
async def cluster(address: str, n_cpus: int) -> AsyncIterator[Any]:
    """Connects to the cluster at an address, or starts one where it is empty; gives ``ray``.

    A cluster of our own is seen by this machine alone, needs a token, has no dashboard, reports
    nothing, inherits nothing of our environment, and ends with us however we end.

    Raises:
        Blocked: Ray is not installed, or there is no cluster to connect to.
    """
    if address:
        await _check_reached(address)
        with _told(_QUIET):
            async with _connected(address) as ray:
                yield ray
        return
    async with _head(n_cpus) as (found, environment):
        with _told(environment):
            async with _connected(found) as ray:
                yield ray


async def _check_reached(address: str) -> None:
    """Asks whether anything listens: Ray itself would try for minutes, and tell of each try."""
    host, _, port = address.rpartition(":")
    why = "an address is HOST:PORT"
    if host and port.isdecimal():
        try:
            with anyio.fail_after(_REACH_S):
                stream = await anyio.connect_tcp(host.strip("[]"), int(port))
        except TimeoutError:
            why = f"no answer within {_REACH_S:g} s"
        except OSError as error:
            why = str(error.__cause__ or error)
        else:
            await stream.aclose()
            return
    raise Blocked(f"no Ray cluster at {address}: {why}; mend: {_MEND}")


@asynccontextmanager
async def _connected(address: str) -> AsyncIterator[Any]:
    try:
        ray = import_module("ray")
    except ImportError:
        raise Blocked(
            "the executor ray needs Ray, which is not installed; mend: pip install 'equipoise[ray]'"
        ) from None
    _silence()

    def connect() -> None:
        ray.init(address=address, configure_logging=False, log_to_driver=False)

    try:
        # in a thread: in the main one Ray takes over SIGTERM, by which a run ends in good order
        await to_thread.run_sync(connect)
    except Exception as error:
        raise Blocked(
            f"no Ray cluster at {address}: {str(error).strip().splitlines()[0]}; mend: {_MEND}"
        ) from error
    try:
        yield ray
    finally:
        with anyio.CancelScope(shield=True):
            await to_thread.run_sync(ray.shutdown)


def _silence() -> None:
    """Keeps what Ray says of its workers off our standard output, where it would stand in JSON.

    There is no public switch for it; without this one it is only untidy.
    """
    logging.getLogger("ray").setLevel(logging.CRITICAL)
    inner: Any = import_module("ray._private.worker")
    inner._worker_logs_enabled = False  # noqa: SLF001  see above


@asynccontextmanager
async def _head(n_cpus: int) -> AsyncIterator[tuple[str, dict[str, str]]]:
    folder = short_folders.made(_FOLDER, _LONGEST_TEMPORARY)
    token = folder / "token"
    token.write_text(token_hex(32), encoding="ascii")
    token.chmod(0o600)
    shared = {**_QUIET, **_LOOPBACK, "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": str(token)}
    errors = folder / "head.err"
    with errors.open("wb") as file:
        process = await anyio.open_process(
            [
                sys.executable,
                "-P",
                str(Path(__file__).with_name("ray_head.py")),
                str(folder),
                str(n_cpus),
            ],
            stderr=file,
            env={**_bare(folder), **shared},
            start_new_session=True,
        )
    try:
        with anyio.move_on_after(_START_S):
            address = await _said(process)
            if address:
                yield address, shared
                return
        told = errors.read_text("utf-8", "replace").strip().splitlines()[-1:] or ["it said nothing"]
        if "No module named 'ray'" in told[0]:
            raise Blocked(
                "the executor ray needs Ray, which is not installed; mend: pip install "
                "'equipoise[ray]'"
            )
        raise Blocked(f"no Ray cluster could be started: {told[0]}")
    finally:
        with anyio.CancelScope(shield=True):
            await _ended(process)
            shutil.rmtree(folder, ignore_errors=True)


async def _said(process: Process) -> str:
    """Gives the address that the head says, or an empty text where it ends before."""
    assert process.stdout is not None
    seen = b""
    async for chunk in process.stdout:
        seen += chunk
        for line in seen.splitlines(keepends=True):
            if line.startswith(b"address ") and line.endswith(b"\n"):
                return line.split()[1].decode()
    return ""


async def _ended(process: Process) -> None:
    assert process.stdin is not None
    await process.stdin.aclose()
    with anyio.move_on_after(_STOP_S):
        await process.wait()
    if process.returncode is None:
        process.kill()
    await process.aclose()


def sweep() -> tuple[str, ...]:
    """Removes the folders of clusters that are gone, and gives their paths."""
    return short_folders.sweep(_FOLDER, _LONGEST_TEMPORARY)


def _bare(folder: Path) -> dict[str, str]:
    """Gives the environment of the cluster: nothing of the operator's but where programs are."""
    ours = str(Path(__file__).parents[3])
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(folder),
        "PYTHONPATH": ours,
        "LANG": "C.UTF-8",
    }


@contextmanager
def _told(variables: dict[str, str]) -> Iterator[None]:
    """Sets variables for Ray in this process, which has no other way to be told, and unsets them.

    No program is started with them: what a run starts gets an environment of its own.
    """
    before = dict(os.environ)
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
