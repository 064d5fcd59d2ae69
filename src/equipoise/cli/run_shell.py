"""``equipoise run STUDY --shell CELL``: the workspace of a cell, opened to be looked at."""

import shutil
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from equipoise.archive.manifest import Document
from equipoise.archive.store import Archive
from equipoise.errors import InputError, nearest
from equipoise.records.brief import Request
from equipoise.records.plan import ArmPlan
from equipoise.records.trial import Trial
from equipoise.studies.loss.running_place import archived_runs
from equipoise.studies.loss.sealed import Sealed

FOLDER = "shell"
"""Folder of the study in which opened workspaces are kept."""


def opened(sealed: Sealed, cell: str) -> tuple[Path, Path]:
    """Lays out a cell's workspace as its agent left it, and what was kept of it.

    Args:
        sealed: the study.
        cell: a trial's id or its beginning, or ``ARM/UNIT`` or ``ARM/UNIT/REPETITION``. A cell that
            was not executed yet opens as its seed.

    Returns:
        The workspace, and the folder with the trial's documents.

    Raises:
        InputError: there is no such cell, or its arm is no agent.
    """
    archive, trial = _found(sealed, cell)
    arm = _arm(sealed, trial.arm, cell)
    documents = _documents(archive, trial) if archive else {}
    place = sealed.root.resolve() / FOLDER / trial.id
    shutil.rmtree(place, ignore_errors=True)
    kept = place / "kept"
    kept.mkdir(parents=True)
    for name, content in documents.items():
        path = kept.joinpath(*_inside(name).parts)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    workspace = place / "workspace"
    _seed(sealed, arm, trial).rebuild(workspace, documents.get("diff.patch", b""))
    return workspace, kept


def _found(sealed: Sealed, cell: str) -> tuple[Archive | None, Trial]:
    arm, _, rest = cell.partition("/")
    unit, _, repetition = rest.rpartition("/") if rest.rpartition("/")[2].isdecimal() else ("",) * 3
    unit = unit or rest
    last: tuple[Archive, Trial] | None = None
    for path, _facts in archived_runs(sealed.root):
        archive = Archive.open(path)
        for trial in archive.read(Trial):
            is_named = (trial.arm, trial.unit) == (arm, unit) and repetition in {
                "",
                str(trial.repetition),
            }
            if is_named or (len(cell) >= 4 and trial.id.startswith(cell)):
                last = archive, trial
    if last is not None:
        return last
    if unit in sealed.briefs:
        return None, Trial(id=f"{arm}-unexecuted", unit=unit, arm=arm)
    raise InputError(
        f"there is no cell {cell!r}",
        wanted="a trial's id, ARM/UNIT or ARM/UNIT/REPETITION",
        mend=nearest(unit, list(sealed.briefs)) if unit else "",
        code="no_such_cell",
    )


def _arm(sealed: Sealed, name: str, cell: str) -> ArmPlan:
    for arm in sealed.plan.arms:
        if arm.name == name and isinstance(arm.system.get("agent"), dict):
            return arm
    agents = [arm.name for arm in sealed.plan.arms if "agent" in arm.system]
    raise InputError(
        f"cell {cell!r} is of arm {name!r}, which is no agent and has no workspace",
        wanted=f"a cell of {', '.join(agents)}" if agents else "a study with an agent",
        code="no_workspace",
    )


def _documents(archive: Archive, trial: Trial) -> dict[str, bytes]:
    return {
        document.name.partition("/")[2]: b"".join(archive.blobs.chunks(document.sha256))
        for document in archive.read(Document)
        if document.name.startswith(f"{trial.id}/")
    }


def _seed(sealed: Sealed, arm: ArmPlan, trial: Trial) -> Any:
    from equipoise.adapters.systems.setting import Setting
    from equipoise.adapters.systems.templates import filled, values_of
    from equipoise.wiring.agents import seeds

    setting = Setting(folder=sealed.root, ledger=sealed.root / FOLDER / "processes.log")
    request = Request(
        trial=trial.id,
        brief=sealed.briefs[trial.unit],
        arm=arm.name,
        repetition=trial.repetition,
        attempt=trial.attempt,
        seed=0,
        timeout_s=0,
    )
    spec = arm.system["agent"].get("seed")
    return seeds(setting)(filled(spec, values_of(request, setting.fixed)) if spec else None)


def _inside(name: str) -> PurePosixPath:
    """Gives a document's name as a path that stays where it is put."""
    parts = [part for part in _parts(name) if part not in {"", ".", ".."}]
    return PurePosixPath(*parts) if parts else PurePosixPath("unnamed")


def _parts(name: str) -> Iterator[str]:
    for part in name.replace("\0", "").split("/"):
        yield part[:200]
