"""Runs Codex: one session of `codex exec`, told from its rollout file."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from equipoise.adapters.agents.asked import check_task, no_switch, prompt_of, write_given
from equipoise.adapters.agents.layout import GIVEN, OWN, Layout
from equipoise.adapters.agents.options import Options
from equipoise.adapters.agents.programs import (
    Program,
    in_package,
    missing,
    no_program,
    no_tcp,
    on_path,
    probed,
)
from equipoise.adapters.agents.telling import Found, told
from equipoise.adapters.agents.transcripts import of_subagents, printed, transcript
from equipoise.adapters.transcripts.facts import Facts
from equipoise.adapters.transcripts.files import found_in
from equipoise.errors import InputError
from equipoise.ports.agents import Available, Ended, Job, Mount, Task, Told
from equipoise.records.call import ModelCall

MEND = "pip install 'equipoise[codex]', or put codex on PATH"
KEY = "EQUIPOISE_ROUTE_TOKEN"

_KEYS = ("program", "arguments", "environment", "request_retries", "stream_retries")
_OFF = ("plugins", "apps", "unbounded_connection_retries")
_HOOKS = "hooks.json"
_SESSION = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=\.jsonl$)")


class Codex:
    """The harness of the Codex command line.

    Everything is said on its command line: its own provider, no analytics, no plugins, no apps, no
    search of the web by the provider, few retries. Its own sandbox is off, for the job's sandbox is
    around it. Skills are read from a folder of the cell, hooks only where the task has some.
    """

    name = "codex"
    is_simulated = False

    def __init__(self, spec: Any, root: Path, layout: Layout) -> None:
        """Reads its options: ``program``, ``arguments``, ``environment`` and numbers of retries.

        Raises:
            InputError: an option is wrong.
        """
        options = Options(spec, _KEYS, self.name, root)
        self._layout = layout
        self._asked = options.path("program")
        self._arguments = options.texts("arguments")
        self._environment = options.words("environment")
        self._retries = (
            int(options.number("request_retries", 2)),
            int(options.number("stream_retries", 2)),
        )
        self._version = ""

    async def probe(self) -> Available:
        """Says whether Codex is here, and which version."""
        program = self._program()
        if program is None:
            return missing("Codex", MEND)
        if not self._layout.has_tcp:
            return no_tcp("Codex")
        found = await probed([str(program.path), "--version"], MEND)
        self._version = found.version
        return found

    def check(self, task: Task) -> None:
        """Refuses what it could not do; see `ports.agents.ChecksTasks`.

        Raises:
            InputError: the model is not named exactly, or a switch is asked for that it lacks.
        """
        check_task(task, self.name)
        if task.tools:
            mend = "leave `tools` out, or take claude-code"
            raise no_switch("Codex offers the tools of its own choice", "no list of tools", mend)
        if task.max_turns is not None:
            mend = "bound the session by `bounds.wall_s`, or by the provider's `max_usd`"
            raise no_switch("Codex has no limit of turns", "no `max_turns`", mend)

    def job(self, task: Task) -> Job:
        """Writes the cell's configuration and gives the job.

        Raises:
            InputError: the model is not named exactly, a switch is asked for that Codex lacks, or
                Codex is not here.
        """
        self.check(task)
        program = self._program()
        if program is None:
            raise no_program("Codex", MEND)
        write_given(task, self._given(task))
        state = task.home / OWN / "codex"
        state.mkdir(exist_ok=True)
        layout = self._layout
        inner = f"{layout.program(program.folder)}/{program.inner}"
        return Job(
            argv=layout.relayed(task, [inner, *self._argv(task)]),
            lease=f"{task.request.trial}/agent",
            folder=layout.workspace(task),
            environment={
                **layout.environment(task),
                "CODEX_HOME": f"{layout.own(task)}/codex",
                KEY: task.route.token,
                **self._environment,
            },
            mounts=[
                *layout.mounts(task),
                *layout.relay_mounts(task),
                layout.mount(program.folder),
                *self._own_mounts(task),
            ],
            stdin=prompt_of(task).encode(),
            bounds=task.bounds,
        )

    def next_job(self, task: Task, number: int) -> Job:
        """Gives the job that goes on with the session, by the id in its rollout's name.

        Raises:
            InputError: it left no rollout.
        """
        rollouts = found_in(task.home / OWN / "codex" / "sessions", (".jsonl",))
        names = [found[0] for path in rollouts if (found := _SESSION.search(path.name))]
        if not names:
            raise InputError("Codex left no session to go on with", code="no_session")
        first = self.job(task)
        argv = [*first.argv[:-1], "resume", names[0], first.argv[-1]]
        return replace(first, argv=argv, stdin=task.turns[number - 2].encode())

    def told(self, task: Task, ended: Ended, calls: Sequence[ModelCall]) -> Told:
        """Reads the rollout, and of what was printed only what the rollout does not say."""
        own = task.home / OWN
        stream, n_bad = printed(ended.stdout, "codex")
        rollouts = found_in(own / "codex" / "sessions", (".jsonl",))
        main = _main(rollouts, stream)
        read = transcript(main, own, "codex")
        inner = of_subagents([path for path in rollouts if path != main], own, "codex")
        own_document = {} if read.content is None else {"transcript.jsonl": read.content}
        return told(
            task,
            ended,
            calls,
            Found(
                harness=self.name,
                facts=read.facts,
                stream=_better_end(stream, read.facts),
                signs=read.signs,
                n_bad_lines=read.n_bad_lines + n_bad,
                counts=inner.counts,
                documents=inner.documents | own_document,
                acts=inner.acts,
                given=self._given(task),
                version=self._version,
                offered_skills=None if read.facts is None else read.facts.offered.get("skills"),
            ),
        )

    def _program(self) -> Program | None:
        path = self._asked or in_package("codex_cli_bin", "bin/codex") or on_path("codex")
        if path is None or not path.is_file():
            return None
        path = path.resolve()
        folder = path.parent.parent if path.parent.name == "bin" else path.parent
        is_package = folder.joinpath("codex-package.json").is_file()
        return Program(path=path, folder=folder if is_package else path.parent)

    def _argv(self, task: Task) -> list[str]:
        provider: dict[str, str | int] = {
            "name": "gateway",
            "base_url": f"{self._layout.url(task)}/v1",
            "env_key": KEY,
            "wire_api": "responses",
            "request_max_retries": self._retries[0],
            "stream_max_retries": self._retries[1],
        }
        argv = ["exec", "--json", "--skip-git-repo-check", "--color", "never"]
        argv += ["-C", self._layout.workspace(task), "-c", "analytics.enabled=false"]
        argv += ["-c", 'web_search="disabled"']  # the provider would run it, outside every sandbox
        argv += [word for name in _OFF for word in ("--disable", name)]
        argv += ["-c", f"model={_toml(task.model)}", "-c", 'model_provider="gateway"']
        pairs = ", ".join(f"{key}={_toml(value)}" for key, value in provider.items())
        argv += ["-c", f"model_providers.gateway={{{pairs}}}"]
        if task.system_prompt:
            argv += ["-c", f"developer_instructions={_toml(task.system_prompt)}"]
        if task.hooks:
            argv += ["--dangerously-bypass-hook-trust"]
        argv += ["--dangerously-bypass-approvals-and-sandbox", *self._arguments]
        return [*argv, "-"]

    def _given(self, task: Task) -> dict[str, bytes]:
        if not task.hooks:
            return {}
        hooks = {
            event: [{"hooks": [{"type": "command", "command": command}]}]
            for event, command in task.hooks.items()
        }
        return {_HOOKS: json.dumps({"hooks": hooks}, indent=1, sort_keys=True).encode()}

    def _own_mounts(self, task: Task) -> list[Mount]:
        """Skills and hooks stand where Codex looks for them, and cannot be written there."""
        state = f"{self._layout.own(task)}/codex"
        mounts = []
        if task.hooks:
            mounts += self._layout.stood(task.home / GIVEN / _HOOKS, f"{state}/{_HOOKS}")
        if not task.is_skill_forced:
            for skill in task.skills:
                mounts += self._layout.stood(skill, f"{state}/skills/{skill.name}")
        return mounts


def made(spec: Any, root: Path, layout: Layout) -> Codex:
    """Gives the harness of Codex.

    Raises:
        InputError: an option is wrong.
    """
    return Codex(spec, root, layout)


def _main(rollouts: list[Path], stream: Facts | None) -> Path | None:
    """The rollout of the thread that was printed; sub-agents have rollouts of their own."""
    named = [path for path in rollouts if stream and stream.session and stream.session in path.name]
    return next(iter([*named, *rollouts]), None)


def _toml(value: str | int) -> str:
    """A value for ``-c key=value``: JSON strings are TOML strings but for their escapes."""
    return json.dumps(value, ensure_ascii=False)


def _better_end(stream: Facts | None, rollout: Facts | None) -> Facts | None:
    """What was printed says how the turn failed; it is left aside where the rollout has an end."""
    has_end = rollout is not None and any(s.word != "no_end" for s in rollout.signs)
    is_failed = stream is not None and any(s.word == "api_error" for s in stream.signs)
    return stream if is_failed or not has_end else stream and _without_signs(stream, rollout)


def _without_signs(stream: Facts, rollout: Facts | None) -> Facts:
    assert rollout is not None
    return replace(stream, signs=rollout.signs, output=rollout.output)
