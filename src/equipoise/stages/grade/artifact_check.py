"""The check `artifact`: whether each document that must be left is there and keeps its contract."""

from collections.abc import Iterator

from equipoise.records.contract import ContractedDocument
from equipoise.stages.grade.contracts import contract_faults
from equipoise.stages.grade.end_state_check import told_as_one
from equipoise.stages.grade.finding import Fault, Found
from equipoise.stages.grade.left_behind import Left, document, left_by, matching
from equipoise.stages.grade.material import Material
from equipoise.stages.grade.outcome_specs import ArtifactSpec, expectation

_MOST_DOCUMENTS = 20


def check_artifact(spec: ArtifactSpec, material: Material) -> Found:
    """Gives 1 where a document lacks or breaks its contract, with everything that is broken.

    Raises:
        NotEstimable: the unit expects no document, nobody froze the workspace, or an expression of
            a contract takes too long.
    """
    rules = expectation(spec, material, tuple[ContractedDocument, ...])
    left = left_by(material)
    faults = [fault for rule in rules for fault in _faults(rule, material, left)]
    return told_as_one(faults, material)


def _faults(rule: ContractedDocument, material: Material, left: Left) -> Iterator[Fault]:
    found = matching(left.files, rule.glob)
    if not found:
        yield f"{rule.contract.name}: left no {rule.glob}", ()
    for path in found[:_MOST_DOCUMENTS]:
        for why, places in contract_faults(rule.contract, document(material, path)):
            yield f"{path}: {why}", places or left.named(path)
    if len(found) > _MOST_DOCUMENTS:
        yield f"{rule.contract.name}: left {len(found)} documents where one was wanted", ()
