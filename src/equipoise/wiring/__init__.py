"""Names to adapters; the one place with late imports."""

import os
from collections.abc import Callable, Mapping
from datetime import date
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from equipoise.errors import InputError, nearest
from equipoise.ports import LogReader, Probe, StateStore, System
from equipoise.ports.agents import Agent, Isolation
from equipoise.ports.executors import Executor
from equipoise.records.plan import ArmPlan, ProbeSpec, StateSpec
from equipoise.records.rating_plan import JudgePlan
from equipoise.studies.loss.running_asked import Adapters, Around

READERS: dict[str, tuple[str, str]] = {
    "table": (
        "equipoise.adapters.logs.table.reader:TableReader",
        "rows in JSONL, CSV or Parquet, gzip too; the mapping says which column is what",
    ),
    "inspect": (
        "equipoise.adapters.logs.inspect.reader:InspectReader",
        "Inspect AI logs, .eval and .json, one or a folder of them",
    ),
    "promptfoo": (
        "equipoise.adapters.logs.promptfoo.reader:PromptfooReader",
        "results of `promptfoo eval -o results.json`, rows counted",
    ),
    "claude-code": (
        "equipoise.adapters.logs.claude_code.reader:ClaudeCodeReader",
        "Claude Code session transcripts and event streams, one trial per session",
    ),
    "codex": (
        "equipoise.adapters.logs.harness.reader:codex_reader",
        "rollout files of Codex, and saved streams of `codex exec --json`",
    ),
    "mini-swe": (
        "equipoise.adapters.logs.harness.reader:mini_swe_reader",
        "trajectories of mini-swe-agent, .traj.json",
    ),
    "swe-agent": (
        "equipoise.adapters.logs.harness.reader:swe_agent_reader",
        "trajectories of SWE-agent, .traj",
    ),
    "junit": ("equipoise.adapters.logs.junit:JUnitReader", "JUnit XML, one trial per test case"),
    "ldd": (
        "equipoise.adapters.logs.ldd.reader:LddReader",
        "traces of loss-driven development, one trial per session; bundles of skills",
    ),
}
"""Format -> (``module:attribute`` of its reader, what it reads in one line)."""

STATES: dict[str, str] = {
    "directory": "equipoise.adapters.state.directory:made",
    "sqlite": "equipoise.adapters.state.sqlite:made",
    "postgres": "equipoise.adapters.state.postgres:made",
}
"""Kind of state -> ``module:attribute`` of its store."""

PROBES: dict[str, str] = {
    "files": "equipoise.adapters.probes.files:made",
    "sql": "equipoise.adapters.probes.sql:made",
    "http": "equipoise.adapters.probes.http:made",
    "browser": "equipoise.adapters.probes.browser:made",
}
"""Kind of probe -> ``module:attribute`` of what makes it."""

_AGENTS = "equipoise.adapters.agents"
AGENTS: dict[str, str] = {
    "claude-code": f"{_AGENTS}.claude_code:made",
    "codex": f"{_AGENTS}.codex:made",
    "mini-swe": f"{_AGENTS}.mini_swe:made",
    "command": f"{_AGENTS}.command:made",
    "scripted": f"{_AGENTS}.scripted:made",
}
"""Harness -> ``module:attribute`` of what makes it from its options, a folder and a layout."""

AGENT_PLUGINS = "equipoise.agents"
"""Group of entry points by which an installed package adds a harness of its own."""

_LAYOUT = f"{_AGENTS}.layout:layout_for"

_HERE = "equipoise.adapters.systems"
SYSTEMS: dict[str, str] = {
    "command": f"{_HERE}.command:CommandSystem",
    "http": f"{_HERE}.http:HttpSystem",
    "callable": f"{_HERE}.callables:CallableSystem",
    "agent": f"{_HERE}.agent:AgentSystem",
    "model": f"{_HERE}.model:ModelSystem",
}
"""Kind of system -> ``module:attribute`` of its adapter."""

_MEANS = f"{_HERE}.agent_means:AgentMeans"
_SERVED = f"{_HERE}.service:ServedSystem"
_SETTING = f"{_HERE}.setting:Setting"
_ALLOWED = f"{_HERE}.setting:allowed"
_PRICE = "equipoise.wiring.judges:price"
_OBSERVED = f"{_HERE}.observing:observed"
_PROCESSES = f"{_HERE}.processes:Processes"

_TABLES = frozenset({"jsonl", "csv", "tsv", "parquet", "json", "yaml"})
"""Forms of a table; a mapping may name them as its ``format``."""


def reader(name: str) -> LogReader:
    """Gives the reader of a foreign format.

    Raises:
        InputError: there is no such format; the nearest is named.
    """
    if name in _TABLES:
        name = "table"
    if name not in READERS:
        raise InputError(
            f"no format {name!r}",
            wanted=f"one of {', '.join(READERS)}",
            mend=nearest(name, list(READERS)),
            code="unknown_format",
        )
    module, _, attribute = READERS[name][0].partition(":")
    made: LogReader = getattr(import_module(module), attribute)()
    return made


def detect(path: Path) -> str:
    """Gives the name of the format that the file or folder looks like; ``table`` if none other.

    Raises:
        UnreadableSource: there is nothing to look at.
    """
    found: str = import_module("equipoise.adapters.logs.sniffing").detect(path)
    return found


def state_store(spec: StateSpec, root: Path) -> StateStore:
    """Gives the store of a state; paths in `spec` count from `root`, the folder of the study.

    Nothing is opened yet, so a plan is checked by calling this.

    Raises:
        InputError: there is no such kind, or putting that target back could destroy more than
            state.
    """
    made: StateStore = _named(STATES, spec.kind, "state")(spec.target, root)
    return made


def probe(spec: ProbeSpec, root: Path, variables: Mapping[str, str] | None = None) -> Probe:
    """Gives a probe; paths in `spec` count from `root`, the folder of the study.

    `variables` are the values of the run that templates may name beside those of the request, such
    as ``service``. Nothing is opened yet, so a plan is checked by calling this, with any value for
    each variable.

    Raises:
        InputError: there is no such kind, or an option is wrong.
    """
    made: Probe = _named(PROBES, spec.kind, "probe")(spec, root, variables or {})
    return made


def system(arm: ArmPlan, around: Around) -> System:
    """Gives the system of an arm; nothing is started before it is entered.

    Raises:
        InputError: there is no such kind of system, or its specification is wrong.
    """
    kind, spec = next(iter(arm.system.items()), ("", None))
    make: Callable[[Any, Any], System] = _named(SYSTEMS, kind, "system")
    make = {"agent": _agent_system, "model": _model_system}.get(kind, make)
    setting = _setting(around)
    if not arm.service:
        return make(spec, setting)
    served: System = _loaded(_SERVED)(arm.service, setting, lambda known: make(spec, known))
    return served


def agent(name: str, spec: Any, root: Path, isolation: Isolation) -> Agent:
    """Gives a harness for a sandbox of that isolation; paths in `spec` count from `root`.

    A package adds one by an entry point of the group ``equipoise.agents`` that is called with the
    options, the folder and the layout. Nothing is started yet, so a plan is checked by calling
    this.

    Raises:
        InputError: there is no such harness, or an option is wrong.
    """
    others = {entry.name: entry.value for entry in entry_points(group=AGENT_PLUGINS)}
    make = _named(others | AGENTS, name, "agent")
    made: Agent = make(spec, root, _loaded(_LAYOUT)(isolation))
    return made


def _agent_system(spec: Any, setting: Any) -> System:
    parts = import_module("equipoise.wiring.agents")
    gateway = import_module("equipoise.wiring.providers").gateway
    means = _loaded(_MEANS)(sandbox=parts.sandbox, agent=agent, gateway=gateway, seeds=parts.seeds)
    made: System = _loaded(SYSTEMS["agent"])(spec, setting, means)
    return made


def _model_system(spec: Any, setting: Any) -> System:
    gateway = import_module("equipoise.wiring.providers").gateway
    made: System = _loaded(SYSTEMS["model"])(spec, setting, gateway)
    return made


def adapters(where: Executor | None = None) -> Adapters:
    """Gives everything that a run reaches the outside with; `where` attempts are executed."""
    executing = import_module("equipoise.wiring.executing")
    executes: Executor = where or executing.executor()

    async def observed(around: Around) -> Mapping[str, str]:
        found: Mapping[str, str] = await _loaded(_OBSERVED)(_setting(around))
        return found

    return Adapters(
        system=lambda arm, around: executing.placed(executes, arm, around),
        state_store=state_store,
        probe=probe,
        reader=reader,
        environment=lambda names: _loaded(_ALLOWED)(names, os.environ),
        observed=observed,
        end_leftovers=executing.end_leftovers,
        price=_price,
        suites=import_module("equipoise.wiring.suites").suites,
        held=import_module("equipoise.wiring.keeping").held,
    )


def _price(judge: JudgePlan, study: Path, n_input: int, day: date) -> float | None:
    found: float | None = _loaded(_PRICE)(judge, study, n_input, day)
    return found


def _setting(around: Around) -> Any:
    return _loaded(_SETTING)(
        folder=around.folder,
        environment=around.environment,
        ledger=around.ledger,
        concurrency=around.concurrency,
        clock=around.clock,
        spent_usd=around.spent_usd,
        state=around.state,
        most_calls=around.most_calls,
        share=around.share,
        max_tokens=around.max_tokens,
    )


def _named(known: dict[str, str], kind: str, what: str) -> Callable[..., Any]:
    if kind not in known:
        raise InputError(
            f"no {what} {kind!r}",
            wanted=f"one of {', '.join(known)}",
            mend=nearest(kind, list(known)),
            where="study.yaml",
            code=f"unknown_{what}",
        )
    return _loaded(known[kind])


def _loaded(target: str) -> Callable[..., Any]:
    module, _, attribute = target.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), attribute)
    return found
