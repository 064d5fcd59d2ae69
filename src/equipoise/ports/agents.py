"""What running an agent needs from outside: a sandbox, a harness, a way to a model, a workspace."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol, runtime_checkable

from equipoise.records.brief import Request
from equipoise.records.call import ModelCall
from equipoise.records.conduct import Act
from equipoise.records.suite_run import SuiteRun
from equipoise.records.trial import Ending, Usage

GIT_KILLED = "git_killed"
"""Code of the error that a git was ended from outside: that passes, so the cell is tried again."""


class Isolation(StrEnum):
    """What keeps a job from what it must not see; every report says which."""

    NAMESPACES = "namespaces"  # nothing else exists for it: mounts, processes, network of its own
    CONTAINER = "container"
    PATHS = "paths"  # other paths are denied, not absent; processes and network partly shared
    NONE = "none"  # a plain process: hidden tests are not hidden from it


@dataclass(frozen=True, slots=True, kw_only=True)
class Mount:
    """A file or folder of ours that a job sees at `target`; read-only unless it is writable."""

    source: Path
    target: str
    is_writable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What a job may use; a bound that is not enforced is named in `Ended.unbounded`.

    `output_bytes` bounds stdout and stderr together; more ends the job. `disk_bytes` and `n_files`
    bound what it adds to its writable mounts, `tmp_bytes` what is in its ``/tmp`` and, again, its
    home.
    """

    wall_s: float = 600.0
    cpu_s: float | None = None
    memory_bytes: int = 2 * 2**30
    n_processes: int = 256
    file_bytes: int = 256 * 2**20
    tmp_bytes: int = 256 * 2**20
    disk_bytes: int = 2 * 2**30
    n_files: int = 200_000
    output_bytes: int = 16 * 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A program to be run in a sandbox: nothing but what stands here exists for it.

    `environment` is complete. `folder` is the working folder as the job sees it. `lease` names the
    job (the trial's id and a purpose), so that what a killed run left can be found and swept.
    Beside `mounts` it sees the system's programs and libraries, an empty `/tmp` and an empty home.
    A unix socket to be reached is a mount; there is no other way out.
    """

    argv: Sequence[str]
    lease: str
    folder: str
    environment: Mapping[str, str] = field(default_factory=dict)
    mounts: Sequence[Mount] = ()
    stdin: bytes = b""
    bounds: Bounds = Bounds()


class HowEnded(StrEnum):
    """How a job ended."""

    EXITED = "exited"
    SIGNALLED = "signalled"
    TIMED_OUT = "timed_out"
    OUTPUT_LIMIT = "output_limit"
    NOT_STARTED = "not_started"  # the sandbox or the program could not be started: see `detail`


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """What is known of a job after its whole tree of processes has ended.

    A job that was not started has a `signal` where its start was killed: another may succeed.
    `unbounded` names the bounds (fields of `Bounds`) that this sandbox could not enforce;
    `exceeded` the one for which the job was ended, if it was.
    """

    how: HowEnded
    exit_code: int | None = None
    signal: int | None = None
    stdout: bytes = b""
    stderr: bytes = b""
    duration_ms: float = 0.0
    detail: str = ""
    unbounded: tuple[str, ...] = ()
    exceeded: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Available:
    """Whether something works on this machine, found out by trying it; if not, the mend."""

    is_available: bool
    version: str = ""
    why_not: str = ""
    mend: str = ""


class Sandbox(Protocol):
    """Runs jobs apart from everything else.

    `run` may be called concurrently; when cancelled it ends the job's whole tree first. It never
    raises for what the job does.
    """

    name: str
    isolation: Isolation

    async def probe(self) -> Available:
        """Tries it: starts something, looks whether it was really kept apart."""
        ...

    async def run(self, job: Job) -> Ended:
        """Runs a job to its end."""
        ...

    def close(self) -> None:
        """Ends what stays up between jobs; it comes up again when needed."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """The way of one trial to its model: through the gateway, which holds the keys.

    `socket` is the unix socket of this trial on our side; `url` the base URL for who can reach our
    loopback (``http://127.0.0.1:PORT/t/<token>``). Either accepts ``token`` as an API key; it is
    worth nothing outside this trial.
    """

    trial: str
    url: str
    socket: Path | None
    token: str


class Gateway(Protocol):
    """Records every call of a model and holds the keys."""

    def open(self, trial: str, model: str) -> Route:
        """Opens the way of a trial to exactly this model."""
        ...

    def close(self, trial: str) -> tuple[ModelCall, ...]:
        """Closes it and gives the calls that were made, in order."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One cell for a harness: what it is to do, with which switches, where, through which route.

    All folders are on our side; `agent.job` decides where the job sees them. `workspace` is the
    seed's copy; `home` is empty and for this cell alone (HOME, configuration and state of the
    harness). `tools`: exactly those to be offered, empty = the harness's own. `skills`: folders
    with a ``SKILL.md``. `is_skill_forced`: the prompt carries the skill instead of offering it.
    `hooks`: event name -> command. `turns` is what the user says after the prompt, each text once
    the harness has stopped.
    """

    request: Request
    prompt: str
    model: str
    route: Route
    workspace: Path
    home: Path
    tools: tuple[str, ...] = ()
    skills: tuple[Path, ...] = ()
    is_skill_forced: bool = False
    system_prompt: str = ""
    hooks: Mapping[str, str] = field(default_factory=dict)
    max_turns: int | None = None
    turns: tuple[str, ...] = ()
    bounds: Bounds = Bounds()


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What a harness's own files and the gateway say of one cell.

    `counts` has ``tool_calls``, ``handoffs``, ``turns`` where known, and ``unknown_events``.
    `usage` is the gateway's where there were calls. `offered` are the tools and skills that the
    model was really offered; `selected` the skills it chose. `documents` are kept by name
    (``transcript.jsonl``, ``stdout``, ``stderr``). `witness` names who, beside the gateway, knows
    the calls of tools without asking the agent, and which they were; null = nobody.
    """

    ending: Ending
    output: bytes | None = None
    usage: Usage | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    offered: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    selected: tuple[str, ...] = ()
    documents: Mapping[str, bytes] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    model_answered: str | None = None
    witness: tuple[str, tuple[Act, ...]] | None = None


class Agent(Protocol):
    """A harness: how one of its sessions is started, and what its files say afterwards."""

    name: str
    is_simulated: bool

    async def probe(self) -> Available:
        """Says whether its program is here, and which version."""
        ...

    def job(self, task: Task) -> Job:
        """Writes the cell's own configuration into `task.home` and gives the job to be run."""
        ...

    def told(self, task: Task, ended: Ended, calls: Sequence[ModelCall]) -> Told:
        """Reads what the harness left in `task.home`; never raises for what it finds there."""
        ...


@runtime_checkable
class ChecksTasks(Protocol):
    """A harness that knows before a run what it would refuse, whatever the cell."""

    def check(self, task: Task) -> None:
        """Refuses a task that no run of it could answer; nothing is written or started.

        Raises:
            InputError: the model is not named exactly, or a switch is asked for that it lacks.
        """
        ...


@runtime_checkable
class TakesTurns(Protocol):
    """A harness that can go on with a session after it has ended, when the user says more."""

    def next_job(self, task: Task, number: int) -> Job:
        """Gives the job of a later turn, in the same workspace and home.

        Args:
            task: the cell's, whose `bounds` are what is left of them.
            number: of the turn, from 2; `task.turns[number - 2]` is what the user says in it.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Frozen:
    """What an agent did to its workspace.

    `diff` is against the seed, ``git diff --binary`` of everything but ignored files; `tree` lists
    every path that is not in the seed or differs: path -> sha256 ("" = deleted, "unread" = no file,
    or larger than what is read). `artifacts` are the files asked for by the study's globs.
    `escapes` says what was found that has no business there (a link out of the workspace, a special
    file), each in one line. `heads` are the branches at the end, `commits` those that the agent
    made (null = cannot be read). `is_whole` is false where something was too large,
    or unreadable, and is in no diff; `is_listed` where not even all paths could be seen, so that
    nobody knows what else was changed or is gone.
    """

    diff: bytes
    tree: Mapping[str, str]
    artifacts: Mapping[str, bytes] = field(default_factory=dict)
    escapes: tuple[str, ...] = ()
    heads: Mapping[str, str] = field(default_factory=dict)
    commits: tuple[str, ...] | None = ()
    is_whole: bool = True
    is_listed: bool = True


class Seed(Protocol):
    """The state of a repository from which every cell of a scenario starts."""

    @property
    def sha256(self) -> str:
        """Gives the hash of its commit and of the content of every file."""
        ...

    def copy(self, to: Path) -> None:
        """Makes a fresh copy; equal for every cell, without remotes, reflogs or later commits."""
        ...

    def freeze(self, workspace: Path, artifacts: Sequence[str] = ()) -> Frozen:
        """Reads what became of a copy; nothing in it is executed or followed."""
        ...

    def rebuild(
        self, to: Path, diff: bytes, allowed: Sequence[str] = ("**",), kept: Sequence[str] = ()
    ) -> tuple[str, ...]:
        """Makes a fresh copy with a diff on top, and gives the paths whose changes were left out.

        Only what one of the globs `allowed` means is changed; what `kept` means stays the seed's.
        """
        ...


class Suite(Protocol):
    """Tests that are run against what an agent left, where the agent never was."""

    async def run(self, seed: Seed, diff: bytes, lease: str) -> SuiteRun:
        """Runs them against a fresh seed with a diff on top; may be called concurrently.

        Raises:
            InputError: the diff does not fit the seed.
        """
        ...
