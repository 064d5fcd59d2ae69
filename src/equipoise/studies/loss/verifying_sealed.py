"""Verifies the files of a study that its plan names: catalogs, units, reference set, copies."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from equipoise.archive.manifest import Document
from equipoise.errors import EquipoiseError
from equipoise.pipeline.amendments import read_amendments
from equipoise.pipeline.faults import Check, Fault
from equipoise.pipeline.study_files import PLAN, SEAL, SEALED, STUDY
from equipoise.records.codec import decode, digest
from equipoise.records.plan import Plan
from equipoise.stages.plan.units import digest_of, read_units
from equipoise.studies.loss.hidden import changed
from equipoise.studies.loss.promised import amended
from equipoise.studies.loss.rescoring import LOCK, catalog_name, locked
from equipoise.studies.loss.scoring import LossRun
from equipoise.studies.loss.sealed import changed_skills


def check_named_files(study: Path) -> Check:
    """Holds the files that the sealed plan names by their hashes against what stands there.

    A units file that is gone is only noted: after its retention it has to be.
    """
    try:
        content = study.joinpath(PLAN).read_bytes()
        plan = decode(content, Plan, where=PLAN)
        in_force = amended(plan, read_amendments(study, digest(content)))
    except EquipoiseError as error:
        return _failed(PLAN, error)
    wanted = {plan.catalog_file: plan.catalog_sha256}
    if plan.reference_set:
        wanted[plan.reference_set] = plan.reference_sha256
    wanted |= {record.file: record.sha256 for record in plan.judge_records}
    faults = [fault for name, sha256 in wanted.items() for fault in _held(study, name, sha256)]
    if plan.study_sha256 and not study.joinpath(STUDY).is_file():
        faults.append(Fault(file=STUDY, what="is missing", expected=plan.study_sha256))
    faults += _units(study, plan)
    faults += [
        Fault(
            file=name,
            what="hidden tests changed after planning",
            expected=in_force.hidden[name],
            found=found or "gone",
        )
        for name, found in changed(study, in_force).items()
    ]
    faults += [
        Fault(
            file=skill.folder,
            what=f"the skill of {skill.arm} changed after planning",
            expected=skill.sha256,
            found=found or "gone",
        )
        for skill, found in changed_skills(study, plan).items()
    ]
    plan_sha256 = digest(study.joinpath(PLAN).read_bytes())
    copies = {PLAN: plan_sha256} | ({STUDY: plan.study_sha256} if plan.study_sha256 else {})
    for name, sha256 in copies.items():
        faults += _held(study, f"{SEALED}/{name}", sha256)
    return Check(
        thing=plan.catalog_file, says="catalog, units and copies as planned", faults=tuple(faults)
    )


def check_seal_stands(study: Path, runs: Iterable[LossRun]) -> Iterator[Check]:
    """Yields a check with a fault where a run says that it was sealed and the seal is gone."""
    sealed = [run.run_id for run in runs if run.facts.seal]
    if sealed and not study.joinpath(SEAL).is_file():
        what = f"is missing, and {', '.join(sealed)} began under it"
        yield Check(thing=SEAL, says="not verified", faults=(Fault(file=SEAL, what=what),))


def check_lock(study: Path, runs: Iterable[LossRun]) -> Check:
    """Holds the hashes in the lock of catalogs against the catalogs that were graded with."""
    try:
        kept = locked(study)
    except (EquipoiseError, json.JSONDecodeError) as error:
        return _failed(LOCK, error)
    used: dict[str, str] = {}
    for run in runs:
        names = {catalog_name(version): version for version in run.versions}
        for document in run.archive.read(Document):
            if version := names.get(document.name):
                used[version] = document.sha256
    faults = [
        Fault(
            file=LOCK,
            what=f"not the catalog {version} that was graded with",
            expected=sha256,
            found=kept.get(version, "nothing"),
        )
        for version, sha256 in sorted(used.items())
        if kept.get(version) != sha256
    ]
    return Check(thing=LOCK, says=f"{len(kept) or 'no'} catalogs", faults=tuple(faults))


def _held(study: Path, name: str, sha256: str) -> Iterator[Fault]:
    path = study / name
    if not path.is_file():
        yield Fault(file=name, what="is missing", expected=sha256)
    elif (found := digest(path.read_bytes())) != sha256:
        yield Fault(file=name, what="changed after planning", expected=sha256, found=found)


def _units(study: Path, plan: Plan) -> Iterator[Fault]:
    path = study / plan.units_file
    if not path.is_file():
        yield Fault(file=plan.units_file, what="is not there any more", is_note=True)
        return
    try:
        units = read_units(
            path.read_bytes(), axes=plan.axes, provenance=plan.provenance, name=plan.units_file
        )
    except EquipoiseError as error:
        yield Fault(file=plan.units_file, what="cannot be read", found=str(error))
        return
    if (found := digest_of(units)) != plan.units_sha256:
        yield Fault(
            file=plan.units_file,
            what="changed after planning",
            expected=plan.units_sha256,
            found=found,
        )


def _failed(name: str, error: Exception) -> Check:
    fault = Fault(file=name, what="cannot be read", found=str(error))
    return Check(thing=name, says="not verified", faults=(fault,))
