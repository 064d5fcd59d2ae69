"""Compiles an outcome study to what every study is run by: units, a catalog, arms and rules."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from equipoise.archive.durable import replace_file
from equipoise.errors import Blocked, InputError, nearest
from equipoise.pipeline.study_files import SEAL, STUDY, read_needed, seal_of
from equipoise.records.codec import pretty
from equipoise.records.scenario import Scenario, said_later
from equipoise.records.yaml_text import parse
from equipoise.stages.plan.faults import Faults, refuse
from equipoise.studies.loss.planning import ARMS, COMPILED, OUTCOME
from equipoise.studies.outcome.arms import arm_faults, folder_of
from equipoise.studies.outcome.contrasting import Render, proofs_of, unequal, unrendered
from equipoise.studies.outcome.copies import copy_faults
from equipoise.studies.outcome.criteria import catalog_of, undecided
from equipoise.studies.outcome.draft import EXAMPLES, OutcomeArm, OutcomeDraft
from equipoise.studies.outcome.expectations import DOCUMENTS
from equipoise.studies.outcome.judged import deliverables, family_faults, judges_of
from equipoise.studies.outcome.lints.packs import lint_of
from equipoise.studies.outcome.packs import MakeSeed, ReadPack, read_pack
from equipoise.studies.outcome.phases import in_phase
from equipoise.studies.outcome.promising import promised_of
from equipoise.studies.outcome.prompts import exemption_faults
from equipoise.studies.outcome.proof_files import proof_of
from equipoise.studies.outcome.rounds import round_faults, to_be_run
from equipoise.studies.outcome.stopping import stop_faults
from equipoise.studies.outcome.units import canary_of, unit_of

UNITS = "outcome-units.jsonl"
CATALOG = "loss-catalog.v1.json"
STATE = "state"
"""A folder that no agent sees: whatever one changes lies in a copy of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled:
    """What an outcome study is compiled to.

    `files` are the study as the plan stage reads it and the files it names, by name.
    """

    draft: OutcomeDraft
    pack: ReadPack
    scenarios: tuple[Scenario, ...]
    files: dict[str, bytes]


def compiled(study: Path, seed_of: MakeSeed, render: Render) -> Compiled:
    """Reads an outcome study and its pack; nothing is run.

    Args:
        study: the study folder.
        seed_of: gives a seed by its specification; paths count from the pack's folder.
        render: gives what a session of an arm would be given.

    Raises:
        InputError: the study file or the pack has faults; all are told.
        Blocked: a scenario has no proof, or a stale one.
    """
    draft, faults = _draft(study)
    folder = (study / draft.pack).resolve()
    if not folder.is_relative_to(study.resolve()):
        raise InputError(
            f"pack {draft.pack!r} lies outside the study's folder",
            wanted="a folder of the study, so that the study can be moved and sealed with it",
            mend="copy the pack into the study's folder",
            where=STUDY,
            code="outside",
        )
    pack = read_pack(study / draft.pack)
    scenarios = _chosen(draft, pack, faults)
    found = [*arm_faults(draft, study, pack, scenarios, faults)]
    found += [*family_faults(draft, study), *stop_faults(draft, pack, scenarios, faults)]
    found += copy_faults(draft, pack, scenarios, faults)
    refuse([*found, *(fault for one in scenarios for fault in exemption_faults(one))])
    proofs = {one.id: proof_of(pack, one, seed_of(pack.seed(one))) for one in scenarios}
    whys = [lint_of(pack, seed_of)[1], *(why for _, why in proofs.values())]
    whys += undecided(scenarios, draft.arms)
    if lacking := [why for why in whys if why]:
        raise Blocked("\n".join(f"not runnable: {why}" for why in lacking))
    outcome = promised_of(draft, study, pack, scenarios, faults)
    compiled_to = _study(draft, pack, scenarios)
    specs = {one["name"]: one["system"]["agent"] for one in compiled_to["arms"]}
    refuse(unrendered(specs, scenarios, render, faults))
    held = proofs_of(outcome.contrasts, specs, scenarios, render)
    refuse(unequal(held))
    catalog = catalog_of(pack.folder, scenarios, draft.arms)
    files = {
        UNITS: b"".join(unit_of(draft, pack, one) for one in scenarios),
        CATALOG: json.dumps(catalog, indent=1).encode() + b"\n",
        OUTCOME: pretty(outcome),
        ARMS: pretty(held),
        COMPILED: json.dumps(compiled_to, indent=1, ensure_ascii=False).encode() + b"\n",
    }
    return Compiled(draft=draft, pack=pack, scenarios=scenarios, files=files)


def write_files(study: Path, made: Compiled) -> None:
    """Writes what the study is compiled to, each file whole or not at all.

    Nothing is written into a sealed study: what stands there is what it was sealed with.

    Raises:
        Blocked: the study is sealed, and its file and its pack now give something else.
    """
    if seal_of(study) is not None:
        other = [name for name in _SEALED if _content(study / name) != made.files[name]]
        if other:
            raise Blocked(
                f"{study} is sealed, and {STUDY} with its pack now gives another "
                f"{' and '.join(other)}; mend: put them back, or begin a new study folder; before "
                f"the first run you may remove {SEAL}"
            )
        return
    study.joinpath(STATE).mkdir(exist_ok=True)
    for name, content in made.files.items():
        replace_file(study / name, content)


_SEALED = (UNITS, CATALOG, OUTCOME, COMPILED)
"""What the plan follows from; how arms were rendered depends on the machine as well."""


def _content(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""


def _draft(study: Path) -> tuple[OutcomeDraft, Faults]:
    yaml = parse(read_needed(study / STUDY, "the study file"), name=STUDY)
    faults = Faults(yaml=yaml, name=STUDY, draft=OutcomeDraft, examples=EXAMPLES)
    try:
        return OutcomeDraft.model_validate(yaml.value), faults
    except ValidationError as error:
        refuse(faults.of(error))
        raise


def _chosen(draft: OutcomeDraft, pack: ReadPack, faults: Faults) -> tuple[Scenario, ...]:
    known = {one.id: one for one in pack.scenarios}
    refuse(
        faults.at(
            ("scenarios", number),
            f"is {name!r}, and the pack has no such scenario",
            wanted=f"one of {', '.join(known)}",
            mend=nearest(name, list(known)) or "write one of these",
        )
        for number, name in enumerate(draft.scenarios)
        if name not in known
    )
    named = tuple(known[name] for name in draft.scenarios)
    chosen = named or to_be_run(draft, in_phase(draft, pack.scenarios))
    refuse(round_faults(draft, chosen, faults))
    if not chosen:
        refuse(
            [
                faults.at(
                    ("scenarios",),
                    "is missing, and the pack has none that this study would run",
                    mend="write scenarios: with the ids of some",
                )
            ]
        )
    return chosen


def _study(draft: OutcomeDraft, pack: ReadPack, scenarios: tuple[Scenario, ...]) -> dict[str, Any]:
    kinds = sorted({one.kind.value for one in scenarios})
    tiers = sorted({one.difficulty or "none" for one in scenarios})
    budget = draft.budget.model_dump(exclude_none=True, exclude_defaults=True)
    return {
        "kind": "loss",
        "title": draft.title,
        "question": draft.question,
        "seed": draft.seed,
        "provenance": "synthetisch",
        "hops": [
            {
                "id": "agent",
                "signal": "what it left in its workspace",
                "correct": "hidden tests pass and the seed's own suite stays green",
                "flake": "a hidden test that is not the same in every proof",
                "error": "the sandbox, the gateway or the suite could not be run",
            }
        ],
        "axes": {"kind": kinds, "tier": tiers},
        "partitions": {
            "by": ["kind"],
            "of": [{"labels": {"kind": kind}, "frequency": 1, "severity": 1} for kind in kinds],
        },
        "units": UNITS,
        "repetitions": {"stochastic": draft.repetitions},
        "mde": draft.mde,
        "budget": {"cell_timeout_s": draft.budget.cell_timeout_s, **budget},
        "catalog": CATALOG,
        "cells": ["loss", "category"],
        "paired": True,
        "state": {"directory": STATE},
        "baseline": draft.baseline,
        "sandbox": {"environment": ["PATH", *draft.environment]},
        "is_simulated": draft.is_simulated,
        "anti_mock": canary_of(draft, pack, scenarios[0]),
        **judges_of(draft),
        "arms": [_arm(draft, arm, scenarios) for arm in draft.arms],
    }


def _arm(draft: OutcomeDraft, arm: OutcomeArm, scenarios: Iterable[Scenario]) -> dict[str, Any]:
    skill = {"skills": [folder_of(draft, one) for one in arm.skill]} if arm.skill else {}
    kept = [*DOCUMENTS, *deliverables(scenarios)]
    given = {"prompt": "{brief.prompt}", "seed": "{brief.seed}", "artifacts": kept}
    if any(said_later(scenario) for scenario in scenarios):
        given["turns"] = "turns"
    return {"name": arm.name, "system": {"agent": {**arm.agent, **given, **skill}}}
