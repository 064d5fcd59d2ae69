"""Renders what a session of an arm would be given, without starting anything."""

import json
import tempfile
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from equipoise.ports.agents import Isolation, Job, Mount, Route, Task
from equipoise.ports.suites import hash_of
from equipoise.records.brief import Brief, Request
from equipoise.records.codec import digest
from equipoise.wiring import agent

_HERE = "equipoise.adapters.systems"
_SHOWN = 200


def rendered(
    study: Path, spec: Mapping[str, Any], unit: str, prompt: str, arm: str = "arm"
) -> dict[str, str]:
    """Gives every part of a session by its name: arguments, variables, prompt, files, mounts.

    What is long stands as its hash. Folders of the cell are named apart from where they happen to
    be, so that two renderings can be held against each other.

    Args:
        study: the study folder.
        spec: of the arm's agent, with skills as folders of the study.
        unit: the scenario's id.
        prompt: the scenario's prompt.
        arm: its name; two arms are held together under one.

    Raises:
        InputError: the specification is wrong, or the harness's program is not here.
    """
    setting = import_module(f"{_HERE}.setting").Setting(folder=study)
    options = import_module(f"{_HERE}.agent_options").AgentOptions.of(dict(spec), setting)
    name, given = next(iter(options.harness.items()))
    made = agent(name, given, study, Isolation.NAMESPACES)
    with tempfile.TemporaryDirectory(prefix="equipoise-render-") as folder:
        home = Path(folder, "home")
        home.mkdir()
        task = Task(
            request=_request(unit, prompt, arm),
            prompt=prompt,
            model=options.model,
            route=Route(trial="trial", url="http://model", socket=Path(folder, "s"), token=""),
            workspace=Path(folder, "workspace"),
            home=home,
            tools=options.tools,
            skills=options.skills,
            is_skill_forced=options.is_skill_forced,
            system_prompt=options.system_prompt,
            hooks=options.hooks,
            max_turns=options.max_turns,
            bounds=options.bounds,
        )
        return _parts(made.job(task), Path(folder))


def _request(unit: str, prompt: str, arm: str) -> Request:
    return Request(
        trial="trial",
        brief=Brief(unit=unit, content={"prompt": prompt}, labels={}),
        arm=arm,
        repetition=1,
        attempt=1,
        seed=0,
        timeout_s=600.0,
    )


def _parts(job: Job, folder: Path) -> dict[str, str]:
    def told(text: str) -> str:
        return text.replace(str(folder), "CELL")

    parts = {f"argument {number}": told(one) for number, one in enumerate(job.argv)}
    parts |= {f"variable {name}": told(value) for name, value in job.environment.items()}
    parts["prompt"] = told(job.stdin.decode("utf-8", "replace"))
    parts["folder"] = told(job.folder)
    for path in sorted(folder.joinpath("home").rglob("*")):
        if path.is_file():
            content = told(path.read_text(encoding="utf-8", errors="replace"))
            parts[f"file {path.relative_to(folder / 'home').as_posix()}"] = content
    parts |= {f"mount {one.target}": _mounted(one, folder) for one in job.mounts}
    return {name: _short(text) for name, text in parts.items()}


def _mounted(mount: Mount, folder: Path) -> str:
    """Says what is mounted: a skill or a file of ours by what is in it, a program by its place."""
    if mount.source.is_relative_to(folder):
        return f"CELL/{mount.source.relative_to(folder).as_posix()}"
    if mount.source.joinpath("SKILL.md").is_file():
        return f"skill {mount.source.name}, sha256 {hash_of(mount.source)}"
    return str(mount.source)


def _short(text: str) -> str:
    if len(text) <= _SHOWN:
        return json.dumps(text, ensure_ascii=False)
    return f"{len(text)} characters, sha256 {digest(text.encode())}"
