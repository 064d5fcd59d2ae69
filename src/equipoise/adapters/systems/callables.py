"""A system that is a Python function, called in worker programs so that its crash is not ours."""

import base64
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

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
from equipoise.adapters.systems.processes import Processes
from equipoise.adapters.systems.setting import Setting
from equipoise.adapters.systems.worker import Crashed, Flooded, Worker
from equipoise.errors import Blocked, InputError
from equipoise.ports import Answer
from equipoise.records.brief import Request
from equipoise.records.codec import encode
from equipoise.records.trial import Ending, EndingKind, Fault

_KEYS = ("target", "budget_s", "max_output_bytes", "facts")
_MAX_OUTPUT = 16 * 2**20
_START_S = 60.0
_FILE = Path(__file__).with_name("callable_worker.py")


class CallableSystem:
    """Calls ``module:function`` of the study with the request as a dict, in a worker program.

    What it gives is the answer: text and bytes as they are, anything else as JSON; an awaitable is
    awaited. An exception, or a crash of the worker, is the function's own doing, and an outcome;
    where it is killed from outside nobody can say whose fault that was.
    A worker serves many requests, one at a time; it is ended after a time-out.
    """

    is_simulated = False

    def __init__(self, spec: Any, setting: Setting) -> None:
        """Reads the specification: ``module:function``, or a mapping with ``target``.

        Raises:
            InputError: it is none, or has a key that is not known.
        """
        options = Options({"target": spec} if isinstance(spec, str) else spec, _KEYS, "callable")
        self._target = options.needed("target")
        if not all(self._target.partition(":")):
            raise InputError(
                f"callable.target is {self._target!r}",
                wanted="module:function",
                code="bad_system",
            )
        self._budget_s = options.number("budget_s")
        self._max_output = int(options.number("max_output_bytes") or _MAX_OUTPUT)
        self._facts = Facts(options.mapping("facts"), where="callable.facts")
        self._setting = setting
        self._processes = Processes(setting.ledger)
        self._idle: list[Worker] = []

    async def __aenter__(self) -> Self:
        """Starts a first worker, so that a function that cannot be found is told at once.

        Raises:
            Blocked: the function cannot be imported.
        """
        try:
            self._idle.append(await self._started())
        except (OSError, Crashed, TimeoutError) as error:
            raise Blocked(
                f"{self._target} cannot be called: {error}; mend: it is looked up in "
                f"{self._setting.folder} and among the installed packages"
            ) from error
        return self

    async def __aexit__(self, *error: object) -> None:
        """Ends the workers."""
        while self._idle:
            self._idle.pop().end()

    async def execute(self, request: Request) -> Answer:
        """Executes one attempt."""
        try:
            worker = self._living() or await self._started()
        except (OSError, Crashed, TimeoutError) as error:
            told = f"no worker can be started: {error}"
            return Answer(ending=infrastructure(told, is_retriable=True))
        before = time.monotonic()
        answer = await self._asked(worker, request)
        return replace(self._facts.added(answer), duration_ms=(time.monotonic() - before) * 1000)

    async def canary(self, request: Request) -> Answer:
        """Executes a request outside the study, in the same way."""
        return await self.execute(request)

    async def _asked(self, worker: Worker, request: Request) -> Answer:
        allowed_s = min(self._budget_s or request.timeout_s, request.timeout_s)
        try:
            with anyio.fail_after(allowed_s):
                said = await worker.ask(encode(request))
        except TimeoutError:
            worker.end()
            is_budget = self._budget_s is not None and self._budget_s <= request.timeout_s
            return Answer(
                ending=budget_used(f"{allowed_s:g} s") if is_budget else timed_out(request)
            )
        except Flooded:
            worker.end()
            return Answer(ending=too_long(self._max_output))
        except Crashed as crash:
            detail = f"the function's program ended with code {crash.exit_code}"
            return Answer(
                ending=exited(crash.exit_code, "the function's program", detail),
                exit_code=crash.exit_code,
                documents={"stderr": crash.said} if crash.said else {},
            )
        except BaseException:
            worker.end()
            raise
        self._idle.append(worker)
        return _answer(said)

    def _living(self) -> Worker | None:
        """Gives an idle worker; one that has died since is no doing of who would ask it next."""
        while self._idle:
            worker = self._idle.pop()
            if worker.is_alive:
                return worker
            worker.end()
        return None

    async def _started(self) -> Worker:
        argv = ["{python}", "-P", str(_FILE), str(self._setting.folder), self._target]
        argv[0] = str(self._setting.fixed["python"])
        worker = Worker(self._processes, argv, self._setting, most=2 * self._max_output)
        try:
            with anyio.fail_after(_START_S):
                _check(await worker.answer())
        except BaseException:
            worker.end()
            raise
        return worker


def _check(first: Mapping[str, Any]) -> None:
    if "error" in first:
        raise Crashed(2, str(first["error"]).encode())


def _answer(said: Mapping[str, Any]) -> Answer:
    printed = str(said.get("said", ""))
    if "error" in said:
        return Answer(
            ending=Ending(
                kind=EndingKind.COMPLETED, fault=Fault.SYSTEM, detail=f"raised {said.get('kind')}"
            ),
            exit_code=1,
            documents={"stderr": f"{printed}{said['error']}".encode()},
        )
    output = base64.b64decode(said["base64"]) if "base64" in said else None
    if "text" in said:
        output = str(said["text"]).encode("utf-8", "surrogatepass")
    return Answer(
        ending=Ending(),
        output=output,
        exit_code=0,
        documents={"stderr": printed.encode("utf-8", "replace")} if printed else {},
    )
