"""Reads a scenario pack: `pack.yaml`, and each scenario with the files it names."""

from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from equipoise.errors import InputError
from equipoise.records.codec import decode
from equipoise.records.scenario import Pack, Scenario, ScenarioKind
from equipoise.records.wanted import plainly
from equipoise.records.yaml_text import parse
from equipoise.studies.outcome.expectations import is_to_stop
from equipoise.studies.outcome.judged import list_faults
from equipoise.studies.outcome.state_faults import state_faults

PACK = "pack.yaml"
SCENARIOS = PurePosixPath("fixtures/e2e")
SCENARIO = "scenario.json"
HIDDEN = "hidden-tests"
PROOFS = "proofs"
_ORIGINS = ("built", "snapshot", "fork")
_TESTED = (ScenarioKind.FIX, ScenarioKind.FEATURE, ScenarioKind.EPIC)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPack:
    """A pack and its scenarios, in the order of their ids."""

    folder: Path
    pack: Pack
    scenarios: tuple[Scenario, ...]

    def place(self, scenario: Scenario) -> PurePosixPath:
        """Gives the scenario's folder, from the pack's."""
        return SCENARIOS / scenario.id

    def seed(self, scenario: Scenario) -> dict[str, Any]:
        """Gives the specification of the seed that an agent starts from."""
        if scenario.seed == "seed-repo":
            return {"folder": str(self.place(scenario) / "seed-repo")}
        spec: dict[str, Any] = {"recipe": f"seeds/{scenario.seed}"}
        return spec | ({"bug": scenario.bug_id} if scenario.bug_id else {})


def read_pack(folder: Path) -> ReadPack:
    """Reads a pack and holds every scenario against what it needs.

    Raises:
        InputError: names everything that is wrong or missing, a line each.
    """
    path = folder / PACK
    if not path.is_file():
        raise InputError(
            f"there is no {path}",
            wanted="the folder of a scenario pack: pack.yaml, seeds/, fixtures/e2e/",
            code="no_pack",
        )
    try:
        pack = msgspec.convert(parse(path.read_bytes(), name=PACK).value, Pack)
    except msgspec.ValidationError as error:
        raise InputError(
            plainly(error),
            wanted="name, version, origin and what is in it",
            where=PACK,
            code="bad_pack",
        ) from error
    faults: list[str] = []
    if pack.origin not in _ORIGINS:
        faults.append(f"{PACK}: origin {pack.origin!r}; wanted one of {', '.join(_ORIGINS)}")
    scenarios: list[Scenario] = []
    names = pack.scenarios or tuple(
        sorted(one.name for one in folder.joinpath(SCENARIOS).glob("*") if one.is_dir())
    )
    for name in names:
        where = f"{SCENARIOS / name}/{SCENARIO}"
        try:
            content = folder.joinpath(where).read_bytes()
            scenario = decode(content, Scenario, where=where)
        except (OSError, InputError) as error:
            faults.append(f"{where}: {getattr(error, 'strerror', None) or error}")
            continue
        found = [
            *_faults(scenario, name, folder / SCENARIOS / name),
            *state_faults(scenario, folder),
        ]
        faults += [f"{where}: {fault}" for fault in found]
        scenarios.append(scenario)
    if not scenarios and not faults:
        faults.append(f"there is no scenario below {SCENARIOS}")
    if faults:
        raise InputError(
            f"{len(faults)} faults in the pack:" + "".join(f"\n  {fault}" for fault in faults),
            wanted="scenarios as docs/reference/scenario-packs.md has them",
            code="bad_pack",
        )
    return ReadPack(folder=folder, pack=pack, scenarios=tuple(scenarios))


def _faults(scenario: Scenario, name: str, folder: Path) -> list[str]:
    hidden = scenario.hidden_tests
    named = [*hidden.explicit, *hidden.implicit]
    wrong = {
        f"its id is {scenario.id!r}, its folder {name!r}": scenario.id != name,
        f"answerType is {scenario.answer_type!r}; wanted 'e2e-outcome'": (
            scenario.answer_type != "e2e-outcome"
        ),
        "there is no prompt: a task in the words of a user": not scenario.prompt.strip(),
        "there are no hidden tests, and nothing else decides": (
            scenario.kind in _TESTED and not named and not is_to_stop(scenario)
        ),
        "kind is stop and there is no expected_end_state": (
            scenario.kind is ScenarioKind.STOP and scenario.expected_end_state is None
        ),
        "kind is decompose and there are no items": (
            scenario.kind is ScenarioKind.DECOMPOSE and not scenario.items
        ),
    }
    found = [fault for fault, is_wrong in wrong.items() if is_wrong]
    for group, files in {"explicit": hidden.explicit, "implicit": hidden.implicit}.items():
        found += [
            f"hidden test {one} does not lie in {HIDDEN}/{group}/"
            for one in files
            if not one.startswith(f"{group}/")
        ]
    found += _file_faults(scenario, folder)
    found += list_faults(scenario, folder)
    found += [
        f"dependency {one.name!r} is neither provided nor exempted"
        for one in scenario.dependencies
        if not one.provided and not one.exemption
    ]
    return found


def _file_faults(scenario: Scenario, folder: Path) -> list[str]:
    hidden, proofs = scenario.hidden_tests, scenario.proofs
    files = [f"{HIDDEN}/{one}" for one in (*hidden.explicit, *hidden.implicit)]
    if proofs is not None:
        given = (proofs.reference, proofs.third_party, proofs.literal, proofs.senior)
        files += [one for one in (*given, *proofs.near_misses) if one]
    found, root = [], folder.resolve()
    for one in [*files, *([scenario.items] if scenario.items else [])]:
        path = folder / one
        if not path.resolve().is_relative_to(root):
            found.append(f"{one} leads out of the scenario's folder")
        elif not path.is_file():
            found.append(f"there is no file {one}")
    return found
