"""Small studies with known losses: a plan, a catalog, and one run archive per arm."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from equipoise.archive.manifest import Criterion, Manifest, RunFacts
from equipoise.archive.store import Archive
from equipoise.records.catalog import Catalog, Category
from equipoise.records.codec import digest, pretty
from equipoise.records.event import Event, EventKind, Rating
from equipoise.records.grade import Evidence, Grade, How
from equipoise.records.plan import (
    ArmPlan,
    CellPlan,
    Mode,
    PartitionPlan,
    Plan,
    Provenance,
    SpreadSource,
    UnitPlan,
)
from equipoise.records.terms import Direction
from equipoise.records.trial import Ending, Trial, trial_id

WRONG_ARG = Category(id="tool_call_wrong_arg", weight=0.3, type="deterministic", max=1)
TONE = Category(id="tone_off", weight=0.1, type="model_judged", max=1)
V1 = Catalog(version="v1", categories=(WRONG_ARG, TONE))


@dataclass(frozen=True, kw_only=True)
class Run:
    """What one attempt of one repetition showed: share lost by category, or why nothing."""

    unit: str
    lost: Mapping[str, float | None] = field(default_factory=dict)
    repetition: int = 1
    attempt: int = 1
    ending: Ending = field(default_factory=Ending)
    quote: str = ""
    document: str = "journal.jsonl"
    cluster: str | None = None


def partition(
    labels: Mapping[str, str], *, weight: float = 1.0, n_min: int = 4, s: float = 0.3, **more: Any
) -> PartitionPlan:
    """A partition of a plan."""
    facts: dict[str, Any] = {
        "frequency": weight,
        "severity": 1.0,
        "s_source": SpreadSource.DEFAULT,
        "n_available": n_min,
        "n_drawn": n_min,
    }
    return PartitionPlan(labels=dict(labels), weight=weight, n_min=n_min, s=s, **(facts | more))


def units(
    part: PartitionPlan, ids: Iterable[str], *, repetitions: int = 1, is_adversarial: bool = False
) -> list[UnitPlan]:
    """Planned units of a partition."""
    return [
        UnitPlan(
            id=name,
            partition=part.text,
            sha256=digest(name.encode()),
            repetitions=repetitions,
            is_adversarial=is_adversarial,
        )
        for name in ids
    ]


def plan(
    partitions: Iterable[PartitionPlan],
    planned: Iterable[UnitPlan],
    catalog: Catalog = V1,
    **more: Any,
) -> Plan:
    """A plan with every partition x category registered."""
    parts = tuple(partitions)
    cells = tuple(
        CellPlan(partition=part.text, category=category.id)
        for part in parts
        for category in catalog.categories
    )
    axes: dict[str, tuple[str, ...]] = {}
    for part in parts:
        for key, value in part.labels.items():
            axes[key] = tuple(dict.fromkeys((*axes.get(key, ()), value)))
    facts: dict[str, Any] = {
        "kind": "loss",
        "title": "Help desk",
        "question": "Does release 2 lose more?",
        "seed": 7,
        "provenance": Provenance.SYNTHETIC,
        "hops": (),
        "axes": axes,
        "by": tuple(axes),
        "units_file": "units.jsonl",
        "units_sha256": digest(b""),
        "stochastic_repetitions": 3,
        "adversarial_cap": 0.1,
        "mde": 0.05,
        "sample_budget": sum(part.n_min for part in parts),
        "catalog_version": catalog.version,
        "catalog_sha256": digest(pretty(catalog)),
        "catalog_file": f"catalogs/loss-catalog.{catalog.version}.json",
        "cells": cells,
        "arms": tuple(
            ArmPlan(name=name, mode=Mode.A, system={"command": {}})
            for name in ("release-1", "release-2")
        ),
        "baseline": "release-1",
    }
    facts |= more
    return Plan(
        partitions=parts,
        units=tuple(sorted(planned, key=lambda unit: unit.id)),
        k=more.get("k", len(facts["cells"])),
        **{name: value for name, value in facts.items() if name != "k"},
    )


def study(folder: Path, made: Plan, *catalogs: Catalog) -> Path:
    """Writes plan.json and the catalogs of a study."""
    folder.joinpath("catalogs").mkdir(parents=True)
    folder.joinpath("plan.json").write_bytes(pretty(made))
    for catalog in catalogs or (V1,):
        name = f"loss-catalog.{catalog.version}.json"
        folder.joinpath("catalogs", name).write_bytes(pretty(catalog))
    return folder


def run(
    folder: Path,
    made: Plan,
    arm: str,
    runs: Iterable[Run],
    catalog: Catalog = V1,
    *,
    ordinal: int = 1,
    ratings: Iterable[Rating] = (),
    events: Iterable[Event] = (),
    tool_version: str = "0.1.0",
    seal: str = "self-declared",
) -> Path:
    """Writes the archive of one arm's run, graded under the catalog, and gives its path."""
    content = pretty(made)
    name = f"{arm}-{digest(content)[:8]}-{ordinal}"
    path = folder / "archive" / name
    by_unit = {unit.id: unit.partition for unit in made.units}
    texts = {part.text: part.labels for part in made.partitions}
    mode = next((one.mode for one in made.arms if one.name == arm), Mode.A)
    manifest = Manifest(
        run_id=name,
        kind="run",
        tool_version=tool_version,
        criteria={
            catalog.criterion(one): Criterion(direction=Direction.LOWER)
            for one in (*(c.id for c in catalog.categories), "loss")
        },
        run=RunFacts(
            plan_sha256=digest(content),
            arm=arm,
            mode=mode.value,
            provenance=made.provenance.value,
            seal=seal,
        ),
    )
    with Archive.create(path, manifest, is_durable=False) as archive:
        started = Event(
            kind=EventKind.STARTED,
            at=f"2026-01-0{ordinal}T09:00:00.000+00:00",
            facts={"plan_sha256": digest(content)},
        )
        for event in (started, *events):
            archive.append(event)
        for one in runs:
            _append(archive, one, arm, dict(texts.get(by_unit.get(one.unit, ""), {})), catalog)
        for rating in ratings:
            archive.append(rating)
    path.joinpath("plan.json").write_bytes(content)
    return path


def graded(path: Path, runs: Iterable[Run], arm: str, catalog: Catalog) -> None:
    """Grades the trials of an archive under a further catalog."""
    with Archive.append_to(path) as archive:
        for one in runs:
            _grade(
                archive, one, trial_id(one.unit, arm, None, one.repetition, one.attempt), catalog
            )


def _append(archive: Archive, one: Run, arm: str, labels: dict[str, str], catalog: Catalog) -> None:
    identity = trial_id(one.unit, arm, None, one.repetition, one.attempt)
    archive.append(
        Trial(
            id=identity,
            unit=one.unit,
            arm=arm,
            repetition=one.repetition,
            attempt=one.attempt,
            labels=labels,
            ending=one.ending,
            cluster=one.cluster,
        )
    )
    _grade(archive, one, identity, catalog)


def _grade(archive: Archive, one: Run, identity: str, catalog: Catalog) -> None:
    evidence = _evidence(archive, one, identity)
    known: dict[str, float] = {}
    for category in catalog.categories:
        if category.id not in one.lost:
            continue
        value = one.lost[category.id]
        how = How.SOFT if category.type == "model_judged" else How.MEASURED
        if value is None:
            grade = Grade(
                trial=identity,
                criterion=catalog.criterion(category.id),
                not_evaluable="needs re-execution",
                how=how,
            )
        else:
            known[category.id] = value
            grade = Grade(
                trial=identity,
                criterion=catalog.criterion(category.id),
                value=value,
                how=how,
                evidence=evidence if value else (),
            )
        archive.append(grade)
    weights = {category.id: category.weight for category in catalog.categories}
    if known:
        lost = sum(weights[name] * value for name, value in known.items())
        archive.append(
            Grade(
                trial=identity,
                criterion=catalog.criterion("loss"),
                value=min(1.0, lost / sum(weights[name] for name in known)),
            )
        )


def _evidence(archive: Archive, one: Run, identity: str) -> tuple[Evidence, ...]:
    if not one.quote:
        return ()
    content = one.quote.encode()
    document = archive.attach(f"{identity}/{one.document}", [content + b"\n"])
    return (
        Evidence(
            document=document.sha256,
            start=0,
            end=len(content),
            quote=one.quote,
            name=one.document,
            line=1,
        ),
    )
