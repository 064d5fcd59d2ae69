"""Finds the sandbox and the seeds of an agent system by the words of the study."""

import threading
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import Any

from equipoise.errors import Blocked, InputError
from equipoise.ports.agents import Available, Sandbox, Seed

_CHOSEN = "equipoise.adapters.sandboxes.choosing:chosen"
_SURVEYED = "equipoise.adapters.sandboxes.choosing:surveyed"
_STORE = "equipoise.adapters.workspaces.store:SeedStore"
_WOVEN = "equipoise.adapters.workspaces.woven:read_recipe"
_SEED_KINDS = ("folder", "repository", "commit", "recipe", "bug", "bare")


async def sandbox(allowed: Sequence[str]) -> tuple[Sandbox, Available]:
    """Gives the first sandbox that works here of those that are allowed, and what was found.

    Raises:
        InputError: there is no such sandbox.
        Blocked: none of them works; each mend is told.
    """
    choose, whys = _loaded(_CHOSEN), list[str]()
    for name in allowed:
        try:
            choice = await choose(name)
        except Blocked as error:
            whys.append(str(error))
        else:
            return choice.sandbox, choice.tried[name]
    raise Blocked("; ".join(whys))


async def surveyed() -> Mapping[str, Available]:
    """Tries every sandbox there is, and says what came of it."""
    found: Mapping[str, Available] = await _loaded(_SURVEYED)()
    return found


def seeds_available() -> Available:
    """Says whether git is here, and new enough to make the seeds of agents."""
    found: Available = _loaded("equipoise.adapters.workspaces.git:available")()
    return found


def seeds(setting: Any) -> "Seeds":
    """Gives the seeds of a run, kept beside its other files that will go."""
    keep = setting.ledger.parent if setting.ledger else setting.folder / "work"
    return Seeds(setting.folder, keep)


class Seeds:
    """The seeds of one run, each made once; called from several threads."""

    def __init__(self, folder: Path, keep: Path) -> None:
        """Keeps those of the study in `folder` below `keep`."""
        self._folder = folder
        self._store = _loaded(_STORE)(keep / "seeds")
        self._made: dict[str, Seed] = {}
        self._lock = threading.Lock()

    def __call__(self, spec: Any) -> Seed:
        """Gives the seed of a specification: a folder's name, or ``folder`` or ``repository``.

        Raises:
            InputError: there is no such folder, repository or commit.
        """
        with self._lock:
            key = repr(spec)
            if key not in self._made:
                self._made[key] = self._make(spec)
            return self._made[key]

    def _make(self, spec: Any) -> Seed:
        if isinstance(spec, str):
            spec = {"folder": spec}
        if not isinstance(spec, Mapping) or not spec or not set(spec) <= set(_SEED_KINDS):
            raise InputError(
                f"agent.seed is {spec!r}",
                wanted="the name of a folder, {folder: ...}, {repository: ..., commit: ...}, or "
                "{recipe: seeds/NAME, bug: ...}",
                code="bad_system",
            )
        if "recipe" in spec:
            recipe = _loaded(_WOVEN)(self._folder / inside(spec["recipe"], "agent.seed"))
            is_bare = str(spec.get("bare", "false")).lower() == "true"
            woven: Seed = self._store.from_commits(
                recipe.commits(spec.get("bug") or None, is_onboarded=not is_bare)
            )
            return woven
        if "repository" in spec:
            path = self._folder / str(spec["repository"])
            made: Seed = self._store.from_repository(path, str(spec.get("commit", "HEAD")))
        else:
            made = self._store.from_folder(self._folder / inside(spec.get("folder"), "agent.seed"))
        return made


def inside(name: Any, what: str) -> str:
    """Gives a path that stays in the study's folder."""
    path = PurePosixPath(str(name or ""))
    if not name or path.is_absolute() or ".." in path.parts:
        raise InputError(
            f"{what} is {name!r}",
            wanted="a path inside the study's folder",
            code="outside",
        )
    return str(path)


def _loaded(target: str) -> Any:
    module, _, attribute = target.partition(":")
    return getattr(import_module(module), attribute)
