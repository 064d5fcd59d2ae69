"""A run in mode B: frozen logs are read into an archive, and nothing is executed."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec import structs

from equipoise.archive.manifest import Criterion, Document, Source
from equipoise.archive.store import Archive
from equipoise.errors import Blocked, InputError, nearest
from equipoise.pipeline.intake import Intake
from equipoise.pipeline.source import describe
from equipoise.ports import DeclaresCriteria, LogReader, Reading
from equipoise.records.event import Event, EventKind
from equipoise.records.grade import Grade
from equipoise.records.notice import Attachment, Headline, Notice, Severity
from equipoise.records.plan import ArmPlan
from equipoise.records.terms import Direction
from equipoise.records.trial import Trial, trial_id
from equipoise.studies.loss.sealed import Sealed

PREFLIGHTS = ("sandbox", "anti-mock")
NOT_APPLICABLE = "not applicable"

_KEYS = ("path", "format", "mapping", "arm")


@dataclass(frozen=True, slots=True, kw_only=True)
class Logs:
    """The logs of an arm: where they are, how they are read.

    `arm` is what the source calls the arm; null where it has only one.
    """

    path: Path
    format_name: str
    options: dict[str, Any]
    arm: str | None

    @classmethod
    def of(cls, arm: ArmPlan, root: Path) -> "Logs":
        """Reads the specification of an arm.

        Raises:
            InputError: a key is not known or missing.
        """
        spec = arm.system["logs"]
        if not isinstance(spec, Mapping):
            spec = {"path": spec}
        for key in spec:
            if key not in _KEYS:
                raise InputError(
                    f"logs of arm {arm.name!r} has a key {key!r}",
                    wanted=f"some of {', '.join(_KEYS)}",
                    mend=nearest(str(key), list(_KEYS)),
                    code="unknown_key",
                )
        if not spec.get("path"):
            raise InputError(f"logs of arm {arm.name!r} has no path", code="bad_system")
        return cls(
            path=root / str(spec["path"]),
            format_name=str(spec.get("format", "table")),
            options=_options(dict(spec.get("mapping", {}))),
            arm=spec.get("arm"),
        )

    def described(self) -> Source:
        """Gives what the source is, by its bytes."""
        return describe(self.path, self.format_name, self.options)


def _options(mapping: dict[str, Any]) -> dict[str, Any]:
    """Gives the mapping; where it names the answers and no outcome, no column is taken for one.

    The study's catalog grades the answers, so that a table need not hold an outcome.
    """
    outcomes = {"value", "outcome", "loss", "criteria", "findings", "aggregate", "recognise"}
    if "output" in mapping and not outcomes & mapping.keys():
        return mapping | {"recognise": "false"}
    return mapping


@dataclass(slots=True)
class _Sorted:
    """What was met of the source while it was read."""

    ids: dict[str, str] = field(default_factory=dict)
    arms: Counter[str] = field(default_factory=Counter)
    unplanned: Counter[str] = field(default_factory=Counter)
    named: list[tuple[str, str]] = field(default_factory=list)
    documents: dict[str, Attachment] = field(default_factory=dict)


def read_logs(
    sealed: Sealed, arm: ArmPlan, logs: Logs, reader: LogReader, archive: Archive, at: str
) -> None:
    """Reads the planned units' trials of the logs into an archive; the source's grades stay.

    A trial's output is named as that of an executed one, so that checks find it. Preflights are
    recorded as not applicable: nothing was executed that they could speak of.

    Raises:
        Blocked: the source holds several arms, or none of the planned units.
        UnreadableSource: nothing of it can be read.
    """
    for name in PREFLIGHTS:
        facts = {"preflight": name}
        archive.append(Event(kind=EventKind.PREFLIGHT, at=at, outcome=NOT_APPLICABLE, facts=facts))
    folder = logs.path if logs.path.is_dir() else logs.path.parent
    intake, met = Intake(archive, folder), _Sorted()
    keep = _keeper(sealed, arm, logs, met)
    for reading in reader.read(logs.path, logs.options):
        for kept in keep(reading):
            intake.take(kept)
    intake.finish()
    if len(met.arms) > 1:
        found = ", ".join(f"{name} ({n})" for name, n in met.arms.most_common())
        raise Blocked(f"{logs.path} holds several arms: {found}; mend: logs: {{arm: NAME}}")
    if not intake.n_trials:
        known = ", ".join(list(met.unplanned)[:5])
        raise Blocked(
            f"{logs.path} holds no trial of a planned unit"
            + (f"; its units are {known}" if known else "")
            + "; mend: plan with the units that the logs have"
        )
    _name_documents(archive, met)
    for notice in _told(met):
        archive.append(notice)
    archive.append(Event(kind=EventKind.FINISHED, at=at))
    directions = reader.directions(logs.options) if isinstance(reader, DeclaresCriteria) else {}
    archive.declare(
        structs.replace(
            archive.manifest,
            source=logs.described(),
            is_simulated=archive.manifest.is_simulated or intake.is_simulated,
            criteria={
                name: Criterion(direction=directions.get(name, Direction.HIGHER))
                for name in sorted(intake.criteria)
            },
        )
    )


def _keeper(
    sealed: Sealed, arm: ArmPlan, logs: Logs, met: _Sorted
) -> Callable[[Reading], Iterator[Reading]]:
    """Gives what makes of each reading the readings that are kept."""
    planned = {unit.id: unit.repetitions for unit in sealed.plan.units}

    def keep(reading: Reading) -> Iterator[Reading]:
        if isinstance(reading, Trial):
            if logs.arm is not None and reading.arm != logs.arm:
                return
            if not 1 <= reading.repetition <= planned.get(reading.unit, 0):
                met.unplanned[reading.unit] += 1
                return
            met.arms[reading.arm] += 1
            yield _renamed(reading, arm, sealed, met)
        elif isinstance(reading, Grade):
            if reading.trial in met.ids:
                yield structs.replace(reading, trial=met.ids[reading.trial])
        elif isinstance(reading, Attachment):
            met.documents[reading.sha256] = reading
            yield reading
        elif not isinstance(reading, Headline):
            yield reading

    return keep


def _renamed(trial: Trial, arm: ArmPlan, sealed: Sealed, met: _Sorted) -> Trial:
    """Gives the trial as one of the arm, with the labels that the plan gives its unit."""
    brief = sealed.briefs[trial.unit]
    name = trial_id(trial.unit, arm.name, trial.model, trial.repetition, trial.attempt)
    met.ids[trial.id] = name
    for what, blob in (("output", trial.output), ("transcript", trial.transcript)):
        if blob is not None:
            met.named.append((f"{name}/{what}", blob.sha256))
    return structs.replace(
        trial, id=name, arm=arm.name, labels=brief.labels, cluster=brief.cluster or trial.cluster
    )


def _name_documents(archive: Archive, met: _Sorted) -> None:
    """Names each trial's output and transcript by the trial, as those of an executed one are."""
    archive.sync()
    for name, sha256 in met.named:
        if sha256 in met.documents:
            archive.append(
                Document(
                    name=name,
                    sha256=sha256,
                    n_bytes=met.documents[sha256].n_bytes,
                    stored_sha256=archive.blobs.stored_sha256(sha256),
                )
            )


def _told(met: _Sorted) -> Iterator[Notice]:
    if met.unplanned:
        yield Notice(
            code="unplanned",
            message="trials of units or repetitions that are not planned were left out",
            severity=Severity.INFO,
            where=", ".join(list(met.unplanned)[:3]),
            count=met.unplanned.total(),
        )
