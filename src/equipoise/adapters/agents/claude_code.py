"""Runs Claude Code: one headless session, told from its transcript and its last event."""

import json
import uuid
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from equipoise.adapters.agents.asked import check_task, no_switch, prompt_of, write_given
from equipoise.adapters.agents.layout import GIVEN, OWN, Layout
from equipoise.adapters.agents.options import Options
from equipoise.adapters.agents.programs import (
    in_package,
    missing,
    no_program,
    on_path,
    probed,
)
from equipoise.adapters.agents.telling import Found, told
from equipoise.adapters.agents.transcripts import of_subagents, printed, transcript
from equipoise.adapters.transcripts.files import found_in
from equipoise.ports.agents import Available, Ended, Job, Mount, Task, Told
from equipoise.records.call import ModelCall

MEND = "pip install 'equipoise[claude]', or put claude on PATH"

_KEYS = (
    *("program", "arguments", "environment", "bare", "api_retries", "max_budget_usd"),
    "setting_sources",
)
_SOURCES = frozenset({"project", "local"})
_OWN_TOOLS = frozenset({"DeferredToolPlaceholder"})
_PLUGIN, _SETTINGS = "plugin", "settings.json"
_MANIFEST = f"{_PLUGIN}/.claude-plugin/plugin.json"


class ClaudeCode:
    """The harness of Claude Code.

    No settings of a user or machine are read, no MCP server, no memory; those of the project only
    with ``setting_sources: [project]``. Skills come as a
    plugin of the cell's own, hooks as settings of the cell's own. ``bare`` starts it without hooks,
    skills and project notes.
    """

    name = "claude-code"
    is_simulated = False

    def __init__(self, spec: Any, root: Path, layout: Layout) -> None:
        """Reads its options.

        Raises:
            InputError: one is wrong.
        """
        options = Options(spec, _KEYS, self.name, root)
        self._layout = layout
        self._asked = options.path("program")
        self._arguments = options.texts("arguments")
        self._environment = options.words("environment")
        self._is_bare = options.flag("bare")
        self._retries = int(options.number("api_retries", 3))
        self._budget = options.text("max_budget_usd")
        self._sources = options.texts("setting_sources")
        if set(self._sources) - _SOURCES:
            raise options.wrong("setting_sources", self._sources, "project, local, or none")
        self._version = ""

    async def probe(self) -> Available:
        """Says whether Claude Code is here, and which version."""
        program = self._program()
        if program is None:
            return missing("Claude Code", MEND)
        quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
        found = await probed([str(program), "--version"], MEND, quiet)
        self._version = found.version
        return found

    def check(self, task: Task) -> None:
        """Refuses what it could not do; see `ports.agents.ChecksTasks`.

        Raises:
            InputError: the model is not named exactly, or a switch is asked for that it lacks.
        """
        check_task(task, self.name, has_hooks=not self._is_bare)
        if self._is_bare and task.skills and not task.is_skill_forced:
            mend = "leave `bare` out, or set `skill_forced`"
            raise no_switch("a bare session offers no skills", "an arm without skills", mend)

    def job(self, task: Task) -> Job:
        """Writes the cell's configuration and gives the job.

        Raises:
            InputError: the model is not named exactly, a switch is asked for that a bare session
                lacks, or Claude Code is not here.
        """
        self.check(task)
        program = self._program()
        if program is None:
            raise no_program("Claude Code", MEND)
        write_given(task, self._given(task))
        layout = self._layout
        (task.home / OWN / "claude").mkdir(exist_ok=True)
        given = task.home / GIVEN / _PLUGIN / "skills"
        for skill in task.skills:
            if not task.is_skill_forced:
                given.joinpath(skill.name).mkdir(parents=True, exist_ok=True)
        return Job(
            argv=[layout.program(program), *self._argv(task)],
            lease=f"{task.request.trial}/agent",
            folder=layout.workspace(task),
            environment=self._around(task),
            mounts=[*layout.mounts(task), layout.mount(program), *self._skill_mounts(task)],
            stdin=prompt_of(task).encode(),
            bounds=task.bounds,
        )

    def next_job(self, task: Task, number: int) -> Job:
        """Gives the job that goes on with the session, by its id, with what the user says."""
        first = self.job(task)
        argv = ["--resume" if word == "--session-id" else word for word in first.argv]
        return replace(first, argv=argv, stdin=task.turns[number - 2].encode())

    def told(self, task: Task, ended: Ended, calls: Sequence[ModelCall]) -> Told:
        """Reads the transcript; how it ended and what was offered stand in the printed events."""
        own = task.home / OWN
        session = _session(task)
        found = found_in(own / "claude" / "projects", (".jsonl",))
        main = next((path for path in found if path.name == f"{session}.jsonl"), None)
        read = transcript(main, own, self.name)
        inner = of_subagents([path for path in found if path != main], own, self.name)
        stream, n_bad = printed(ended.stdout, self.name)
        has_list = stream is not None and "skills" in stream.offered and not self._is_bare
        return told(
            task,
            ended,
            calls,
            Found(
                harness=self.name,
                facts=read.facts,
                stream=stream,
                signs=read.signs,
                n_bad_lines=read.n_bad_lines + n_bad,
                counts=self._retried(stream) | inner.counts,
                documents=inner.documents
                | ({} if read.content is None else {"transcript.jsonl": read.content}),
                given=self._given(task),
                acts=inner.acts,
                version=self._version,
                own_tools=_OWN_TOOLS,
                offered_skills=stream.offered["skills"] if has_list and stream else None,
            ),
        )

    @staticmethod
    def _retried(stream: Any) -> dict[str, int]:
        n_retries = stream.counts.get("api_retries", 0) if stream is not None else 0
        return {"api_retries": n_retries} if n_retries else {}

    def _program(self) -> Path | None:
        bundled = in_package("claude_agent_sdk", "_bundled/claude")
        path = self._asked or bundled or on_path("claude")
        return path.resolve() if path is not None and path.is_file() else None

    def _argv(self, task: Task) -> list[str]:
        given = self._layout.given(task)
        argv = ["-p", "--model", task.model, "--output-format", "stream-json", "--verbose"]
        argv += ["--session-id", _session(task), "--permission-mode", "bypassPermissions"]
        argv += ["--setting-sources", ",".join(self._sources), "--strict-mcp-config"]
        argv += ["--bare"] if self._is_bare else []
        if task.tools:
            argv += ["--tools", ",".join(task.tools)]
        if task.max_turns is not None:
            argv += ["--max-turns", str(task.max_turns)]
        if self._budget:
            argv += ["--max-budget-usd", self._budget]
        if task.system_prompt:
            argv += ["--append-system-prompt", task.system_prompt]
        if task.skills and not task.is_skill_forced:
            argv += ["--plugin-dir", f"{given}/{_PLUGIN}"]
        if task.hooks:
            argv += ["--settings", f"{given}/{_SETTINGS}"]
        return [*argv, *self._arguments]

    def _around(self, task: Task) -> dict[str, str]:
        layout = self._layout
        has_socket = layout.has_socket(task)
        reach = {"ANTHROPIC_UNIX_SOCKET": layout.socket(task)} if has_socket else {}
        return {
            **layout.environment(task),
            **reach,
            "ANTHROPIC_BASE_URL": "http://127.0.0.1:1" if has_socket else task.route.url,
            "ANTHROPIC_API_KEY": task.route.token,
            "CLAUDE_CONFIG_DIR": f"{layout.own(task)}/claude",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
            "CLAUDE_CODE_MAX_RETRIES": str(self._retries),
            "DISABLE_AUTOUPDATER": "1",
            "MCP_CONNECTION_NONBLOCKING": "false",
            "IS_SANDBOX": "1",
            **self._environment,
        }

    def _given(self, task: Task) -> dict[str, bytes]:
        files = {}
        if task.skills and not task.is_skill_forced:
            plugin = {"name": "study", "version": "1.0.0", "description": "The study's skills."}
            files[_MANIFEST] = json.dumps(plugin).encode()
        if task.hooks:
            hooks = {
                event: [{"hooks": [{"type": "command", "command": command}]}]
                for event, command in task.hooks.items()
            }
            files[_SETTINGS] = json.dumps({"hooks": hooks}, indent=1, sort_keys=True).encode()
        return files

    def _skill_mounts(self, task: Task) -> list[Mount]:
        if task.is_skill_forced:
            return []
        place = f"{self._layout.given(task)}/{_PLUGIN}/skills"
        stood = [self._layout.stood(one, f"{place}/{one.name}") for one in task.skills]
        return [mount for mounts in stood for mount in mounts]


def made(spec: Any, root: Path, layout: Layout) -> ClaudeCode:
    """Gives the harness of Claude Code.

    Raises:
        InputError: an option is wrong.
    """
    return ClaudeCode(spec, root, layout)


def _session(task: Task) -> str:
    """The id of the cell's session: its own trial's, so that its transcript is found by name."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"equipoise:{task.request.trial}"))
