"""The stored proofs: what each rests on, whether it still holds, and where it is written."""

from pathlib import Path

from equipoise.archive.durable import replace_file, storage_errors
from equipoise.errors import InputError
from equipoise.ports.agents import Seed
from equipoise.ports.suites import hash_of
from equipoise.records.codec import decode, digest, encode, pretty
from equipoise.records.proof import Proof
from equipoise.records.scenario import Scenario
from equipoise.studies.outcome.packs import HIDDEN, PROOFS, SCENARIO, ReadPack
from equipoise.studies.outcome.proving_states import told_beside

RULES = "3"
"""The rules by which proofs are made: those made by others are stale."""


def rests_on(pack: ReadPack, scenario: Scenario, seed: Seed) -> dict[str, str]:
    """Gives what a proof rests on, by name: a proof of anything else is stale."""
    folder = pack.folder / pack.place(scenario)
    found = {
        "rules": RULES,
        "seed": seed.sha256,
        SCENARIO: digest(folder.joinpath(SCENARIO).read_bytes()),
    }
    if scenario.bug_id:
        found["bug"] = digest(encode(pack.bug(scenario)))
    if folder.joinpath(HIDDEN).is_dir():
        found[HIDDEN] = hash_of(folder / HIDDEN)
    if scenario.items:
        found[scenario.items] = digest(folder.joinpath(scenario.items).read_bytes())
    for rule in scenario.artifacts:
        found[rule.contract] = digest(pack.folder.joinpath(rule.contract).read_bytes())
    for name in _patches(scenario):
        found[name] = digest(folder.joinpath(name).read_bytes())
        beside = folder / told_beside(name)
        if beside.is_file():
            found[told_beside(name)] = digest(beside.read_bytes())
    return dict(sorted(found.items()))


def write_proof(pack: ReadPack, proof: Proof) -> Path:
    """Writes a proof beside its pack, whole or not at all."""
    path = pack.folder / PROOFS / f"{proof.scenario}.json"
    with storage_errors(f"writing {path.name}"):
        path.parent.mkdir(exist_ok=True)
    replace_file(path, pretty(proof))
    return path


def proof_of(pack: ReadPack, scenario: Scenario, seed: Seed) -> tuple[Proof | None, str]:
    """Gives the stored proof of a scenario, and why it may not be run ("" = it may)."""
    path = pack.folder / PROOFS / f"{scenario.id}.json"
    if not path.is_file():
        return None, f"{scenario.id} was never proved; mend: equipoise prove {pack.folder}"
    try:
        proof = decode(path.read_bytes(), Proof)
    except InputError as error:
        return None, (
            f"{PROOFS}/{path.name} cannot be read: {error.found}; mend: equipoise prove "
            f"{pack.folder}"
        )
    now = rests_on(pack, scenario, seed)
    changed = sorted(
        name for name in {*now, *proof.rests_on} if now.get(name) != proof.rests_on.get(name)
    )
    if changed:
        return proof, (
            f"the proof of {scenario.id} is stale: {', '.join(changed)} changed; mend: equipoise "
            f"prove {pack.folder}"
        )
    faults = proof.faults
    return proof, f"{scenario.id} is not proved: {'; '.join(faults)}" if faults else ""


def _patches(scenario: Scenario) -> list[str]:
    proofs = scenario.proofs
    if proofs is None:
        return []
    given = (proofs.reference, proofs.third_party, proofs.literal, proofs.senior)
    return sorted({one for one in (*given, *proofs.near_misses) if one})
