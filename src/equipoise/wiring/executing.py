"""Finds where attempts are executed, and what a worker needs to build a system by itself."""

import os
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from equipoise.errors import Blocked, InputError, nearest
from equipoise.gateway.truncation import max_tokens
from equipoise.ports import System
from equipoise.ports.executors import Executor, Posting
from equipoise.records.plan import ArmPlan
from equipoise.studies.loss.running_asked import Around
from equipoise.wiring.providers import SPENT

EXECUTORS: dict[str, str] = {
    "local": "equipoise.adapters.executors.local:LocalExecutor",
    "ray": "equipoise.adapters.executors.ray_system:RayExecutor",
}
"""Where attempts are executed -> ``module:attribute`` of what executes there."""

_SYSTEM = "equipoise.wiring:system"
_PROCESSES = "equipoise.adapters.systems.processes:Processes"
_LEDGER = "equipoise.adapters.systems.processes:LEDGER"
_END_WORKERS = "equipoise.adapters.executors.leftovers:end_workers"


def executor(name: str = "local", address: str = "") -> Executor:
    """Gives where attempts are executed; `address` is that of a cluster, empty for one of its own.

    Raises:
        InputError: there is no such executor, or it has no address.
    """
    if name not in EXECUTORS:
        raise InputError(
            f"no executor {name!r}",
            wanted=f"one of {', '.join(EXECUTORS)}",
            mend=nearest(name, list(EXECUTORS)),
            code="unknown_executor",
        )
    if address and name == "local":
        raise InputError("the executor local has no address", mend="--executor ray")
    made: Executor = _loaded(EXECUTORS[name])(**({"address": address} if address else {}))
    return made


def placed(executes: Executor, arm: ArmPlan, around: Around) -> System:
    """Gives the system of an arm, executed where the executor executes.

    Raises:
        Blocked: the arm can be executed on this machine only.
        InputError: its specification is wrong.
    """
    if arm.service and not executes.is_here:
        raise Blocked(
            f"arm {arm.name!r} has a service, which is up on this machine only; mend: run it with "
            "--executor local, or start the service yourself where every node reaches it"
        )
    around = replace(around, max_tokens=max_tokens(os.environ))
    if not executes.is_here:
        around = replace(around, spent_usd=max(around.spent_usd, _spent(around.ledger.parent)))
    posting = Posting(
        make=partial(_made, arm, around),
        sweep=_swept,
        study=around.folder,
        work=around.ledger.parent.resolve(),
        environment=around.environment,
        concurrency=around.concurrency,
        keys=import_module("equipoise.wiring.providers").key_variables(arm.system, around.folder),
    )
    return executes.placed(posting)


def _made(arm: ArmPlan, around: Around, folder: Path, share: float) -> System:
    """Gives the system of an arm as a worker has it, with what it needs in the worker's folder."""
    around = replace(around, ledger=folder / around.ledger.name, share=share)
    made: System = _loaded(_SYSTEM)(arm, around)
    return made


def _swept(folder: Path) -> int:
    """Ends the programs that stand in the ledger of a worker's folder, and keeps what it spent."""
    spent = folder / SPENT
    if spent.is_file():
        with (folder.parents[1] / SPENT).open("ab") as kept:
            kept.write(spent.read_bytes())
        spent.unlink()
    name: Any = _loaded(_LEDGER)
    ended: int = _loaded(_PROCESSES)(folder / name).end_leftovers()
    return ended


def _spent(work: Path) -> float:
    """Gives what workers that were killed are known to have spent."""
    found: float = import_module("equipoise.gateway.spent").SpentFile(work / SPENT).usd
    return found


def end_leftovers(ledger: Path) -> int:
    """Ends what a killed run left running here, and what its workers left."""
    n_workers: int = _loaded(_END_WORKERS)(ledger.parent, _swept)
    ended: int = _loaded(_PROCESSES)(ledger).end_leftovers()
    return n_workers + ended


def _loaded(target: str) -> Any:
    module, _, attribute = target.partition(":")
    return getattr(import_module(module), attribute)
