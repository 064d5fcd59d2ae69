"""What a study says of an agent: harness, model, prompt, seed, switches, bounds."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Self

from equipoise.adapters.systems.options import Options
from equipoise.adapters.systems.setting import Setting
from equipoise.adapters.systems.templates import check_placeholders
from equipoise.errors import InputError
from equipoise.ports.agents import Bounds

_KEYS = (
    *("harness", "model", "provider", "prompt", "turns", "seed", "artifacts"),
    *("tools", "skills", "skill_forced", "system_prompt", "hooks", "max_turns"),
    *("sandbox", "bounds"),
)
_SANDBOXES = ("bubblewrap",)
"""What is allowed where the study says nothing: a weaker one has to be asked for."""

_BOUNDS = tuple(field.name for field in fields(Bounds))


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentOptions:
    """The checked specification of an agent.

    `harness` is a mapping of one name to the harness's own options. `seed` and `provider` are as
    the study wrote them; `prompt`, `model` and `seed` may hold placeholders. Of the `sandboxes`
    that are allowed, the first that works is used. `turns` is the key of a unit's brief under which
    a list of texts may stand: what the user says after the first turn.
    """

    harness: Mapping[str, Any]
    model: str
    provider: Any
    prompt: str
    turns: str = ""
    seed: Any = None
    artifacts: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    skills: tuple[Path, ...] = ()
    is_skill_forced: bool = False
    system_prompt: str = ""
    hooks: Mapping[str, str]
    max_turns: int | None = None
    sandboxes: tuple[str, ...]
    bounds: Bounds

    @classmethod
    def of(cls, spec: Any, setting: Setting) -> Self:
        """Reads the specification; paths count from the study's folder.

        Raises:
            InputError: a key, a value, a path or a placeholder is wrong.
        """
        options = Options(spec, _KEYS, "agent")
        harness = options.template("harness")
        made = cls(
            harness={harness: {}} if isinstance(harness, str) else options.mapping("harness"),
            model=options.needed("model"),
            provider=options.template("provider"),
            prompt=options.text("prompt", "{brief.prompt}"),
            turns=options.text("turns", ""),
            seed=options.template("seed"),
            artifacts=_texts(options, "artifacts"),
            tools=_texts(options, "tools"),
            skills=tuple(_skill(setting.folder, path) for path in _texts(options, "skills")),
            is_skill_forced=options.flag("skill_forced", default=False),
            system_prompt=_read(setting.folder, options.text("system_prompt")),
            hooks={str(k): str(v) for k, v in options.mapping("hooks").items()},
            max_turns=_turns(options),
            sandboxes=_texts(options, "sandbox") or _SANDBOXES,
            bounds=_bounds(Options(options.mapping("bounds"), _BOUNDS, "agent.bounds")),
        )
        if len(made.harness) != 1:
            raise InputError(
                f"agent.harness is {harness!r}",
                wanted="one harness: `harness: codex`, or `harness: {command: {argv: [...]}}`",
                code="bad_system",
            )
        for template in (made.model, made.prompt, made.seed):
            check_placeholders(template, setting.environment, where="agent")
        return made

    def bounded(self, timeout_s: float) -> Bounds:
        """Gives the bounds of one session, never longer than the cell's own time-out."""
        return replace(self.bounds, wall_s=min(self.bounds.wall_s, timeout_s))


def _texts(options: Options, key: str) -> tuple[str, ...]:
    value = options.template(key)
    if isinstance(value, str):
        return (value,)
    return tuple(options.texts(key)) if value else ()


def _turns(options: Options) -> int | None:
    turns = next(iter(options.whole_numbers("max_turns")), None)
    if turns is not None and turns < 1:
        raise InputError(
            f"agent.max_turns is {turns}", wanted="a whole number above 0", code="bad_system"
        )
    return turns


def _bounds(options: Options) -> Bounds:
    asked = {name: options.number(name) for name in _BOUNDS}
    real = {"wall_s", "cpu_s"}
    given = {k: v if k in real else int(v) for k, v in asked.items() if v is not None}
    unlimited = Bounds(wall_s=math.inf)  # but for the cell's own time-out
    return replace(unlimited, **given)  # type: ignore[arg-type]  # each name is a field of its kind


def _skill(folder: Path, name: str) -> Path:
    path = folder / name
    if not path.joinpath("SKILL.md").is_file():
        raise InputError(
            f"agent.skills: {name} has no SKILL.md",
            wanted="a folder with a SKILL.md, counted from the study's folder",
            code="no_such_file",
        )
    return path


def _read(folder: Path, name: str) -> str:
    if not name:
        return ""
    try:
        return folder.joinpath(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"agent.system_prompt: {name}: {error}",
            wanted="a text file, counted from the study's folder",
            code="no_such_file",
        ) from error
