"""A system that is executed by workers of a Ray cluster; the journal stays with who runs it."""

import math
import os
import secrets
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import anyio
from anyio.abc import TaskGroup

from equipoise import __version__
from equipoise.adapters.executors.leftovers import WORKERS
from equipoise.adapters.executors.ray_cluster import cluster
from equipoise.adapters.executors.worker import Worker, packed, unpacked
from equipoise.errors import Blocked
from equipoise.ports import Answer, System, TakesLonger
from equipoise.ports.executors import Posting
from equipoise.records.brief import Request
from equipoise.records.trial import Ending, EndingKind, Fault

_START_S = 120.0
_STOP_S = 10.0
_WAY_S = 10.0
"""How much longer an attempt may take for being executed elsewhere."""
_MOST_FAILED = 3
"""So many workers in a row may fail to start before those that are left have to do."""

_N_REPLACED = 2
"""So many workers that take the place of lost ones have money of their own to spend."""

_CONTROL = 4
"""Calls that a worker must take beside the attempts that are under way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RayExecutor:
    """Executes on a Ray cluster: at `address`, or one of this machine alone where it is empty."""

    address: str = ""
    is_here: ClassVar[bool] = False

    def placed(self, posting: Posting) -> System:
        """Gives the system; no worker is started before it is entered."""
        return RaySystem(posting, self.address)


@dataclass(slots=True, kw_only=True, eq=False)
class _Hand:
    """A worker as seen from here."""

    actor: Any
    name: str
    host: str = ""
    n_now: int = 0


class RaySystem:
    """Sends each request to the worker that has least to do.

    A worker that is lost is ended for good, so that nothing comes of it any more; its attempts end
    as faults of the infrastructure, and another worker takes its place. Ray itself never sends a
    request again.
    """

    address = ""

    def __init__(self, posting: Posting, address: str) -> None:
        """Connects to nothing yet.

        Raises:
            InputError: the arm's specification is wrong.
        """
        made = posting.make(posting.work, 1.0)
        self.is_simulated = made.is_simulated
        self.grace_s = (made.grace_s if isinstance(made, TakesLonger) else 0.0) + _WAY_S
        self._posting = posting
        self._at = address
        self._ray: Any = None
        self._stack = AsyncExitStack()
        self._hands: list[_Hand] = []
        self._token = secrets.token_hex(4)
        self._n_hired = self._n_failed = self._n_wanted = self._each = 0
        self._n_shares = self._n_shared = 0
        self._why = ""
        self._group: TaskGroup | None = None
        self._is_hiring = False
        self._hired = anyio.Event()

    @property
    def why_down(self) -> str:
        """Says why there are no workers any more."""
        return "" if self._hands or self._n_failed < _MOST_FAILED else self._why

    async def __aenter__(self) -> Self:
        """Starts the workers.

        Raises:
            Blocked: there is no cluster, or a worker cannot execute this study.
        """
        async with AsyncExitStack() as stack:
            wanted = self._posting.concurrency
            self._ray = await stack.enter_async_context(cluster(self._at, wanted))
            stack.push_async_callback(self._dismiss)
            n_cpus = int(self._ray.cluster_resources().get("CPU", 0))
            self._n_wanted = max(1, min(wanted, n_cpus))
            self._each = math.ceil(wanted / self._n_wanted)
            self._n_shares = self._n_wanted + _N_REPLACED
            async with anyio.create_task_group() as group:
                for _ in range(self._n_wanted):
                    group.start_soon(self._hire)
            if not self._hands:
                raise Blocked(f"no worker could be started: {self._why}")
            self._n_wanted, self._n_failed = len(self._hands), 0
            self._group = await stack.enter_async_context(anyio.create_task_group())
            stack.callback(self._group.cancel_scope.cancel)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *error: object) -> None:
        """Ends the workers and what they started."""
        await self._stack.aclose()

    async def execute(self, request: Request) -> Answer:
        """Has a worker execute the request."""
        return await self._sent(request, "execute")

    async def canary(self, request: Request) -> Answer:
        """Has a worker execute a request outside the study."""
        return await self._sent(request, "canary")

    async def _sent(self, request: Request, method: str) -> Answer:
        hand = await self._chosen()
        if hand is None:
            return _lost(f"there is no worker: {self._why}")
        hand.n_now += 1
        try:
            return unpacked(await self._asked(getattr(hand.actor, method).remote(packed(request))))
        except self._ray.exceptions.RayTaskError as error:
            raise RuntimeError(f"worker {hand.name} on {hand.host}: {_short(error)}") from None
        except self._ray.exceptions.RayError as error:
            self._drop(hand)
            return _lost(f"worker {hand.name} on {hand.host} was lost: {_short(error)}")
        finally:
            hand.n_now -= 1

    async def _asked(self, reference: Any) -> Any:
        """Waits for a result; when cancelled, what gives it is cancelled too, and waited for."""
        try:
            return await reference
        except BaseException:
            with anyio.CancelScope(shield=True), anyio.move_on_after(_STOP_S), suppress(Exception):
                self._ray.cancel(reference)
                await reference
            raise

    async def _chosen(self) -> _Hand | None:
        """Gives the worker that has least to do; it is waited for only where there is none."""
        self._replace()
        while not self._hands and self._is_hiring:
            await self._hired.wait()
        return min(self._hands, key=lambda hand: hand.n_now, default=None)

    def _replace(self) -> None:
        """Begins to look for workers in place of lost ones; those that are left go on meanwhile."""
        assert self._group is not None
        if self._is_short() and not self._is_hiring:
            self._is_hiring = True
            self._group.start_soon(self._hire_more)

    def _is_short(self) -> bool:
        return len(self._hands) < self._n_wanted and self._n_failed < _MOST_FAILED

    async def _hire_more(self) -> None:
        try:
            while self._is_short():
                await self._hire()
                self._tell_hired()
        finally:
            self._is_hiring = False
            self._tell_hired()

    def _tell_hired(self) -> None:
        self._hired.set()
        self._hired = anyio.Event()

    async def _hire(self) -> None:
        """Starts a worker, or takes note of why it cannot be started."""
        self._n_hired += 1
        name = f"{self._token}-{self._n_hired}"
        folder = self._posting.work / WORKERS / name
        folder.mkdir(parents=True)
        remote = self._ray.remote(Worker).options(
            num_cpus=1,
            max_restarts=0,
            max_task_retries=0,
            max_concurrency=self._each + _CONTROL,
            scheduling_strategy="SPREAD",
        )
        hand = _Hand(actor=remote.remote(self._posting, str(folder)), name=name)
        why = f"none was free within {_START_S:g} s"
        try:
            with anyio.move_on_after(_START_S):
                asked = hand.actor.start.remote(__version__, self._keys(), self._share())
                hand.host, why = await self._asked(asked)
        except self._ray.exceptions.RayError as error:
            why = _short(error)
        except BaseException:
            self._ray.kill(hand.actor)
            raise
        if why:
            self._ray.kill(hand.actor)
            self._n_shared -= 1  # it never began, and spent nothing
            self._n_failed += 1
            self._why = f"worker on {hand.host}: {why}" if hand.host else why
            return
        self._n_failed = 0
        self._hands.append(hand)

    def _keys(self) -> dict[str, str]:
        """Gives the keys of models that are set here; they go from memory to memory."""
        return {name: os.environ[name] for name in self._posting.keys if name in os.environ}

    def _share(self) -> float:
        """Gives the share of the money of one more worker; nothing once all of it is given out.

        Nobody knows what a lost worker has spent, so what it was given is not given again.
        """
        self._n_shared += 1
        return 1.0 / self._n_shares if self._n_shared <= self._n_shares else 0.0

    def _drop(self, hand: _Hand) -> None:
        if hand in self._hands:
            self._hands.remove(hand)
            with suppress(self._ray.exceptions.RayError):
                self._ray.kill(hand.actor)

    async def _dismiss(self) -> None:
        """Lets every worker end what it started, then ends it."""
        with anyio.CancelScope(shield=True):
            async with anyio.create_task_group() as group:
                for hand in self._hands:
                    group.start_soon(self._stop, hand)
            self._hands.clear()

    async def _stop(self, hand: _Hand) -> None:
        with suppress(self._ray.exceptions.RayError), anyio.move_on_after(_STOP_S):
            await hand.actor.stop.remote()
        with suppress(self._ray.exceptions.RayError):
            self._ray.kill(hand.actor)


def _lost(why: str) -> Answer:
    ending = Ending(
        kind=EndingKind.INFRASTRUCTURE_ERROR,
        fault=Fault.INFRASTRUCTURE,
        is_retriable=True,
        detail=why,
    )
    return Answer(ending=ending)


def _short(error: Exception) -> str:
    """Gives the line of an error that says most: the last that is no trace of Ray's own."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    said = [line for line in lines if line.startswith(("The actor is dead", "The actor died"))]
    return (said[-1:] or lines[-1:] or [type(error).__name__])[0][:300]
