"""Runs any program as an agent: an argv of the study, and a transcript in a form that is known."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from equipoise.adapters.agents.asked import check_task, no_switch, prompt_of, write_given
from equipoise.adapters.agents.layout import OWN, Layout
from equipoise.adapters.agents.options import Options, filled
from equipoise.adapters.agents.programs import missing, on_path, probed
from equipoise.adapters.agents.telling import found_in, told, with_signs
from equipoise.adapters.agents.transcripts import FORMS, Transcript, printed, transcript
from equipoise.adapters.transcripts.facts import Facts, Sign
from equipoise.adapters.transcripts.files import Astray, read_whole
from equipoise.errors import InputError, nearest
from equipoise.ports.agents import Available, Ended, HowEnded, Job, Mount, Task, Told
from equipoise.records.call import ModelCall

_KEYS = ("argv", "stdin", "environment", "mounts", "transcript", "result", "version", "calls_model")
_PLACES = (
    *("prompt", "prompt_file", "system_prompt", "model", "url", "token", "workspace", "home"),
    *("unit", "arm", "seed", "max_turns", "skills"),
)
_STDOUT = "stdout"
_PROMPT = "prompt.txt"


class Command:
    """A program that the study names.

    ``argv``, ``stdin`` and ``environment`` are templates. ``mounts``: place inside -> path of the
    study, read-only. ``transcript``: ``form`` (one that is known) and ``path`` in its home, or
    ``stdout``; without it the exit code is all there is. ``result``: the file in the workspace that
    is its answer.
    """

    name = "command"
    is_simulated = False

    def __init__(self, spec: Any, root: Path, layout: Layout) -> None:
        """Reads its options.

        Raises:
            InputError: one is wrong.
        """
        options = Options(spec, _KEYS, self.name, root)
        self._layout = layout
        self._argv = options.texts("argv")
        if not self._argv:
            raise options.wrong("argv", None, "a list of texts, the program first")
        self._stdin = options.text("stdin", "{prompt}")
        self._environment = options.words("environment")
        for template in (*self._argv, self._stdin, *self._environment.values()):
            options.check_places(template, _PLACES)
        self._mounts = {place: root / path for place, path in options.words("mounts").items()}
        self._form, self._path = _transcript(options)
        self._result = options.text("result")
        self._version_argv = options.texts("version")
        self._calls_model = options.flag("calls_model", default=True)
        self._version = ""

    async def probe(self) -> Available:
        """Says whether the program is here; its version where the study says how to ask."""
        mend = f"install {self._argv[0]}, or name it by its path"
        if self._version_argv:
            found = await probed(self._version_argv, mend)
            self._version = found.version
            return found
        if self._is_here():
            return Available(is_available=True)
        return missing(self._argv[0], mend)

    def check(self, task: Task) -> None:
        """Refuses what it could not do; see `ports.agents.ChecksTasks`.

        Raises:
            InputError: the model is not named exactly, or a switch is asked for that it lacks.
        """
        if self._calls_model:
            check_task(task, self.name, has_hooks=False)
        self._check_switches(task)

    def job(self, task: Task) -> Job:
        """Gives the job.

        Raises:
            InputError: the model is not named exactly, or the task has switches that no program
                could be told of.
        """
        self.check(task)
        write_given(task, self._given(task))
        values = self._values(task)
        layout = self._layout
        return Job(
            argv=layout.relayed(task, [filled(part, values) for part in self._argv]),
            lease=f"{task.request.trial}/agent",
            folder=layout.workspace(task),
            environment=layout.environment(task)
            | {name: filled(value, values) for name, value in self._environment.items()},
            mounts=[
                *layout.mounts(task),
                *layout.relay_mounts(task),
                *(Mount(source=path, target=place) for place, path in self._mounts.items()),
            ],
            stdin=filled(self._stdin, values).encode(),
            bounds=task.bounds,
        )

    def told(self, task: Task, ended: Ended, calls: Sequence[ModelCall]) -> Told:
        """Reads its transcript in the declared form, and its result."""
        own = task.home / OWN
        read = self._read(own, ended)
        output, signs = self._output(task)
        found = replace(
            found_in(read, self.name, "transcript"),
            output=output,
            given=self._given(task),
            version=self._version,
            must_call=self._calls_model,
        )
        if self._form and self._path == _STDOUT and read.facts is not None:
            found = replace(found, witness=("stdout", read.facts.acts))
        return told(task, ended, calls, with_signs(found, *signs))

    def _is_here(self) -> bool:
        name = self._argv[0]
        is_ours = any(name.startswith(place) for place in self._mounts)
        return is_ours or "{" in name or Path(name).is_file() or on_path(name) is not None

    def _check_switches(self, task: Task) -> None:
        """Refuses what no template of the command would tell it."""
        if task.tools:
            raise no_switch("a command chooses its own tools", "no list of tools")
        is_offered = bool(task.skills) and not task.is_skill_forced
        asked = {
            "max_turns": task.max_turns is not None,
            "system_prompt": bool(task.system_prompt),
            "skills": is_offered,
        }
        told_of = " ".join([*self._argv, self._stdin, *self._environment.values()])
        for name, is_asked in asked.items():
            if is_asked and f"{{{name}}}" not in told_of:
                what = f"the command is not told of {name}"
                raise no_switch(what, f"{{{name}}} in argv, stdin or environment")

    def _read(self, own: Path, ended: Ended) -> Transcript:
        if not self._form:
            return Transcript(facts=_by_exit_code(ended))
        if self._path != _STDOUT:
            path = next((p for p in sorted(own.glob(self._path))[-1:]), own / self._path)
            return transcript(path, own, self._form)
        facts, n_bad = printed(ended.stdout, self._form)
        signs = () if facts is not None else (Sign("no_transcript", "that can be read"),)
        return Transcript(facts=facts, signs=signs, n_bad_lines=n_bad)

    def _output(self, task: Task) -> tuple[bytes | None, tuple[Sign, ...]]:
        if not self._result:
            return None, ()
        try:
            return read_whole(task.workspace / self._result, task.workspace)[0], ()
        except Astray as error:
            return None, (Sign("tampered", f"(the result: {error})"),)
        except (OSError, ValueError):
            return None, ()

    def _given(self, task: Task) -> dict[str, bytes]:
        return {_PROMPT: prompt_of(task).encode()}

    def _values(self, task: Task) -> dict[str, str]:
        layout, request = self._layout, task.request
        return {
            "prompt": prompt_of(task),
            "prompt_file": f"{layout.given(task)}/{_PROMPT}",
            "system_prompt": task.system_prompt,
            "model": task.model,
            "url": layout.url(task),
            "token": task.route.token,
            "workspace": layout.workspace(task),
            "home": layout.own(task),
            "unit": request.brief.unit,
            "arm": request.arm,
            "seed": str(request.seed),
            "max_turns": "" if task.max_turns is None else str(task.max_turns),
            "skills": ":".join(layout.skill(skill) for skill in task.skills),
        }


def made(spec: Any, root: Path, layout: Layout) -> Command:
    """Gives the harness of a command.

    Raises:
        InputError: an option is wrong.
    """
    return Command(spec, root, layout)


def _transcript(options: Options) -> tuple[str, str]:
    found = options.raw("transcript")
    if found is None:
        return "", ""
    if not isinstance(found, dict) or set(found) - {"form", "path"}:
        raise options.wrong("transcript", found, "`form` and `path`")
    form, path = found.get("form"), found.get("path", _STDOUT)
    if form not in FORMS:
        raise InputError(
            f"command.transcript.form is {form!r}",
            wanted=f"one of {', '.join(FORMS)}",
            mend=nearest(str(form), list(FORMS)),
            code="option",
        )
    is_inner = isinstance(path, str) and not path.startswith("/") and ".." not in Path(path).parts
    if not is_inner or (path == _STDOUT and form in {"mini-swe", "swe-agent"}):
        raise options.wrong("transcript.path", path, "a path in its home, or stdout for lines")
    return str(form), str(path)


def _by_exit_code(ended: Ended) -> Facts:
    """Without a transcript an exit code other than 0 is the program's own doing."""
    is_over = ended.how is HowEnded.EXITED
    code = ended.exit_code
    failed = (Sign("agent", f"(exit code {code})"),) if is_over and code else ()
    return Facts(harness="command", signs=failed or ((Sign("done"),) if is_over else ()))
