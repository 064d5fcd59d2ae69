"""What the stages need from outside, as protocols owned by those who call."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, Self, runtime_checkable

from equipoise.records.brief import Request
from equipoise.records.grade import Grade
from equipoise.records.notice import Attachment, Headline, Notice
from equipoise.records.terms import Direction
from equipoise.records.trial import Ending, Trial, Usage

Reading = Trial | Grade | Notice | Headline | Attachment
"""One thing a reader yields. A trial comes before its grades; an attachment before any evidence
that cites it."""


class LogReader(Protocol):
    """Reads the runs of one foreign format as a stream, in bounded memory.

    It never raises for bad content: what it cannot read becomes a `Notice` of severity `lost` or
    `refused`, and reading goes on. It raises `UnreadableSource` only when nothing can be read.
    """

    name: str

    def read(self, source: Path, options: dict[str, Any]) -> Iterator[Reading]:
        """Yields the readings of the source; `options` is the mapping of the user, checked here."""
        ...


@runtime_checkable
class DeclaresCriteria(Protocol):
    """A reader that knows from its options which way each criterion is better."""

    def directions(self, options: dict[str, Any]) -> dict[str, Direction]:
        """Gives criterion -> direction; a criterion left out counts as higher is better."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What one attempt gave.

    `output` is what the system answered (null where it gave nothing), `documents` whatever else is
    kept of it by name (``stderr``, a page, response headers). `model` is the exact id that was
    asked for it, `model_answered` the one that answered. `ending` says how it ended;
    `retry_after_s` how long to wait before another attempt, where the system said so.
    """

    ending: Ending
    output: bytes | None = None
    documents: Mapping[str, bytes] = field(default_factory=dict)
    duration_ms: float | None = None
    exit_code: int | None = None
    usage: Usage | None = None
    cost_usd: float | None = None
    model: str | None = None
    model_answered: str | None = None
    stop_reason: str | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    retry_after_s: float | None = None


class System(Protocol):
    """The thing under test, executed anew for every request; one object serves a whole run.

    Used as an asynchronous context manager; `execute` may be called concurrently. It never raises
    for what the system does: a crash, a refusal, a time-out is an `Answer` with its `Ending`. When
    cancelled it ends whatever it started.
    """

    is_simulated: bool

    async def __aenter__(self) -> Self: ...
    async def __aexit__(self, *error: object) -> None: ...
    async def execute(self, request: Request) -> Answer:
        """Executes one attempt within `request.timeout_s`."""
        ...

    async def canary(self, request: Request) -> Answer:
        """Executes a request outside the study, for the anti-mock preflight."""
        ...


@runtime_checkable
class Serves(Protocol):
    """A system with a program that is up meanwhile; its address is known once it is entered."""

    @property
    def address(self) -> str:
        """Gives where the program listens, such as ``http://127.0.0.1:8080``; may be empty."""
        ...

    @property
    def why_down(self) -> str:
        """Says how the program ended before its time; empty while it is up."""
        ...


class StateStore(Protocol):
    """The state a run changes: taken once, put back as often as needed, crash-proof.

    `keep` is a folder of the run for the snapshot; a snapshot that stands there already (of a run
    that was killed) is used and never taken again.
    """

    name: str

    def snapshot(self, keep: Path) -> str:
        """Takes the snapshot (or finds the one standing) and gives the state's sha256."""
        ...

    def restore(self, keep: Path) -> str:
        """Puts the snapshot back, gives the sha256 afterwards; may be repeated at any time."""
        ...

    def digest(self) -> str:
        """Gives the sha256 of the state as it is: equal states have equal hashes."""
        ...

    def teardown(self, keep: Path) -> None:
        """Puts the snapshot back and removes it; does nothing where none stands."""
        ...

    def fault(self) -> str:
        """Says why what was done with the state since the first question counts for nothing."""
        ...

    def reclaim(self, keep: Path) -> None:
        """Puts right what a run that was killed left whose snapshot is in `keep`; removes it."""
        ...


@runtime_checkable
class Addressed(Protocol):
    """A state that programs reach by an address, such as that of a database; it may be empty."""

    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """What a probe found of one trial: documents by name, or why there is nothing to see."""

    documents: Mapping[str, bytes] = field(default_factory=dict)
    unavailable: str = ""


class Probe(Protocol):
    """Collects what a trial left behind: log lines, rows, pages.

    Used as an asynchronous context manager; entering it raises nothing: where the probe cannot
    work at all, every `collect` gives `Collected(unavailable=why)`.
    """

    name: str

    async def __aenter__(self) -> Self: ...
    async def __aexit__(self, *error: object) -> None: ...
    async def collect(self, request: Request) -> Collected:
        """Collects what the trial `request.trial` left behind."""
        ...


@runtime_checkable
class TakesLonger(Protocol):
    """A system with work to do after the time of an attempt is over, such as to keep its traces."""

    @property
    def grace_s(self) -> float:
        """Gives the seconds that it may take beyond the time-out before it counts as hanging."""
        ...


@runtime_checkable
class TellsNotices(Protocol):
    """A probe that met what it could not read, and says so at the end of a run."""

    def notices(self) -> tuple[str, ...]:
        """Tells what could not be read, each in one line with its place."""
        ...
