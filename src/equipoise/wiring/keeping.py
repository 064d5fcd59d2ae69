"""Notes what a run leaves on the machine while it goes, and puts right what killed runs left."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from equipoise.archive.manifest import MANIFEST
from equipoise.errors import EquipoiseError
from equipoise.pipeline.staging import sweep as sweep_staged
from equipoise.records.plan import StateSpec
from equipoise.studies.loss.running_asked import Held
from equipoise.studies.loss.running_place import is_finished

_LEASES = "equipoise.adapters.sandboxes.leases"
_RUN = "run"
_SWEEPERS = ("scratch", "suites.places", "executors.ray_cluster", "embedded")
"""Modules whose folders say themselves whose they are."""


@contextmanager
def held(things: Held) -> Iterator[None]:
    """Holds a lease on all that a run leaves on the machine, after a sweep of what others left.

    What an earlier start of the same run left of its state stays for this one, which records that
    it puts it back.

    Raises:
        Blocked: no lease can be taken.
    """
    work = things.work.resolve()
    name = f"run {work}"
    swept(heir=name)
    sockets = import_module("equipoise.gateway.listening").place_of_sockets(work / "sockets")
    others = {
        "work": str(work),
        "root": str(things.root.resolve()),
        "archive": str(things.archive.resolve()),
        "kind": things.state.kind if things.state else "",
        "target": things.state.target if things.state else "",
        "keep": str(things.keep.resolve()),
    }
    passing = [work / "cells", work / "seeds", work / "sockets"]
    folders = [*passing, *([sockets] if sockets and sockets not in passing else [])]
    leases = import_module(_LEASES).Leases()
    with leases.taken(name, folders=folders, others={_RUN: others}):
        yield


def swept(heir: str = "") -> Any:
    """Ends, puts right and removes what is left of killed runs of this user, of whatever study.

    Gives what was found, as the leases tell it; `heir` is the lease of who goes on with one of
    them.

    Raises:
        Blocked: the folder of leases cannot be used.
    """
    for place in _SWEEPERS:
        import_module(f"equipoise.adapters.{place}").sweep()
    return import_module(_LEASES).Leases().sweep({_RUN: _settled}, heir)


def _settled(told: dict[str, str]) -> str:
    """Ends the programs of a killed run and puts its state back; gives why not, or nothing."""
    work, keep = Path(told["work"]), Path(told["keep"])
    if not Path(told["root"]).is_dir():
        return ""  # the study is gone, and with it whatever could be put back
    wiring = import_module("equipoise.wiring")
    try:
        wiring.adapters().end_leftovers(work / "processes.log")
        if told["kind"] and keep.is_dir():
            spec = StateSpec(kind=told["kind"], target=told["target"])
            wiring.state_store(spec, Path(told["root"])).reclaim(keep)
        archive = Path(told["archive"])
        sweep_staged(archive.parent)
        if archive.joinpath(MANIFEST).is_file() and is_finished(archive):
            shutil.rmtree(work, ignore_errors=True)
    except (EquipoiseError, OSError) as error:
        return f"{work}: {error}"
    for folder in (keep, work, work.parent):
        with suppress(OSError):
            folder.rmdir()
    return ""
