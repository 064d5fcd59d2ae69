"""A system that is a command: one program started per trial, request in, answer out."""

import errno
import json
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, Self, cast

import anyio

from equipoise.adapters.systems.endings import (
    budget_used,
    exited,
    infrastructure,
    timed_out,
    too_long,
)
from equipoise.adapters.systems.facts import Facts
from equipoise.adapters.systems.options import Options
from equipoise.adapters.systems.processes import UNEXECUTED, Launch, Processes
from equipoise.adapters.systems.setting import Setting
from equipoise.adapters.systems.streams import Stream
from equipoise.adapters.systems.templates import check_placeholders, filled, uses, values_of
from equipoise.ports import Answer
from equipoise.records.brief import Request
from equipoise.records.codec import encode
from equipoise.records.trial import Ending

_KEYS = ("argv", "stdin", "output", "cwd", "budget_s", "budget_exit", "max_output_bytes", "facts")
_MAX_OUTPUT = 16 * 2**20
_MAX_STDERR = 1 << 20
_UNEXECUTED_CODES = frozenset({126, 127})
_DRAIN_S = 1.0


class CommandSystem:
    """Starts the command of the study for every request.

    The program starts in the folder of the study (or ``cwd``), with only the environment variables
    that the plan lists, and gets the request as JSON on standard input (or what ``stdin`` says). A
    folder of the trial's own is at ``{workspace}``. Its standard output is the answer, or the file
    that ``output`` names. An exit code other than 0 is the program's own
    doing, and an outcome; only that it cannot be started at all is the infrastructure's.
    """

    is_simulated = False

    def __init__(self, spec: Any, setting: Setting) -> None:
        """Reads the specification: a list of arguments, or a mapping with ``argv``.

        Raises:
            InputError: it is none, or has a key or placeholder that is not known.
        """
        options = Options({"argv": spec} if isinstance(spec, list) else spec, _KEYS, "command")
        self._argv = options.texts("argv")
        self._stdin = options.template("stdin")
        self._output = options.text("output")
        self._cwd = options.text("cwd", "{study}")
        self._budget_s = options.number("budget_s")
        self._budget_exit = set(options.whole_numbers("budget_exit"))
        self._max_output = int(options.number("max_output_bytes") or _MAX_OUTPUT)
        self._facts = Facts(options.mapping("facts"), where="command.facts")
        for template in (self._argv, self._stdin, self._output, self._cwd):
            check_placeholders(template, setting.environment, where="command")
        templates = (self._argv, self._stdin, self._output, self._cwd)
        self._needs_workspace = self._stdin is None or uses(templates, "workspace")
        self._setting = setting
        self._processes = Processes(setting.ledger)

    async def __aenter__(self) -> Self:
        """Gives itself; nothing is started before a request."""
        return self

    async def __aexit__(self, *error: object) -> None:
        """Does nothing: every program ended with its trial."""

    async def execute(self, request: Request) -> Answer:
        """Executes one attempt."""
        values = values_of(request, self._setting.fixed)
        before = time.monotonic()
        try:
            child = self._start(request, values)
        except OSError as error:
            return _not_started(error)
        finish = await self._finish(child, request)
        if finish.stderr.startswith(UNEXECUTED) and finish.exit_code in _UNEXECUTED_CODES:
            detail = finish.stderr.decode("utf-8", "replace").strip()
            return Answer(ending=infrastructure(detail, is_retriable=False))
        elapsed_ms = (time.monotonic() - before) * 1000
        output = self._answer(finish.stdout, values) if finish.is_over else finish.stdout
        documents = {"stderr": finish.stderr} if finish.stderr else {}
        answer = Answer(
            ending=self._ending(finish, request),
            output=output,
            documents=documents,
            duration_ms=elapsed_ms,
            exit_code=finish.exit_code,
        )
        return self._facts.added(answer)

    async def canary(self, request: Request) -> Answer:
        """Executes a request outside the study, in the same way."""
        return await self.execute(request)

    def _start(self, request: Request, values: Mapping[str, Any]) -> "subprocess.Popen[bytes]":
        argv = [_argument(part, values) for part in self._argv]
        if self._needs_workspace:
            Path(request.workspace).mkdir(parents=True, exist_ok=True)
        with _memory_file(self._given(request, values)) as stdin:
            launch = Launch(
                argv=argv,
                environment=self._setting.environment,
                folder=str(filled(self._cwd, values)),
                stdin=stdin,
            )
            return self._processes.start(launch)

    def _given(self, request: Request, values: Mapping[str, Any]) -> bytes:
        if self._stdin is None:
            return encode(request)
        given = filled(self._stdin, values)
        return given.encode() if isinstance(given, str) else encode(given)

    def _answer(self, stdout: bytes, values: Mapping[str, Any]) -> bytes | None:
        if not self._output:
            return stdout
        try:
            with Path(str(filled(self._output, values))).open("rb") as file:
                return file.read(self._max_output)
        except OSError:
            return None

    async def _finish(self, child: "subprocess.Popen[bytes]", request: Request) -> "_Finish":
        assert child.stdout is not None
        assert child.stderr is not None
        allowed_s = min(self._budget_s or request.timeout_s, request.timeout_s)
        out, err = (
            Stream(child.stdout.fileno(), self._max_output),
            Stream(child.stderr.fileno(), _MAX_STDERR),
        )
        with child.stdout, child.stderr:
            async with anyio.create_task_group() as group:
                with anyio.move_on_after(allowed_s) as limit:
                    group.start_soon(out.read, limit.cancel)
                    group.start_soon(err.read)
                    await self._processes.ended(child)
                with anyio.move_on_after(_DRAIN_S):
                    await out.closed.wait()
                    await err.closed.wait()
                group.cancel_scope.cancel()
        return _Finish(
            exit_code=child.returncode,
            is_over=not limit.cancelled_caught,
            is_flooded=out.is_full,
            stdout=bytes(out.content),
            stderr=bytes(err.content),
        )

    def _ending(self, finish: "_Finish", request: Request) -> Ending:
        if finish.is_flooded:
            return too_long(self._max_output)
        if not finish.is_over and (self._budget_s or request.timeout_s + 1) <= request.timeout_s:
            return budget_used(f"{self._budget_s:g} s")
        if not finish.is_over:
            return timed_out(request)
        if finish.exit_code in self._budget_exit:
            return budget_used(f"budget, says exit code {finish.exit_code}")
        return exited(finish.exit_code, "the program", f"exit code {finish.exit_code}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Finish:
    exit_code: int
    is_over: bool
    is_flooded: bool
    stdout: bytes
    stderr: bytes


def _argument(part: str, values: Mapping[str, Any]) -> str:
    value = filled(part, values)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _not_started(error: OSError) -> Answer:
    """A program that cannot be started says nothing about the system; too few files may pass."""
    passing = error.errno in {errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM}
    detail = f"{error.filename} cannot be started: {error.strerror or error}"
    return Answer(ending=infrastructure(detail, is_retriable=passing))


@contextmanager
def _memory_file(content: bytes) -> Iterator[IO[bytes]]:
    with TemporaryFile(buffering=0) as file:
        file.write(content)
        file.seek(0)
        yield cast("IO[bytes]", file)
