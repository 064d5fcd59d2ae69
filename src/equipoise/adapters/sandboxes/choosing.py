"""Which sandbox a run uses: the one that is wanted, or the first that works here."""

import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from equipoise.adapters.sandboxes.bubblewrap import Bubblewrap
from equipoise.adapters.sandboxes.container import Container
from equipoise.adapters.sandboxes.leases import Leases
from equipoise.adapters.sandboxes.unmounted import Landlock, PlainProcess
from equipoise.errors import Blocked, InputError, nearest
from equipoise.ports.agents import Available, Sandbox

Made = Bubblewrap | Landlock | Container | PlainProcess

SANDBOXES: Mapping[str, Callable[[Leases], Made]] = {
    "bubblewrap": lambda leases: Bubblewrap(leases=leases),
    "landlock": Landlock,
    "container": lambda leases: Container(leases=leases),
    "process": PlainProcess,
}
"""Name -> what makes it, in the order in which they are tried; `process` keeps nothing apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The sandbox to be used, and what came of trying those that were tried."""

    sandbox: Sandbox
    tried: Mapping[str, Available]


async def chosen(wanted: str | None = None, leases: Leases | None = None) -> Choice:
    """Gives the sandbox that is wanted, or, if none is, the first that works.

    A report has to name it with its `isolation`: what was not hidden has to be told.

    Raises:
        InputError: there is no such sandbox.
        Blocked: the one that is wanted does not work here; the mend is told.
    """
    if wanted is not None and wanted not in SANDBOXES:
        raise InputError(
            f"no sandbox {wanted!r}",
            wanted=f"one of {', '.join(SANDBOXES)}",
            mend=nearest(wanted, list(SANDBOXES)),
            code="unknown_sandbox",
        )
    leases = leases or Leases()
    tried: dict[str, Available] = {}
    for name in (wanted,) if wanted else SANDBOXES:
        sandbox = SANDBOXES[name](leases)
        tried[name] = await _probed(sandbox)
        if tried[name].is_available:
            return Choice(sandbox=sandbox, tried=tried)
        sandbox.close()
    raise Blocked(
        "; ".join(
            f"the sandbox {name!r} does not work here: {found.why_not}; mend: {found.mend}"
            for name, found in tried.items()
        )
    )


async def surveyed(leases: Leases | None = None) -> Mapping[str, Available]:
    """Tries all sandboxes, for who wants to know what would work here."""
    leases = leases or Leases()
    found: dict[str, Available] = {}
    for name, make in SANDBOXES.items():
        sandbox = make(leases)
        found[name] = await _probed(sandbox)
        sandbox.close()
    return found


async def _probed(sandbox: Sandbox) -> Available:
    if platform.system() != "Linux":
        return Available(
            is_available=False,
            why_not=f"sandboxes need Linux, this is {platform.system()}",
            mend="run equipoise in a virtual machine or a container with Linux",
        )
    return await sandbox.probe()
