"""What the spawner is told to start, and what it tells when that has ended.

These records travel as JSON between two processes; the spawner imports nothing but the standard
library.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

STATUS_FILE = 100
"""The number of the pipe to which a program may tell its status."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A control group of a run, in which each keeper makes its own, and what that is set to.

    `settings` are pairs of a file, left out where it does not exist if it ends with ``?``, and what
    is written into it, in order; they set `bounds`.
    """

    folder: str
    settings: Sequence[Sequence[str]]
    bounds: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """What is measured while the job runs, because the kernel does not bound it for us.

    `folders` are those that the job may write to. Null = not measured.
    """

    folders: Sequence[str] = ()
    disk_bytes: int | None = None
    n_files: int | None = None
    cpu_s: float | None = None
    memory_bytes: int | None = None
    n_processes: int | None = None
    inner_folders: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Restriction:
    """What Landlock leaves to a program: paths; `calls` is a filter of system calls, in hex."""

    readable: Sequence[str]
    writable: Sequence[str]
    calls: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A program to be started and kept.

    `argv[0]` is an absolute path. `limits`: name of a resource limit (``RLIMIT_CORE``) -> value.
    `inherits` are the numbers under which the files that come with the order are open in the
    program, after stdin, stdout and stderr, all above `STATUS_FILE`: there it finds a pipe to tell
    its status (bubblewrap's ``--json-status-fd``). `lease_file`, if any, is told what was started.
    """

    argv: Sequence[str]
    environment: Mapping[str, str]
    folder: str
    wall_s: float
    limits: Mapping[str, int] = field(default_factory=dict)
    inherits: Sequence[int] = ()
    groups: Sequence[Group] = ()
    watched: Watched = Watched()
    lease_file: str = ""
    restriction: Restriction | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """How what was started has ended, with its whole tree.

    `why` is empty where it ended by itself, else ``asked`` or the name of the bound that was
    exceeded. `code` is as of `waitpid`: negative = signal; null = it was not started. `status`
    holds the lines of the status pipe.
    """

    code: int | None
    why: str = ""
    detail: str = ""
    duration_ms: float = 0.0
    status: str = ""
    unbounded: Sequence[str] = ()


def packed(record: Order | Report) -> bytes:
    """Gives a record as JSON."""
    return json.dumps(record, default=_fields).encode()


def _fields(record: Any) -> dict[str, Any]:
    return {name: getattr(record, name) for name in record.__slots__}


def order_of(data: bytes) -> Order:
    """Reads an order."""
    fields: dict[str, Any] = json.loads(data)
    fields["groups"] = [Group(**group) for group in fields["groups"]]
    fields["watched"] = Watched(**fields["watched"])
    if fields["restriction"]:
        fields["restriction"] = Restriction(**fields["restriction"])
    return Order(**fields)


def report_of(data: bytes) -> Report:
    """Reads a report."""
    return Report(**json.loads(data))
