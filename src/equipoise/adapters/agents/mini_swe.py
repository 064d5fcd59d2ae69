"""Runs mini-swe-agent: its own loop and prompts, with a model that speaks to the gateway."""

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from equipoise.adapters.agents.asked import (
    check_task,
    no_switch,
    prompt_of,
    skill_description,
    write_given,
)
from equipoise.adapters.agents.layout import OWN, Layout, inside
from equipoise.adapters.agents.options import Options
from equipoise.adapters.agents.programs import missing, probed
from equipoise.adapters.agents.telling import found_in, told
from equipoise.adapters.agents.transcripts import transcript
from equipoise.ports.agents import Available, Ended, Job, Mount, Task, Told
from equipoise.records.call import ModelCall

MEND = "pip install 'equipoise[mini]' && pip install --no-deps mini-swe-agent"

_KEYS = ("python", "environment", "step_timeout_s", "request_timeout_s", "retries", "temperature")
_SETTINGS = "mini-swe.json"
_TRAJECTORY = "trajectory.traj.json"
_TOOL = "bash"
_ENVIRONMENT = "python-env"
_STEPS = 250


class MiniSwe:
    """The harness of mini-swe-agent, without litellm.

    It has one tool, a shell. A skill is offered as its users offer it: by name, description and
    place in the system prompt, to be read with the shell.
    """

    name = "mini-swe"
    is_simulated = False

    def __init__(self, spec: Any, root: Path, layout: Layout) -> None:
        """Reads its options: ``python`` (an interpreter that has it), time-outs, retries.

        Raises:
            InputError: an option is wrong.
        """
        options = Options(spec, _KEYS, self.name, root)
        self._layout = layout
        self._python = options.path("python")
        self._environment = options.words("environment")
        self._step_s = options.number("step_timeout_s", 60)
        self._request_s = options.number("request_timeout_s", 300)
        self._retries = int(options.number("retries", 3))
        self._temperature = options.some_number("temperature")
        self._version = ""

    async def probe(self) -> Available:
        """Says whether mini-swe-agent is here, and which version."""
        if self._python is None and find_spec("minisweagent") is None:
            return missing("mini-swe-agent", MEND)
        program = "from importlib.metadata import version; import minisweagent.agents.default"
        asked = [str(self._python or sys.executable), "-c"]
        told_version = f"{program}; print(version('mini-swe-agent'))"
        found = await probed([*asked, told_version], MEND, {"MSWEA_SILENT_STARTUP": "1"})
        self._version = found.version
        return found

    def check(self, task: Task) -> None:
        """Refuses what it could not do; see `ports.agents.ChecksTasks`.

        Raises:
            InputError: the model is not named exactly, or a switch is asked for that it lacks.
        """
        check_task(task, self.name, has_hooks=False)
        if set(task.tools) - {_TOOL}:
            what = f"mini-swe-agent offers {_TOOL} and nothing else"
            raise no_switch(what, f"no list of tools, or [{_TOOL}]")

    def job(self, task: Task) -> Job:
        """Writes the cell's settings and gives the job.

        Raises:
            InputError: the model is not named exactly, or a switch is asked for that this harness
                lacks.
        """
        self.check(task)
        write_given(task, self._given(task))
        layout = self._layout
        interpreter, mounts = self._interpreter()
        own = layout.own(task)
        return Job(
            argv=[
                *(interpreter, "-P", layout.program(inside("mini_swe"))),
                f"{layout.given(task)}/{_SETTINGS}",
            ],
            lease=f"{task.request.trial}/agent",
            folder=layout.workspace(task),
            environment={
                **layout.environment(task),
                "EQUIPOISE_ROUTE_TOKEN": task.route.token,
                "MSWEA_GLOBAL_CONFIG_DIR": f"{own}/mini-swe",
                "MSWEA_CONFIGURED": "true",
                "MSWEA_SILENT_STARTUP": "1",
                "PYTHONDONTWRITEBYTECODE": "1",
                **self._environment,
            },
            mounts=[*layout.mounts(task), *mounts, layout.mount(inside("mini_swe"))],
            stdin=prompt_of(task).encode(),
            bounds=task.bounds,
        )

    def told(self, task: Task, ended: Ended, calls: Sequence[ModelCall]) -> Told:
        """Reads the trajectory."""
        own = task.home / OWN
        read = transcript(own / _TRAJECTORY, own, self.name)
        found = found_in(read, self.name, "transcript.json")
        found = replace(found, given=self._given(task), version=self._version)
        return told(task, ended, calls, found)

    def _given(self, task: Task) -> dict[str, bytes]:
        layout = self._layout
        settings = {
            "model": task.model,
            "socket": layout.socket(task) if layout.has_socket(task) else "",
            "url": "http://model" if layout.has_socket(task) else task.route.url,
            "system_prompt": self._system_prompt(task),
            "folder": layout.workspace(task),
            "output": f"{layout.own(task)}/{_TRAJECTORY}",
            "max_turns": _STEPS if task.max_turns is None else task.max_turns,
            "step_timeout_s": self._step_s,
            "timeout_s": self._request_s,
            "retries": self._retries,
            "temperature": self._temperature,
        }
        return {_SETTINGS: json.dumps(settings, indent=1, sort_keys=True).encode()}

    def _system_prompt(self, task: Task) -> str:
        if task.is_skill_forced or not task.skills:
            return task.system_prompt
        lines = "\n".join(self._skill_line(skill) for skill in task.skills)
        offer = f"Skills that may help; read the file of one before you use it:\n{lines}"
        return f"{task.system_prompt}\n\n{offer}".strip()

    def _skill_line(self, skill: Path) -> str:
        place = f"{self._layout.skill(skill)}/SKILL.md"
        return f"- {skill.name}: {skill_description(skill)} ({place})"

    def _interpreter(self) -> tuple[str, list[Mount]]:
        """The interpreter as the job sees it, with the mounts of its environment and its base."""
        prefix, base = _prefixes(str(self._python or sys.executable))
        bases = [] if base.is_relative_to("/usr") else [Mount(source=base, target=str(base))]
        if prefix == base:
            return str(self._python or sys.executable), bases
        if not self._layout.has_own_places:
            same = Mount(source=prefix, target=str(prefix))
            return str(self._python or sys.executable), [*bases, same]
        place = f"/opt/{_ENVIRONMENT}"
        return f"{place}/bin/python", [*bases, Mount(source=prefix, target=place)]


def made(spec: Any, root: Path, layout: Layout) -> MiniSwe:
    """Gives the harness of mini-swe-agent.

    Raises:
        InputError: an option is wrong.
    """
    return MiniSwe(spec, root, layout)


@cache
def _prefixes(python: str) -> tuple[Path, Path]:
    if python == sys.executable:
        return Path(sys.prefix).resolve(), Path(sys.base_prefix).resolve()
    asked = "import sys; print(sys.prefix); print(sys.base_prefix)"
    done = subprocess.run(  # noqa: S603  the interpreter that the study names
        [python, "-I", "-c", asked], capture_output=True, text=True, check=True
    )
    prefix, base = done.stdout.splitlines()
    return Path(prefix).resolve(), Path(base).resolve()
