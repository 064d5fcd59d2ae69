"""Takes over hidden tests that were mended after sealing, so that all arms are scored anew."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from equipoise.archive.durable import replace_file
from equipoise.errors import Blocked, InputError, as_word
from equipoise.pipeline.amendments import append_amendments, read_amendments
from equipoise.ports.agents import Seed
from equipoise.records.codec import encode
from equipoise.records.event import Amendment
from equipoise.studies.loss.grading import archives_of
from equipoise.studies.loss.hidden import changed
from equipoise.studies.loss.promised import amended
from equipoise.studies.loss.rescoring import catalog_name, locked
from equipoise.studies.loss.scoring import open_run
from equipoise.studies.loss.sealed import sealed_plan
from equipoise.studies.outcome.packs import HIDDEN, ReadPack
from equipoise.studies.outcome.proof_files import proof_of
from equipoise.studies.outcome.retelling import pack_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Renewed:
    """The amendment, the scenarios whose tests are others now, and the catalog to grade under."""

    amendment: Amendment
    scenarios: tuple[str, ...]
    catalog: Path
    version: str


def renew(
    study: Path,
    seed_of: Callable[[dict[str, Any]], Seed],
    *,
    reason: str,
    by: str,
    now: datetime,
) -> Renewed:
    """Amends the study with the hidden tests as they are now, and writes a catalog for them.

    The catalog is the planned one under the next version, so that what was scored before stays as
    it is, and nothing of it stands beside a score by other tests.

    Raises:
        InputError: no hidden test was changed, some are gone, or there is no reason.
        Blocked: the study is not sealed, or a scenario whose tests were changed is not proved.
        Tampered: something else was changed since sealing.
    """
    if not reason.strip():
        raise InputError("an amendment without reason", wanted="--reason with a sentence")
    sealed, _, seal = sealed_plan(study)
    plan = amended(sealed, read_amendments(study, seal.plan_sha256))
    others = changed(study, plan)
    if not others:
        raise InputError(
            "no hidden test was changed",
            wanted="hidden tests that are others than the study has",
            mend="mend them in the pack, and prove their scenarios",
            code="nothing_changed",
        )
    if gone := [name for name, sha256 in others.items() if not sha256]:
        raise InputError(f"{gone[0]} is gone", wanted="mended tests, not none", code="gone")
    pack = pack_of(study)
    scenarios = _proved(pack, others, seed_of)
    amendment = Amendment(
        at=now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        by=by,
        reason=f"{reason.strip()} (hidden tests of {', '.join(scenarios)})",
        field="hidden",
        was=encode(plan.hidden).decode(),
        now=encode({**plan.hidden, **others}).decode(),
    )
    version = _next(study, sealed.catalog_version)
    catalog = json.loads(study.joinpath(sealed.catalog_file).read_bytes()) | {"version": version}
    path = study / catalog_name(version)
    replace_file(path, msgspec.json.format(json.dumps(catalog).encode(), indent=1) + b"\n")
    append_amendments(study, seal.plan_sha256, (amendment,))
    return Renewed(amendment=amendment, scenarios=scenarios, catalog=path, version=version)


def _proved(
    pack: ReadPack, others: dict[str, str], seed_of: Callable[[dict[str, Any]], Seed]
) -> tuple[str, ...]:
    """Gives the scenarios whose hidden tests are others now, each of them proved."""
    found = [
        one
        for one in pack.scenarios
        if any(f"{pack.place(one)}/{HIDDEN}/" in f"{name}/" for name in others)
    ]
    whys = [proof_of(pack, one, seed_of(pack.seed(one)))[1] for one in found]
    if lacking := [why for why in whys if why]:
        raise Blocked("\n".join(f"not fair to anybody yet: {why}" for why in lacking))
    if not found:
        names = ", ".join(others)
        raise InputError(
            f"{names}: no hidden tests of a scenario", wanted="tests below fixtures/e2e"
        )
    return tuple(one.id for one in found)


def _next(study: Path, planned: str) -> str:
    """Gives the version after all that were used."""
    used = {planned, *locked(study)}
    for path, _ in archives_of(study):
        used |= set(open_run(path, study).versions)
    numbers = [int(name[1:]) for name in used if name[1:].isdigit()]
    while study.joinpath(catalog_name(f"v{max(numbers) + 1}")).is_file():
        numbers.append(max(numbers) + 1)
    return f"v{max(numbers) + 1}"


def told(study: Path, renewed: Renewed) -> str:
    """Gives what was done, and what scores all arms by it."""
    word = as_word(study)
    return (
        f"amended {renewed.amendment.at} by {renewed.amendment.by}: hidden tests of "
        f"{', '.join(renewed.scenarios)}\n"
        f"next: equipoise grade {word} --catalog {as_word(renewed.catalog)}\n"
        f"then: equipoise compare {word} --catalog {renewed.version}\n"
    )
