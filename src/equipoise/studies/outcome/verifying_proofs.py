"""Verifies that the scenarios of a study are proved by the proofs that its plan was made with."""

from collections.abc import Iterator
from pathlib import Path

from equipoise.errors import EquipoiseError
from equipoise.pipeline.amendments import read_amendments
from equipoise.pipeline.faults import Check, Fault
from equipoise.pipeline.study_files import PLAN
from equipoise.records.codec import decode, digest
from equipoise.records.counted import counted
from equipoise.records.outcome_plan import OutcomePlan
from equipoise.records.plan import Plan
from equipoise.studies.loss.promised import amended
from equipoise.studies.loss.verifying_derived import failed
from equipoise.studies.outcome.packs import PROOFS
from equipoise.studies.outcome.retelling import pack_of


def check_proofs(study: Path) -> Iterator[Check]:
    """Yields a check of the proofs of an outcome study; nothing for other studies.

    Where hidden tests were mended and taken over by an amendment, another proof is only noted.
    """
    if not study.joinpath(PLAN).is_file():
        return
    try:
        content = study.joinpath(PLAN).read_bytes()
        plan = decode(content, Plan, where=PLAN)
        if not isinstance(plan.outcome, OutcomePlan):
            return
        now = amended(plan, read_amendments(study, digest(content)))
        folder = pack_of(study).folder.relative_to(study) / PROOFS
    except (EquipoiseError, ValueError) as error:
        yield failed(PROOFS, "the proofs of the pack cannot be found", error)
        return
    changed = [name for name, sha256 in plan.hidden.items() if now.hidden.get(name) != sha256]
    faults = []
    for scenario in plan.outcome.scenarios:
        path = folder / f"{scenario.id}.json"
        found = digest(study.joinpath(path).read_bytes()) if (study / path).is_file() else ""
        if found != scenario.proof_sha256:
            is_mended = any(f"/{scenario.id}/" in f"/{name}/" for name in changed)
            faults.append(
                Fault(
                    file=str(path),
                    what="the hidden tests were mended and proved anew after planning"
                    if is_mended
                    else "the proof changed after planning",
                    expected=scenario.proof_sha256,
                    found=found or "gone",
                    is_note=is_mended and bool(found),
                )
            )
    n_held = len(plan.outcome.scenarios) - len(faults)
    says = f"{counted(n_held, 'proof')} as the plan was made with"
    yield Check(thing=str(folder), says=says, faults=tuple(faults))
