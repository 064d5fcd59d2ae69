"""The hidden tests of a study: named by its units, sealed with its plan, given to no agent."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from equipoise.errors import NotEstimable, Tampered
from equipoise.ports.suites import hash_of
from equipoise.records.catalog import Catalog
from equipoise.records.plan import ArmPlan, Plan
from equipoise.stages.grade.suite_specs import SuiteSpec
from equipoise.stages.grade.templates import as_text, filled
from equipoise.stages.plan.units import Unit
from equipoise.studies.loss.sealed import Sealed

_GONE = "gone"


def hidden_of(study: Path, catalog: Catalog, units: Iterable[Unit]) -> dict[str, str]:
    """Gives what the catalog's suites name for these units: path -> hash over names and contents.

    Of what is not there, the hash is empty. A unit that expects no such tests names none.
    """
    specs = [SuiteSpec.model_validate(c.check["suite"]) for c in catalog.categories if _has(c)]
    names = {name for unit in units for spec in specs for name in _named(spec, unit)}
    return {name: _hash(study / name) for name in sorted(names)}


def missing(hidden: Mapping[str, str]) -> list[str]:
    """Gives what is not there of the hidden tests, in words."""
    return [
        f"the hidden tests {name!r}; mend: put them there, or mend what the units expect"
        for name, sha256 in hidden.items()
        if not sha256
    ]


def seen_by_agents(
    hidden: Mapping[str, str], arms: Iterable[ArmPlan], fill: Callable[[Any], Iterable[Any]]
) -> Iterator[str]:
    """Yields a fault for each folder that an agent gets and in which hidden tests lie.

    `fill` gives what a template of an arm becomes for each unit.
    """
    for arm in arms:
        agent = arm.system.get("agent")
        if not isinstance(agent, dict):
            continue
        given = {_folder(one) for one in fill(agent.get("seed"))}
        given |= {*_texts(agent.get("skills")), *_mounted(agent.get("harness"))}
        for folder in sorted(filter(None, given)):
            for name in hidden:
                if _is_in(name, folder):
                    yield (
                        f"study.yaml: arm {arm.name!r} gives its agent {folder!r}, in which the "
                        f"hidden tests {name!r} lie; mend: put them beside it"
                    )


def refuse_changed(sealed: Sealed) -> None:
    """Does nothing where the hidden tests are those that the plan was sealed with.

    Raises:
        Tampered: some were changed, or are gone.
    """
    for name, sha256 in sealed.plan.hidden.items():
        found = _hash(sealed.root / name) or _GONE
        if found != sha256:
            raise Tampered(
                f"the hidden tests {name} were changed after sealing: their sha256 is "
                f"{found[:16]}…, sealed was {sha256[:16]}…; mend: put the sealed ones back; other "
                "tests are another version of the catalog, under another name (of an outcome "
                "study: equipoise amend --hidden-tests)"
            )


def changed(study: Path, plan: Plan) -> dict[str, str]:
    """Gives the hidden tests that are not as they were sealed: path -> the hash that it has now."""
    found = {name: _hash(study / name) for name in plan.hidden}
    return {name: sha256 for name, sha256 in found.items() if sha256 != plan.hidden[name]}


def _has(category: Any) -> bool:
    return "suite" in category.check


def _named(spec: SuiteSpec, unit: Unit) -> Iterator[str]:
    expected = {"expected": unit.holdout.expected}
    for text in filter(None, (spec.tests, spec.reference)):
        try:
            name = filled(text, expected, as_text)
        except NotEstimable:
            continue
        yield str(PurePosixPath(name))


def _hash(path: Path) -> str:
    return hash_of(path) if path.exists() else ""


def _folder(seed: Any) -> str:
    if isinstance(seed, Mapping):
        seed = seed.get("folder")
    return seed if isinstance(seed, str) else ""


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _mounted(harness: Any) -> Iterator[str]:
    """Yields the files and folders that a harness's own options show to its sessions."""
    for options in harness.values() if isinstance(harness, Mapping) else ():
        mounts = options.get("mounts") if isinstance(options, Mapping) else None
        if isinstance(mounts, Mapping):
            yield from (one for one in mounts.values() if isinstance(one, str))


def _is_in(name: str, folder: str) -> bool:
    """Says whether a path lies in another, or that in it."""
    one, other = PurePosixPath(name), PurePosixPath(folder)
    return one.is_relative_to(other) or other.is_relative_to(one)
