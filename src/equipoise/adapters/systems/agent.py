"""A system that is an agent: a harness in a sandbox, on a copy of a seed, with a way to a model."""

import math
import time
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import anyio.to_thread

from equipoise.adapters.systems.agent_freezing import LONGEST_S, frozen
from equipoise.adapters.systems.agent_means import AgentMeans, SeedOf
from equipoise.adapters.systems.agent_options import AgentOptions
from equipoise.adapters.systems.agent_session import Session, failed, unread
from equipoise.adapters.systems.agent_turns import Standing, Turns, stood
from equipoise.adapters.systems.endings import infrastructure
from equipoise.adapters.systems.setting import Setting
from equipoise.adapters.systems.templates import filled, values_of
from equipoise.errors import EquipoiseError, InputError
from equipoise.ports import Answer
from equipoise.ports.agents import (
    GIT_KILLED,
    Agent,
    Available,
    ChecksTasks,
    Ended,
    Isolation,
    Route,
    Sandbox,
    Seed,
    TakesTurns,
    Task,
    Told,
)
from equipoise.records.brief import Brief, Request
from equipoise.records.call import ModelCall
from equipoise.records.codec import digest, encode

_LEAST_S = 1.0
"""A turn for which no time is left has so much of it, and is ended at its limit."""

_NOWHERE = Route(trial="", url="", socket=None, token="")
_SAMPLE = Request(
    trial="",
    brief=Brief(unit="", content={}, labels={}),
    arm="",
    repetition=1,
    attempt=1,
    seed=0,
    timeout_s=math.inf,
)


class AgentSystem:
    """Runs one session of a harness for every request.

    Each has a fresh copy of its seed, a home of its own, a sandbox without a network and a route
    through the gateway, which records every call of a model and holds the keys. When the session
    has ended, what became of the copy is frozen as the documents ``diff.patch``, ``tree.json`` and
    ``artifacts/...``; the calls are ``calls.jsonl``. A harness that is missing makes every cell an
    infrastructure error that says so and the mend; nothing is made up.
    """

    grace_s = LONGEST_S + 60.0

    def __init__(self, spec: Any, setting: Setting, means: AgentMeans) -> None:
        """Reads the specification and finds its harness, its sandbox and who answers.

        Raises:
            InputError: a key, a value or a placeholder is wrong, or names nothing known; or the
                harness lacks a switch that is asked for.
        """
        self._options = AgentOptions.of(spec, setting)
        self._setting = setting
        self._sandbox: Sandbox | None = None
        self._means = means
        self._agent = self._made(Isolation.NAMESPACES)
        if isinstance(self._agent, ChecksTasks):
            self._agent.check(self._sample())
        if self._options.turns and not isinstance(self._agent, TakesTurns):
            raise InputError(
                f"{self._agent.name} cannot go on with a session after it has ended",
                wanted="a harness that takes further turns, where a user says something in one",
                mend="take claude-code or codex, or let the user confirm beforehand (scripted)",
                code="no_switch",
            )
        self._route = means.gateway(self._options.provider, setting)
        self._seed_of: SeedOf = means.seeds(setting)
        self._stack = AsyncExitStack()
        self._missing = ""
        self._versions: dict[str, str] = {}
        self._exchanges: dict[str, dict[str, bytes]] = {}
        self.is_simulated = self._agent.is_simulated or self._route.is_simulated

    async def __aenter__(self) -> Self:
        """Opens the gateway, and tries the sandbox and the harness.

        Raises:
            Blocked: the gateway lacks what it needs, such as a key, or no sandbox of those that the
                study allows works here.
        """
        async with AsyncExitStack() as stack:
            self._gateway = await stack.enter_async_context(self._route.opened(self._keep))
            sandbox, found = await self._means.sandbox(self._options.sandboxes)
            stack.callback(sandbox.close)
            self._sandbox = sandbox
            self._versions |= _named("sandbox", sandbox.name, found)
            self._versions["isolation"] = sandbox.isolation.value
            self._agent = self._made(sandbox.isolation)
            found = await self._agent.probe()
            self._versions |= _named("agent", self._agent.name, found)
            if not found.is_available:
                mend = f"; mend: {found.mend}" if found.mend else ""
                self._missing = (
                    f"the harness {self._agent.name} does not work here: {found.why_not}{mend}"
                )
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *error: object) -> None:
        """Closes the gateway; every session ended with its trial."""
        await self._stack.aclose()

    async def execute(self, request: Request) -> Answer:
        """Executes one attempt: copy, session, freeze."""
        if self._missing:
            return Answer(ending=infrastructure(self._missing, is_retriable=False))
        values = values_of(request, self._setting.fixed)
        before = time.monotonic()
        try:
            asked = filled(self._options.seed, values) if self._options.seed else None
            place = await anyio.to_thread.run_sync(self._prepare, Path(request.workspace), asked)
        except (OSError, EquipoiseError) as error:
            passes = isinstance(error, InputError) and error.code == GIT_KILLED
            return Answer(ending=infrastructure(f"workspace: {error}", is_retriable=passes))
        return await self._session(request, values, place, time.monotonic() - before)

    async def canary(self, request: Request) -> Answer:
        """Executes a request outside the study, in the same way."""
        return await self.execute(request)

    def _made(self, isolation: Isolation) -> Agent:
        name, options = next(iter(self._options.harness.items()))
        return self._means.agent(name, options, self._setting.folder, isolation)

    def _keep(self, trial: str, name: str, content: bytes) -> None:
        self._exchanges.setdefault(trial, {})[name] = content

    def _prepare(self, folder: Path, seed: Any) -> "_Place":
        """Makes a cell's folders: a fresh copy of its seed, an empty home."""
        folder = folder.resolve()
        place = _Place(
            seed=self._seed_of(seed),
            asked=seed,
            workspace=folder / "workspace",
            home=folder / "home",
        )
        place.home.mkdir(parents=True)
        place.seed.copy(place.workspace)
        return place

    async def _session(
        self, request: Request, values: Mapping[str, Any], place: "_Place", copied_s: float
    ) -> Answer:
        """Executes a session; whatever fails on the way, what was said and paid is kept."""
        assert self._sandbox is not None
        model, later = str(filled(self._options.model, values)), self._later(request)
        before = time.monotonic()
        prompt = str(filled(self._options.prompt, values))
        standing = Standing(
            request, digest(encode([request.trial, prompt, later, model, place.seed.sha256]))
        )
        turns = Turns(asked=standing.asked)
        if later:
            found = await anyio.to_thread.run_sync(standing.taken_up, place.workspace, place.home)
            turns = found or turns
        task: Task | None = None
        while not turns.done or (turns.is_stopped and len(turns.done) <= len(later)):
            try:
                task = await self._turn(request, model, prompt, later, place, turns)
            except Exception as error:  # noqa: BLE001  its calls must not be lost with it
                why = f"session: {error or type(error).__name__}"
                return failed(why, model, turns.calls, turns.exchanges, self._versions)
            if turns.is_stopped and len(turns.done) <= len(later):
                await self._between(task, place, turns, standing)
        assert task is not None  # what was set down has a turn to come
        ran = time.monotonic()
        ended, calls = turns.whole(), tuple(turns.calls)
        told = await anyio.to_thread.run_sync(self._told, task, ended, calls)
        left = await frozen(place.seed, place.workspace, self._options.artifacts)
        session = Session(
            model=model,
            ended=ended,
            calls=calls,
            exchanges=turns.exchanges,
            told=told,
            frozen=left,
            limit_s=self._options.bounded(request.timeout_s).wall_s,
            seed={"of": place.asked, "sha256": place.seed.sha256},
            took_s={"copy": copied_s, "session": ran - before, "freeze": time.monotonic() - ran},
            turns=turns.told(1 + len(later)),
            between=turns.documents,
        )
        return session.answer(self._versions)

    def _later(self, request: Request) -> tuple[str, ...]:
        """Gives what the user says after the first turn of this unit."""
        said = request.brief.content.get(self._options.turns) if self._options.turns else None
        return tuple(map(str, said)) if isinstance(said, list | tuple) else ()

    async def _turn(
        self,
        request: Request,
        model: str,
        prompt: str,
        later: tuple[str, ...],
        place: "_Place",
        turns: Turns,
    ) -> Task:
        """Executes the next turn, and gives its task; its calls are kept whatever happens."""
        assert self._sandbox is not None
        trial, number = request.trial, len(turns.done) + 1
        route = self._gateway.open(trial, model)
        ended: Ended | None = None
        try:
            task = self._asked_of(request, model, prompt, later, route, place)
            left_s = max(task.bounds.wall_s - turns.took_s, _LEAST_S)
            task = replace(task, bounds=replace(task.bounds, wall_s=left_s))
            if number == 1:
                job = self._agent.job(task)
            else:
                assert isinstance(self._agent, TakesTurns)  # seen when the study was read
                job = self._agent.next_job(task, number)
            ended = await self._sandbox.run(job)
        finally:
            calls = self._gateway.close(trial)
            turns.hear(self._exchanges.pop(trial, {}))
            if ended is None:
                turns.calls += calls
        said = later[number - 2] if number > 1 else prompt
        turns.take(ended, digest(said.encode("utf-8", "surrogatepass")), calls)
        return task

    async def _between(self, task: Task, place: "_Place", turns: Turns, standing: Standing) -> None:
        """Keeps what stands after a turn, and sets the cell down."""
        found = await frozen(place.seed, place.workspace, self._options.artifacts)
        said = self._told(task, turns.whole(), tuple(turns.calls))
        turns.documents |= stood(len(turns.done), found, said.output)
        await anyio.to_thread.run_sync(standing.set_down, turns, place.workspace, place.home)

    def _asked_of(
        self,
        request: Request,
        model: str,
        prompt: str,
        later: tuple[str, ...],
        route: Route,
        place: "_Folders",
    ) -> Task:
        task = self._task(request, model, prompt, route, place)
        return replace(task, turns=later)

    def _told(self, task: Task, ended: Ended, calls: Sequence[ModelCall]) -> Told:
        """Reads what the harness left; a reader that fails loses what it read, and nothing else."""
        try:
            return self._agent.told(task, ended, calls)
        except Exception as error:  # noqa: BLE001  it may be a package of somebody else
            return unread(f"{self._agent.name} cannot read what it left: {error!r}", ended, calls)

    def _sample(self) -> Task:
        """A task as every cell's will be, for the harness to look at; a templated model is none."""
        model = self._options.model
        return self._task(
            _SAMPLE,
            "some-model-1" if "{" in model else model,
            self._options.prompt,
            _NOWHERE,
            _Folders(workspace=Path(), home=Path()),
        )

    def _task(
        self, request: Request, model: str, prompt: str, route: Route, place: "_Folders"
    ) -> Task:
        options = self._options
        return Task(
            request=request,
            prompt=prompt,
            model=model,
            route=route,
            workspace=place.workspace,
            home=place.home,
            tools=options.tools,
            skills=options.skills,
            is_skill_forced=options.is_skill_forced,
            system_prompt=options.system_prompt,
            hooks=options.hooks,
            max_turns=options.max_turns,
            bounds=options.bounded(request.timeout_s),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Folders:
    """The folders of one session."""

    workspace: Path
    home: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place(_Folders):
    """Where one session happens, and what it begins with: a seed, and what was said of it."""

    seed: Seed
    asked: Any


def _named(what: str, name: str, found: Available) -> dict[str, str]:
    return {what: f"{name} {found.version}".strip()}
