"""A program that has to be up while requests are executed: started, waited for, ended."""

import os
import re
import signal
import socket
import subprocess
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

import anyio
import httpx

from equipoise.adapters.systems.endings import infrastructure
from equipoise.adapters.systems.options import Options
from equipoise.adapters.systems.processes import Launch, Processes, end_group, over
from equipoise.adapters.systems.setting import Setting
from equipoise.adapters.systems.tail import Tail
from equipoise.adapters.systems.templates import check_placeholders, filled
from equipoise.errors import Blocked, InputError
from equipoise.ports import Answer, System, TakesLonger
from equipoise.records.brief import Request

_KEYS = ("command", "ready", "ready_s", "stop_s", "cwd", "address")
_READY = ("url", "file", "stdout")
_POLL_S = 0.05
_NOTICE_S = 0.2
"""How long after a failed attempt the death of the service may show."""


class ServedSystem:
    """A system behind a program of the study, which is up from entering to leaving.

    The program is ready when ``ready.url`` answers, ``ready.file`` is there, or a line of its
    output matches ``ready.stdout``. Its address, ``{service}`` in the system's templates, is
    ``address``; else the group ``url`` (or ``port``, or the first one) of the line, the content of
    the file, or the origin of the URL. ``{port}`` stands for a free port that is chosen for it.
    Where the program ends in the middle, attempts end as faults of the infrastructure, and
    `why_down` tells it.
    """

    is_simulated = False

    def __init__(self, spec: Any, setting: Setting, make: Callable[[Setting], System]) -> None:
        """Reads the specification; `make` gives the system once the address is known.

        Raises:
            InputError: it is wrong, or that of the system is.
        """
        options = Options(spec, _KEYS, "service")
        self._argv = options.texts("command")
        ready = Options(options.mapping("ready"), _READY, "service.ready")
        self._ready = {key: ready.text(key) for key in _READY if ready.text(key)}
        if len(self._ready) != 1:
            raise InputError(
                f"service.ready has {len(self._ready)} of {', '.join(_READY)}",
                wanted="exactly one of them",
                mend="ready: {stdout: 'listening on (?P<url>.*)'}",
                code="bad_system",
            )
        self._pattern = _pattern(self._ready.get("stdout", ""))
        self._ready_s = options.number("ready_s") or 30.0
        self._stop_s = options.number("stop_s") or 5.0
        self._cwd = options.text("cwd", "{study}")
        self._address = options.text("address")
        for template in (self._argv, self._cwd, self._address, self._ready.get("url")):
            check_placeholders(template, setting.environment, where="service", own=("port",))
        self._setting = setting
        self._make = make
        made = make(setting.serving("http://127.0.0.1"))  # tells its faults before a start
        self.grace_s = (made.grace_s if isinstance(made, TakesLonger) else 0.0) + _NOTICE_S + 8.0
        self._stack = AsyncExitStack()
        self._running: _Running | None = None
        self._system: System | None = None

    @property
    def address(self) -> str:
        """Gives where the program listens; empty while it is not up."""
        return self._running.address if self._running else ""

    @property
    def why_down(self) -> str:
        """Says how the program ended, if it has; empty while it is up."""
        return self._running.why_down if self._running else ""

    async def __aenter__(self) -> Self:
        """Starts the program, waits until it is ready, and enters the system.

        Raises:
            Blocked: it cannot be started, or does not become ready.
        """
        async with AsyncExitStack() as stack:
            running = await self._started(stack)
            self._running = running
            await self._until_ready(running)
            system = self._make(self._setting.serving(running.address))
            self._system = await stack.enter_async_context(system)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *error: object) -> None:
        """Leaves the system and ends the program, politely at first."""
        await self._stack.__aexit__(None, None, None)

    async def execute(self, request: Request) -> Answer:
        """Executes one attempt; none is begun once the program has ended."""
        assert self._system is not None
        assert self._running is not None
        answer = Answer(ending=infrastructure(self._running.why_down, is_retriable=True))
        if not self._running.why_down:
            answer = await self._system.execute(request)
            if answer.ending.is_retriable:
                with anyio.move_on_after(_NOTICE_S):
                    await self._running.ended.wait()
        if self._running.why_down:  # what was said and paid until then is kept
            ending = infrastructure(self._running.why_down, is_retriable=True)
            return replace(answer, ending=ending, output=None)
        return answer

    async def canary(self, request: Request) -> Answer:
        """Executes a request outside the study, in the same way."""
        return await self.execute(request)

    async def _started(self, stack: AsyncExitStack) -> "_Running":
        port = str(_free_port())
        values = {**self._setting.fixed, "port": port}
        argv = [str(filled(part, values)) for part in self._argv]
        launch = Launch(
            argv=argv,
            environment=self._setting.environment,
            folder=str(filled(self._cwd, values)),
        )
        _clear(self._setting.folder, self._ready.get("file"))
        try:
            child = Processes(self._setting.ledger).start(launch)
        except OSError as error:
            raise Blocked(
                f"the service {argv[0]!r} cannot be started: {error.strerror or error}; mend: "
                "check service.command"
            ) from error
        running = _Running(child=child, values=values, stop_s=self._stop_s)
        await stack.enter_async_context(running)
        return running

    async def _until_ready(self, running: "_Running") -> None:
        with anyio.move_on_after(self._ready_s):
            while not running.why_down:
                found = await self._readiness(running)
                if found is not None:
                    running.address = str(filled(self._address, running.values)) or found
                    return
                await anyio.sleep(_POLL_S)
        why = running.why_down or f"it was not ready within {self._ready_s:g} s"
        raise Blocked(f"the service did not start: {why}{running.told()}")

    async def _readiness(self, running: "_Running") -> str | None:
        """Gives the address once the program is ready, else null."""
        if "stdout" in self._ready:
            found = self._pattern.search(running.out.text())
            return _address_in(found) if found else None
        if "file" in self._ready:
            path = self._setting.folder / self._ready["file"]
            content = await anyio.to_thread.run_sync(_content, path)
            is_unwritten = content == "" and not self._address  # made, its address yet to come
            return None if is_unwritten else content
        url = str(filled(self._ready["url"], running.values))
        origin = urlsplit(url)
        return f"{origin.scheme}://{origin.netloc}" if await _answers(url) else None


class _Running:
    """The program while it runs; entered and left by one task."""

    def __init__(
        self, *, child: "subprocess.Popen[bytes]", values: dict[str, Any], stop_s: float
    ) -> None:
        assert child.stdout is not None
        assert child.stderr is not None
        self._child = child
        self._stop_s = stop_s
        self._is_stopping = False
        self._group = anyio.create_task_group()
        self.values = values
        self.address = ""
        self.why_down = ""
        self.ended = anyio.Event()
        self.out, self.err = Tail(child.stdout.fileno()), Tail(child.stderr.fileno())

    async def __aenter__(self) -> Self:
        await self._group.__aenter__()
        self._group.start_soon(self.out.read)
        self._group.start_soon(self.err.read)
        self._group.start_soon(self._watch)
        return self

    async def __aexit__(self, *error: object) -> None:
        with anyio.CancelScope(shield=True):
            self._is_stopping = True
            if not self.ended.is_set():
                with suppress(ProcessLookupError):
                    os.killpg(self._child.pid, signal.SIGTERM)
                with anyio.move_on_after(self._stop_s):
                    await self.ended.wait()
            end_group(self._child)
        self._group.cancel_scope.cancel()
        await self._group.__aexit__(None, None, None)
        for stream in (self._child.stdout, self._child.stderr):
            if stream is not None:
                stream.close()

    async def _watch(self) -> None:
        await over(self._child.pid)
        end_group(self._child, is_over=True)
        if not self._is_stopping:
            await anyio.sleep(_POLL_S)
            self.why_down = f"the service ended with code {self._child.returncode}{self.told()}"
        self.ended.set()

    def told(self) -> str:
        """Gives the end of what the program said, for a message."""
        said = self.err.text().strip() or self.out.text().strip()
        return f"; it said: {said[-500:]}" if said else ""


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise InputError(
            f"service.ready.stdout {text!r}: {error}", wanted="a regular expression"
        ) from error


def _address_in(found: re.Match[str]) -> str:
    groups = found.groupdict()
    if groups.get("url"):
        return groups["url"]
    if groups.get("port"):
        return f"http://127.0.0.1:{groups['port']}"
    return found[1] if found.re.groups and found[1] else ""


def _content(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None


def _clear(folder: Path, name: str | None) -> None:
    """Removes the file that says ready, as an earlier run left it."""
    if name:
        folder.joinpath(name).unlink(missing_ok=True)


async def _answers(url: str) -> bool:
    try:
        async with httpx.AsyncClient(trust_env=False, timeout=2.0) as client:
            response = await client.get(url)
    except httpx.HTTPError:
        return False
    return response.is_success


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
