"""Reads the contract files of a pack: what must stand in a fix note, a design, a checklist."""

from pathlib import Path

import msgspec

from equipoise.errors import InputError
from equipoise.records.contract import Contract, ContractedDocument
from equipoise.records.scenario import Scenario
from equipoise.records.wanted import plainly
from equipoise.records.yaml_text import parse
from equipoise.stages.grade.outcome_specs import pattern_fault


def contracted(pack: Path, scenario: Scenario) -> tuple[ContractedDocument, ...]:
    """Gives the documents that a scenario wants, each with its contract.

    Args:
        pack: the pack's folder; paths of contracts count from it.
        scenario: one of its scenarios.

    Raises:
        InputError: a contract is not there, or breaks a rule of contracts.
    """
    return tuple(
        ContractedDocument(glob=rule.glob, contract=read_contract(pack, rule.contract))
        for rule in scenario.artifacts
    )


def read_contract(pack: Path, name: str) -> Contract:
    """Gives a contract of a pack.

    Raises:
        InputError: it is not there, is no contract, or asks for what its documents cannot have.
    """
    path = pack / name
    if not path.resolve().is_relative_to(pack.resolve()):
        raise _refused(f"the contract {name} leads out of the pack's folder", name)
    if not path.is_file():
        raise _refused(f"there is no contract {name}", name)
    try:
        contract = msgspec.convert(
            parse(path.read_bytes(), name=name).value, Contract, strict=False
        )
    except msgspec.ValidationError as error:
        raise _refused(plainly(error), name) from error
    if fault := _fault(contract):
        raise _refused(fault, name)
    return contract


def _fault(contract: Contract) -> str:
    front = contract.front_matter
    of_markdown = bool(contract.sections or front.required or front.values)
    of_yaml = bool(contract.keys or contract.each)
    if contract.format == "yaml" and of_markdown:
        return "front_matter and sections are of Markdown documents, and format is yaml"
    if contract.format == "markdown" and of_yaml:
        return "keys and each are of YAML documents, and format is markdown"
    if not (of_markdown or of_yaml or contract.forbidden):
        return "nothing is wanted: no front matter, no section, no key, nothing forbidden"
    if any(one.min_words < 1 for one in contract.sections):
        return "min_words below 1: an empty section would do"
    return next(filter(None, map(pattern_fault, contract.forbidden)), "")


def _refused(found: str, name: str) -> InputError:
    return InputError(
        found,
        wanted="a contract as docs/reference/scenario-packs.md has it",
        where=name,
        code="bad_contract",
    )
