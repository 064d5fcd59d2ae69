"""Seeds as packs keep them: stages that are laid over each other, and bugs woven into a stage.

A bug is a replacement of text in the files of the stage that brings the code in, and in all later
ones: no commit, reachable or not, ever holds the right code (X-O10).
"""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from equipoise.adapters.workspaces.recipe import Commit, File, Tag, from_folder
from equipoise.errors import InputError, nearest
from equipoise.records.scenario import bug_reference
from equipoise.records.yaml_text import parse

RECIPE = "seed.yaml"
STAGES = "stages"
ONBOARDING = "onboarding"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Replaced:
    """One replacement of a bug: in which file, what by what, from which stage on."""

    file: str
    old: bytes
    new: bytes
    since: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bug:
    """A bug of the seed's library: its id, its pattern, and how it is woven in."""

    id: str
    pattern: str
    replaced: tuple[Replaced, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """The file `seed.yaml`: the stages in order with who committed them when, and the bugs."""

    folder: Path
    name: str
    stages: tuple[Mapping[str, str], ...]
    bugs: tuple[Bug, ...]

    def commits(self, bug: str | None = None, *, is_onboarded: bool = True) -> list[Commit]:
        """Gives the seed's commits, with a bug woven in, and the onboarding as the last one.

        Raises:
            InputError: there is no such bug or stage, or the bug's text stands in no stage.
        """
        chosen = self._bug(bug)
        n_replaced = 0
        found: list[Commit] = []
        for stage in self.stages:
            files = dict(_clean(from_folder(self.folder / STAGES / stage["stage"])).items())
            for one in chosen.replaced if chosen else ():
                held = files.get(one.file)
                if held is not None and stage["stage"] >= one.since and one.old in held.content:
                    n_replaced += 1
                    content = held.content.replace(one.old, one.new)
                    files[one.file] = File(content=content, is_executable=held.is_executable)
            found.append(
                Commit(
                    message=stage["message"],
                    files=files,
                    author=stage["author"],
                    at=_seconds(stage["at"], self.name),
                    tags=_tags(stage),
                )
            )
        if chosen and not n_replaced:
            raise self._fault(f"bug {bug!r} changes nothing", "its `old` text in a stage")
        overlay = self.folder / ONBOARDING
        if is_onboarded and overlay.is_dir():
            last = found[-1]
            found.append(
                Commit(
                    message="Describe how we work here",
                    files=_clean(from_folder(overlay)),
                    author=last.author,
                    at=(last.at or 0) + 86_400,
                )
            )
        return found

    def _bug(self, bug: str | None) -> Bug | None:
        if bug is None:
            return None
        known = {one.id: one for one in self.bugs}
        asked = next((one for one in self.bugs if bug_reference(one.id) == bug), None)
        if asked is not None:
            return asked
        if bug not in known:
            raise InputError(
                f"seed {self.name} has no bug {bug!r}",
                wanted=f"one of {', '.join(known) or 'none: it has no bugs'}",
                mend=nearest(bug, list(known)),
                where=str(self.folder / RECIPE),
                code="no_bug",
            )
        return known[bug]

    def _fault(self, found: str, wanted: str) -> InputError:
        return InputError(
            found, wanted=wanted, where=str(self.folder / RECIPE), code="bad_seed_recipe"
        )


def read_recipe(folder: Path) -> Recipe:
    """Reads `seed.yaml` in a seed's folder.

    Raises:
        InputError: there is none, or something of it is missing or of the wrong kind.
    """
    path = folder / RECIPE
    try:
        text = path.read_bytes()
    except OSError as error:
        raise InputError(
            f"{path} cannot be read ({error.strerror})",
            wanted="a seed's recipe: name, commits, bugs",
            code="no_seed",
        ) from error
    value = parse(text, name=str(path)).value
    where = str(path)
    given = _mapping(value, where, "name", "commits", optional=("about", "package", "bugs"))
    stages = tuple(
        {key: str(item) for key, item in one.items()}
        for one in (
            _mapping(
                each, where, "stage", "author", "at", "message", optional=("tag", "tag_message")
            )
            for each in _list(given["commits"], where)
        )
    )
    if not stages:
        raise InputError(
            "a seed without commits", wanted="one or more", where=where, code="no_seed"
        )
    for stage in stages:
        if not _NAME.fullmatch(stage["stage"]):
            raise InputError(
                f"stage {stage['stage']!r}",
                wanted="the name of a folder below stages/",
                where=where,
                code="bad_seed_recipe",
            )
    bugs = tuple(_bug(each, where) for each in _list(given.get("bugs") or [], where))
    return Recipe(folder=folder, name=str(given["name"]), stages=stages, bugs=bugs)


def _bug(value: Any, where: str) -> Bug:
    given = _mapping(value, where, "id", "pattern", "replace")
    replaced: list[Replaced] = []
    for each in _list(given["replace"], where):
        one = _mapping(each, where, "file", "old", "new", optional=("from", "also"))
        pairs = [one, *_list(one.get("also") or [], where)]
        for pair in pairs:
            held = pair if pair is one else _mapping(pair, where, "old", "new")
            replaced.append(
                Replaced(
                    file=str(one["file"]),
                    old=str(held["old"]).strip("\n").encode(),
                    new=str(held["new"] or "").strip("\n").encode(),
                    since=str(one.get("from") or ""),
                )
            )
    return Bug(id=str(given["id"]), pattern=str(given["pattern"]), replaced=tuple(replaced))


def _tags(stage: Mapping[str, str]) -> tuple[Tag, ...]:
    if "tag" not in stage:
        return ()
    return (Tag(name=stage["tag"], message=stage.get("tag_message", "")),)


def _clean(commit: Commit) -> dict[str, File]:
    """Gives the files without what Python caches."""
    return {
        path: held if isinstance(held, File) else File(content=held)
        for path, held in commit.files.items()
        if held is not None and "__pycache__" not in path.split("/")
    }


def _mapping(value: Any, where: str, *needed: str, optional: Sequence[str] = ()) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(
            f"{str(value)[:60]!r}",
            wanted=f"a mapping with {', '.join(needed)}",
            where=where,
            code="bad_seed_recipe",
        )
    lacking = [key for key in needed if key not in value]
    beside = sorted(set(value) - {*needed, *optional})
    if lacking or beside:
        raise InputError(
            f"lacks {', '.join(lacking)}" if lacking else f"has {', '.join(beside)}",
            wanted=f"{', '.join(needed)}"
            + (f" and perhaps {', '.join(optional)}" * bool(optional)),
            where=where,
            code="bad_seed_recipe",
        )
    return value


def _list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise InputError(
            f"{str(value)[:60]!r}", wanted="a list", where=where, code="bad_seed_recipe"
        )
    return value


def _seconds(text: str, seed: str) -> int:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise InputError(
            f"{text!r} is no time",
            wanted="2024-01-06T10:12:00Z",
            where=seed,
            code="bad_seed_recipe",
        ) from None
    return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())


def build(script: str | os.PathLike[str], argv: Sequence[str] | None = None) -> int:
    """Is what a seed's `build-seed.py` calls: writes the repository of the seed beside it.

    The same seed has the same commit hashes on any machine.
    """
    import argparse  # noqa: PLC0415  only where the script is run by hand
    import tempfile  # noqa: PLC0415  as above

    from equipoise.adapters.workspaces.store import SeedStore  # noqa: PLC0415  as above

    parser = argparse.ArgumentParser(description="Writes the repository of a seed.")
    parser.add_argument("to", type=Path, help="a folder that is not there yet")
    parser.add_argument("--bug", help="a bug of seed.yaml that is woven in")
    parser.add_argument("--bare", action="store_true", help="without the onboarding")
    asked = parser.parse_args(argv)
    recipe = read_recipe(Path(script).resolve().parent)
    with tempfile.TemporaryDirectory() as folder:
        commits = recipe.commits(asked.bug, is_onboarded=not asked.bare)
        seed = SeedStore(Path(folder)).from_commits(commits)
        seed.copy(asked.to)
        print(f"{seed.head}  {len(seed.commits)} commits  {asked.to}")  # noqa: T201  a program's
    return 0
