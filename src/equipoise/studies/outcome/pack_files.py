"""Holds the files of a pack against what names them: there, inside, no links, none left out."""

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from equipoise.errors import nearest
from equipoise.records.scenario import Scenario

HIDDEN_TESTS = "hidden-tests"
_PATCH = b"diff --git "
_TREES = frozenset({"snapshot", "onboarding", "seed-repo"})
_STAGES = "stages"


def link_faults(folder: Path) -> Iterator[str]:
    """Yields each symbolic link in a pack: what it means elsewhere is another thing.

    The files of a seed may hold links among themselves, as those of any project.
    """
    for parent, folders, names in os.walk(folder):
        for name in sorted([*folders, *names]):
            path = Path(parent, name)
            if path.is_symlink() and not _is_of_a_seed(path, folder):
                yield (
                    f"{path.relative_to(folder).as_posix()} is a symbolic link; a pack holds files "
                    "of its own; mend: put a copy there"
                )


def special_files(folder: Path) -> Iterator[str]:
    """Yields each named pipe, socket and device in a pack: who reads one waits for ever."""
    for parent, _, names in os.walk(folder):
        for name in sorted(names):
            path = Path(parent, name)
            mode = path.lstat().st_mode
            if not stat.S_ISREG(mode) and not stat.S_ISLNK(mode):
                yield (
                    f"{path.relative_to(folder).as_posix()} is no file, but a pipe, a socket or a "
                    "device; mend: remove it"
                )


def _is_of_a_seed(path: Path, pack: Path) -> bool:
    """Says whether a link and what it leads to lie in the same tree of a seed."""
    for parent in path.relative_to(pack).parents:
        if parent.name in _TREES or parent.parent.name == _STAGES:
            return path.resolve().is_relative_to((pack / parent).resolve())
    return False


def file_faults(scenario: Scenario, folder: Path) -> Iterator[str]:
    """Yields what is wrong with the files that a scenario names, and those that it forgot.

    Args:
        scenario: the scenario.
        folder: its folder.
    """
    for one in _tests(scenario):
        yield from _wrong(folder, f"{HIDDEN_TESTS}/{one}", "hidden test")
    for one in dict.fromkeys(_patches(scenario)):
        faults = list(_wrong(folder, one, "patch"))
        yield from faults
        content = b"" if faults else folder.joinpath(one).read_bytes()
        if content.strip() and _PATCH not in content:
            yield f"patch {one} is none; wanted: what `git diff` prints"
    if scenario.items:
        yield from _wrong(folder, scenario.items, "expert decomposition")
    yield from _group_faults(scenario, folder)


def _wrong(folder: Path, name: str, what: str) -> Iterator[str]:
    path, root = folder / name, folder.resolve()
    if not path.resolve().is_relative_to(root):
        yield f"{what} {name} leads out of the scenario's folder"
    elif not path.is_file():
        there = [one.relative_to(folder).as_posix() for one in folder.rglob(f"*{path.suffix}")]
        meant = nearest(name, sorted(there))
        yield f"there is no file {name} ({what})" + (f"; {meant}" if meant else "")


def _group_faults(scenario: Scenario, folder: Path) -> Iterator[str]:
    hidden = scenario.hidden_tests
    groups = {"explicit": hidden.explicit, "implicit": hidden.implicit}
    for group, files in groups.items():
        for one in files:
            if not one.startswith(f"{group}/"):
                yield f"hidden test {one} does not lie in {HIDDEN_TESTS}/{group}/"
        for one in sorted({one for one in files if files.count(one) > 1}):
            yield f"hidden test {one} is named twice"
    named = {one for files in groups.values() for one in files}
    for path in sorted(folder.joinpath(HIDDEN_TESTS).rglob("*.py")):
        inner = path.relative_to(folder / HIDDEN_TESTS).as_posix()
        if inner not in named and _is_test(path) and "__pycache__" not in path.parts:
            yield (
                f"hidden test {inner} lies in {HIDDEN_TESTS} and is named in no group; mend: add "
                "it to hidden_tests, or delete it"
            )


def _is_test(path: Path) -> bool:
    return path.name.startswith("test") or path.stem.endswith("_test")


def _tests(scenario: Scenario) -> Iterable[str]:
    hidden = scenario.hidden_tests
    return dict.fromkeys((*hidden.explicit, *hidden.implicit))


def _patches(scenario: Scenario) -> Iterator[str]:
    proofs = scenario.proofs
    if proofs is not None:
        given = (proofs.reference, proofs.third_party, proofs.literal, proofs.senior)
        yield from (one for one in (*given, *proofs.near_misses) if one)
