"""Where a run stands: its archive under its run id, and what a run that was killed left of it."""

import base64
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from equipoise import __version__
from equipoise.archive.durable import replace_file
from equipoise.archive.manifest import MANIFEST, PLAN, Manifest, RunFacts
from equipoise.archive.store import Archive
from equipoise.errors import Blocked
from equipoise.pipeline.staging import publish, staged
from equipoise.records.codec import digest, encode
from equipoise.records.event import Event, EventKind
from equipoise.records.plan import ArmPlan
from equipoise.records.trial import Trial
from equipoise.stages.run.schedule import Standing
from equipoise.studies.loss.sealed import Sealed

ARCHIVES = "archive"
_SLUG = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The archive of one run; `is_new`: nothing of it stood before."""

    path: Path
    is_new: bool

    @property
    def run_id(self) -> str:
        """Gives the run's id, the name of its folder."""
        return self.path.name


def find_place(sealed: Sealed, arm: ArmPlan) -> Place:
    """Gives where the run of an arm stands, or will stand.

    Raises:
        Blocked: an unfinished run of the arm follows another plan.
    """
    plan_sha256 = digest(sealed.plan_bytes)
    ordinals = [0]
    for path, facts in archived_runs(sealed.root):
        ordinals.append(_ordinal(path.name))
        if facts.arm != arm.name:
            continue
        if facts.plan_sha256 == plan_sha256:
            return Place(path=path, is_new=False)
        if not is_finished(path):
            raise Blocked(
                f"{path} is a run of arm {arm.name!r} that is not finished and follows another "
                f"plan ({facts.plan_sha256[:16]}…, here {plan_sha256[:16]}…); mend: finish it "
                "under its own plan, or move it away"
            )
    slug = _SLUG.sub("-", arm.name).strip("-.") or "arm"
    name = f"{slug}-{plan_sha256[:8]}-{max(ordinals) + 1}"
    return Place(path=sealed.root / ARCHIVES / name, is_new=True)


def archived_runs(root: Path) -> Iterator[tuple[Path, RunFacts]]:
    """Yields the archives of runs in a study folder, in the order in which they were begun."""
    folder = root / ARCHIVES
    paths = [path for path in folder.iterdir() if path.is_dir()] if folder.is_dir() else []
    for path in sorted(paths, key=lambda p: (_ordinal(p.name), p.name)):
        if path.joinpath(MANIFEST).is_file():
            facts = Archive.open(path).manifest.run
            if isinstance(facts, RunFacts):
                yield path, facts


def is_finished(path: Path) -> bool:
    """Says whether the run in an archive has come to its end."""
    return any(event.kind is EventKind.FINISHED for event in Archive.open(path).read(Event))


def started_facts(sealed: Sealed) -> dict[str, str]:
    """Gives what the first line of a run says: which plan, how sealed, amended how far."""
    facts = {
        "plan_sha256": digest(sealed.plan_bytes),
        "seal": sealed.seal.label.value,
        "sealed_at": sealed.seal.sealed_at,
    }
    if witness := witness_of(sealed):
        facts["token_sha256"] = witness
    if sealed.amendments:
        facts["amendments_sha256"] = digest(encode(sealed.amendments))
    return facts


def witness_of(sealed: Sealed) -> str:
    """Gives the hash of the token that bears out the time of sealing; empty without one.

    The seeds of all cells derive from it, so that nobody can have run them before.
    """
    return digest(base64.b64decode(sealed.seal.token)) if sealed.seal.token else ""


def begin(
    place: Place,
    sealed: Sealed,
    arm: ArmPlan,
    started: Event,
    fill: Callable[[Archive], None] | None = None,
) -> None:
    """Makes the archive of a run with its plan, its first line and what `fill` adds.

    It stands whole or not at all.

    Raises:
        Blocked: another process was faster.
    """
    plan = sealed.plan
    manifest = Manifest(
        run_id=place.run_id,
        kind="run",
        tool_version=__version__,
        is_simulated=plan.is_simulated,
        run=RunFacts(
            plan_sha256=digest(sealed.plan_bytes),
            arm=arm.name,
            mode=arm.mode.value,
            provenance=plan.provenance.value,
            seal=sealed.seal.label.value,
        ),
    )
    with staged(place.path) as folder:
        made = folder / "archive"
        with Archive.create(made, manifest, is_durable=False) as archive:
            replace_file(made / PLAN, sealed.plan_bytes)
            archive.append(started)
            if fill is not None:
                fill(archive)
        if not publish(made, place.path):
            raise Blocked(f"{place.path} was made by another process; mend: wait for it")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stood:
    """What stood in the archive when a run was taken up again.

    `aborted` are attempts (cell id, attempt) that were begun and that neither a trial nor an event
    tells of.
    """

    standing: dict[str, Standing]
    aborted: list[tuple[str, int]]
    spent_usd: float
    n_cost_unknown: int


def what_stood(
    archive: Archive,
    cell_of: dict[tuple[str, int], str],
    attempts: Path,
    *,
    is_undone: bool = False,
) -> Stood:
    """Reads what stands of each cell.

    Args:
        archive: open for appending, so that nothing is still under way.
        cell_of: (unit, repetition) -> id of the cell.
        attempts: the list of attempts that were begun; may be missing.
        is_undone: nothing is left of an attempt that gave no trial, so that its number is taken
            again; else it may still be at work somewhere, and the next attempt is told from it by
            its number.
    """
    standing: dict[str, Standing] = {}
    known: Counter[tuple[str, int]] = Counter()
    spent, n_unknown = 0.0, 0
    for trial in archive.read(Trial):
        cell = cell_of.get((trial.unit, trial.repetition))
        if cell is None:
            raise Blocked(f"{archive.path} holds a trial of {trial.unit!r}, which is not planned")
        standing.setdefault(cell, Standing()).take(trial)
        known[cell, trial.attempt] += 1
        spent += trial.cost_usd or 0.0
        n_unknown += trial.cost_usd is None
    for event in archive.read(Event):
        if event.kind is EventKind.ABORTED:
            known[event.facts["cell"], int(event.facts["attempt"])] += 1
    aborted = list((_begun(attempts) - known).elements())
    if not is_undone:
        for cell, attempt in (*known, *aborted):
            stands = standing.setdefault(cell, Standing())
            stands.n_begun = max(stands.n_begun, attempt)
    return Stood(standing=standing, aborted=aborted, spent_usd=spent, n_cost_unknown=n_unknown)


def _begun(attempts: Path) -> Counter[tuple[str, int]]:
    """Counts how often each attempt was begun."""
    found: Counter[tuple[str, int]] = Counter()
    with suppress(FileNotFoundError):
        for line in attempts.read_text(encoding="ascii", errors="replace").splitlines():
            cell, _, number = line.partition(" ")
            if len(cell) == 16 and number.isdecimal():
                found[cell, int(number)] += 1
    return found


def _ordinal(name: str) -> int:
    last = name.rpartition("-")[2]
    return int(last) if last.isdecimal() else 0
