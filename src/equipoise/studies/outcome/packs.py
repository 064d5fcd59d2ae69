"""Reads a scenario pack: `pack.yaml`, and each scenario with the files it names."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from equipoise.errors import InputError
from equipoise.ports.agents import Seed
from equipoise.records.codec import decode
from equipoise.records.scenario import Pack, Scenario
from equipoise.records.wanted import plainly
from equipoise.records.yaml_text import parse
from equipoise.studies.outcome.judged import list_faults
from equipoise.studies.outcome.pack_faults import (
    REPOSITORY,
    Library,
    pack_faults,
    scenario_faults,
)
from equipoise.studies.outcome.pack_files import (
    HIDDEN_TESTS,
    file_faults,
    link_faults,
    special_files,
)
from equipoise.studies.outcome.pack_keys import doubled_keys, unknown_keys, unseen_texts
from equipoise.studies.outcome.state_faults import state_faults

PACK = "pack.yaml"
SCENARIOS = PurePosixPath("fixtures/e2e")
SCENARIO = "scenario.json"
HIDDEN = HIDDEN_TESTS
PROOFS = "proofs"
MakeSeed = Callable[[object], Seed]
"""Gives a seed by its specification; paths count from the pack's folder."""
NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
"""What scenarios may be called: they are folders, units of a study, and stand in links."""
_SEEDS = "seeds"
_RECIPE = "seed.yaml"
_SNAPSHOT = "snapshot"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPack:
    """A pack and its scenarios, in the order of their ids; `library` has the bugs of its seeds."""

    folder: Path
    pack: Pack
    scenarios: tuple[Scenario, ...]
    library: Library = field(default_factory=dict)

    def place(self, scenario: Scenario) -> PurePosixPath:
        """Gives the scenario's folder, from the pack's."""
        return SCENARIOS / scenario.id

    def seed(self, scenario: Scenario, *, is_clean: bool = False) -> dict[str, Any]:
        """Gives the specification of the seed that an agent starts from, or of it without a bug."""
        if scenario.seed == REPOSITORY:
            return {"folder": str(self.place(scenario) / REPOSITORY)}
        spec = self.seed_named(scenario.seed)
        return spec | ({"bug": scenario.bug_id} if scenario.bug_id and not is_clean else {})

    def seed_named(self, name: str) -> dict[str, Any]:
        """Gives the specification of a seed of the pack, without a bug."""
        snapshot = self.folder / _SEEDS / name / _SNAPSHOT
        if not snapshot.is_dir():
            return {"recipe": f"{_SEEDS}/{name}"}
        kind = "repository" if snapshot.joinpath(".git").exists() else "folder"
        return {kind: f"{_SEEDS}/{name}/{_SNAPSHOT}"}

    def bug(self, scenario: Scenario) -> dict[str, Any]:
        """Gives what the seed's recipe says of the scenario's bug; nothing where there is none."""
        return dict(self.library.get(scenario.seed, {}).get(scenario.bug_id or "", {}))


def read_pack(folder: Path) -> ReadPack:
    """Reads a pack and holds every scenario against what it needs.

    Raises:
        InputError: names everything that is wrong or missing, a line each.
    """
    path = folder / PACK
    if not path.is_file():
        beside = [one.parent.name for one in sorted(folder.glob(f"*/{PACK}"))]
        raise InputError(
            f"there is no {path}",
            wanted="the folder of a scenario pack: pack.yaml, seeds/, fixtures/e2e/",
            mend=f"name {folder / beside[0]}" if beside else "",
            code="no_pack",
        )
    _refuse([*special_files(folder)])
    pack, faults = _pack(path)
    faults += link_faults(folder)
    library = dict(_library(folder / _SEEDS, faults))
    skills = frozenset(one.parent.name for one in folder.glob("skills/*/SKILL.md"))
    snapshots = [one.parent.name for one in folder.glob(f"{_SEEDS}/*/{_SNAPSHOT}")]
    faults += (f"{PACK}: {fault}" for fault in pack_faults(pack, library, skills, snapshots))
    scenarios: list[Scenario] = []
    for name in _names(pack, folder):
        if not NAME.fullmatch(name):
            faults.append(
                f"scenario {name!r}; wanted small letters, digits, dots, dashes and underscores"
            )
            continue
        read, found = _scenario(folder, name, library, skills)
        faults += (f"{SCENARIOS / name}/{SCENARIO}: {fault}" for fault in found)
        scenarios += [read] if read is not None else []
    if not scenarios and not faults:
        faults.append(f"there is no scenario below {SCENARIOS}")
    _refuse(faults)
    return ReadPack(folder=folder, pack=pack, scenarios=tuple(scenarios), library=library)


def _refuse(faults: list[str]) -> None:
    if faults:
        n_faults = f"{len(faults)} fault{'s' * (len(faults) > 1)}"
        raise InputError(
            f"{n_faults} in the pack:" + "".join(f"\n  {fault}" for fault in faults),
            wanted="scenarios as docs/reference/scenario-packs.md has them",
            code="bad_pack",
        )


def _pack(path: Path) -> tuple[Pack, list[str]]:
    try:
        value = parse(path.read_bytes(), name=PACK).value
        pack = msgspec.convert(value, Pack)
    except msgspec.ValidationError as error:
        raise InputError(
            plainly(error),
            wanted="name, version, origin and what is in it",
            where=PACK,
            code="bad_pack",
        ) from error
    told = (*unknown_keys(value, Pack), *unseen_texts(value))
    return pack, [f"{PACK}: {fault}" for fault in told]


def _names(pack: Pack, folder: Path) -> list[str]:
    found = sorted(one.name for one in folder.joinpath(SCENARIOS).glob("*") if one.is_dir())
    return list(dict.fromkeys(pack.scenarios)) or found


def _scenario(
    folder: Path, name: str, library: Library, skills: frozenset[str]
) -> tuple[Scenario | None, list[str]]:
    """Gives a scenario and what is wrong with it; null where it cannot be read."""
    place = SCENARIOS / name
    try:
        content = folder.joinpath(place, SCENARIO).read_bytes()
        scenario = decode(content, Scenario)
    except OSError as error:
        return None, [str(error.strerror or error)]
    except InputError as error:
        return None, [*doubled_keys(content), error.found]
    found = [
        *doubled_keys(content),
        *unknown_keys(msgspec.json.decode(content), Scenario),
        *unseen_texts(msgspec.json.decode(content)),
        *scenario_faults(scenario, name, library),
        *file_faults(scenario, folder / place),
        *list_faults(scenario, folder / place),
        *state_faults(scenario, folder),
    ]
    skill = scenario.skill_under_test
    if skill and skills and skill not in skills:
        found.append(f"skill_under_test is {skill!r}; the pack has {', '.join(sorted(skills))}")
    return scenario, found


def _library(folder: Path, faults: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields each seed and the bugs that its recipe names; adds what is wrong with a recipe."""
    for place in sorted(one for one in folder.glob("*") if one.is_dir()):
        recipe = place / _RECIPE
        where = f"{_SEEDS}/{place.name}/{_RECIPE}"
        if not recipe.is_file():
            if place.joinpath(_SNAPSHOT).is_dir():
                yield place.name, {}
            else:
                faults.append(f"there is no {where}, and no folder {_SNAPSHOT} beside it")
            continue
        try:
            value = parse(recipe.read_bytes(), name=where).value
        except InputError as error:
            faults.append(str(error))
            continue
        given = value.get("bugs") if isinstance(value, dict) else None
        bugs = [one for one in given or [] if isinstance(one, dict) and "id" in one]
        names = [str(one["id"]) for one in bugs]
        faults += (
            f"{where}: bug {name!r} stands there twice"
            for name in sorted({name for name in names if names.count(name) > 1})
        )
        yield place.name, {str(one["id"]): one for one in bugs}
