"""Freezes the workspace of an agent that has ended, or says whose fault it is that it cannot be."""

import errno
from collections.abc import Sequence
from pathlib import Path

import anyio
import anyio.to_thread

from equipoise.adapters.systems.endings import infrastructure
from equipoise.ports.agents import Frozen, Seed
from equipoise.records.trial import Ending, EndingKind, Fault, Reason

LONGEST_S = 60.0
"""How long reading a workspace may take; its bounds of size and number are met long before."""

_CONTROL_S = 20.0
_MACHINES = frozenset(
    {
        *(errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO),
        *(errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.EAGAIN),
    }
)
"""What the system says when the machine, not a file, is at fault."""

_KILLED = "killed by signal"
_SAID = (
    *("no space left", "out of diskspace", "quota exceeded", "read-only file system"),
    *(
        _KILLED,
        "cannot allocate memory",
        "out of memory",
        "too many open files",
        "input/output error",
    ),
)
"""What git says then."""


async def frozen(
    seed: Seed, workspace: Path, artifacts: Sequence[str], longest_s: float = LONGEST_S
) -> Frozen | Ending:
    """Gives what became of a copy of the seed, or how the attempt ends where nobody can say.

    Where it cannot be frozen, a fresh copy with one more file is frozen as a control: if that fails
    too, the machine is at fault, else what the agent left is.
    """
    found = await _tried(seed, workspace, artifacts, longest_s)
    if not isinstance(found, Frozen | TimeoutError):
        found = await _tried(seed, workspace, artifacts, longest_s)  # what passes is no fault
    if isinstance(found, Frozen):
        return found
    control = workspace.with_name("control")
    why = await _fault_of(control, seed)
    if _is_machines(found) or why:
        told = f"the workspace cannot be frozen: {_said(found)}"
        return infrastructure(f"{told}; {why}" if why else told, is_retriable=_KILLED in told)
    return Ending(
        kind=EndingKind.HARNESS_ERROR,
        fault=Fault.SYSTEM,
        reason=Reason.TAMPERED,
        detail=f"left a workspace that cannot be frozen, where a fresh one can: {_said(found)}",
    )


async def _tried(
    seed: Seed, workspace: Path, artifacts: Sequence[str], longest_s: float
) -> Frozen | Exception:
    try:
        with anyio.fail_after(longest_s):
            return await anyio.to_thread.run_sync(
                seed.freeze, workspace, artifacts, abandon_on_cancel=True
            )
    except TimeoutError:
        return TimeoutError(f"it took more than {longest_s:g} s")
    except Exception as error:  # noqa: BLE001  the transcript must not be lost with it
        return error


async def _fault_of(control: Path, seed: Seed) -> str:
    """Says what is wrong with freezing on this machine; empty where nothing is."""

    def made() -> None:
        seed.copy(control)
        control.joinpath("equipoise-control").write_text("control\n", encoding="ascii")

    try:
        await anyio.to_thread.run_sync(made)
    except Exception as error:  # noqa: BLE001  as above
        return f"nor can a fresh copy be made: {_said(error)}"
    found = await _tried(seed, control, (), _CONTROL_S)
    return "" if isinstance(found, Frozen) else f"nor can a fresh copy: {_said(found)}"


def _is_machines(error: Exception) -> bool:
    text = str(error).lower()
    return (
        isinstance(error, MemoryError)
        or (isinstance(error, OSError) and error.errno in _MACHINES)
        or any(words in text for words in _SAID)
    )


def _said(error: Exception) -> str:
    """Gives what an error says, on one line without what would move a terminal."""
    text = f"{error}" or type(error).__name__
    return "".join(c if c.isprintable() else " " for c in text)[:300]
