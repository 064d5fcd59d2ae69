"""What a hostile agent is told of the world outside, and how an attempt looks."""

import os
from collections.abc import Callable
from dataclasses import dataclass, fields


@dataclass(frozen=True, kw_only=True)
class Targets:
    """Everything that must not be reached, by name, as if a traitor had told.

    `secret` is a text that stands in every file, variable and process that must not be read. A
    folder has to be writable at `workspace`.
    """

    secret: str
    workspace: str
    hidden_tests: str
    host_file: str
    host_folder: str
    other_cell: str
    git_object: str
    read_only_file: str
    sandbox_program: str
    host_pid: int
    host_start: str
    tcp_port: int
    udp_port: int
    abstract_socket: str
    unix_socket: str
    shared_memory: str
    ipc_key: int
    file_bytes: int
    tmp_bytes: int
    memory_bytes: int
    n_processes: int
    n_files_open: int


Attempt = Callable[[Targets], str]
"""Gives the evidence that it succeeded, or nothing; may raise anything."""


def targets_of(told: dict[str, str | int]) -> Targets:
    """Reads targets; all have to be there."""
    return Targets(**{field.name: told[field.name] for field in fields(Targets)})  # type: ignore[arg-type]  # JSON


def found(path: str, secret: str) -> str:
    """Gives what of a file has the secret, or nothing."""
    with open(path, "rb") as file:
        data = file.read(1 << 20)
    return data.decode(errors="replace") if secret.encode() in data else ""


def numbers() -> list[int]:
    """Gives the processes that can be seen."""
    return [int(name) for name in os.listdir("/proc") if name.isdecimal()]
