"""Runs a stand-in that does what a scenario says: real effects, no model; marked simulated."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np

from equipoise.adapters.agents.asked import write_given
from equipoise.adapters.agents.layout import OWN, Layout, inside, isolated_python, python_mounts
from equipoise.adapters.agents.options import Options
from equipoise.adapters.agents.telling import found_in, told
from equipoise.adapters.agents.transcripts import transcript
from equipoise.errors import InputError
from equipoise.ports.agents import Available, Ended, Job, Task, Told
from equipoise.records.acts import act_of
from equipoise.records.brief import Request
from equipoise.records.call import ModelCall
from equipoise.records.conduct import Act
from equipoise.records.yaml_text import parse

_KEYS = ("scenario", "cases", "environment")
_TEXTS = frozenset({"run", "sleep", "print", "handoff", "crash", "exit"})
_FIELDS = {"write": {"path", "text"}, "edit": {"path", "old", "new"}, "maybe": {"p", "do"}}
_WHEN = ("unit", "arm", "repetition", "attempt", "turn")
_ACTIONS_FILE, _TRANSCRIPT = "actions.json", "transcript.jsonl"

Action = Mapping[str, Any]


class Scripted:
    """A stand-in for an agent: a list of actions, chosen by unit, arm and repetition.

    Actions: ``write`` (path, text), ``edit`` (path, old, new), ``run`` (a command), ``sleep``,
    ``print``, ``handoff``, ``exit`` (a code), ``crash`` (a signal's name), and ``maybe`` (p, do),
    which draws from the cell's own seed whether its actions are done. The first case whose patterns
    fit is taken; in a turn after the first only of those that say for which ``turn`` they are.
    """

    name = "scripted"
    is_simulated = True

    def __init__(self, spec: Any, root: Path, layout: Layout) -> None:
        """Reads its cases, or the file that ``scenario`` names.

        Raises:
            InputError: they are wrong; says which.
        """
        options = Options(spec, _KEYS, self.name, root)
        path = options.path("scenario")
        cases = options.raw("cases") if path is None else _read(path)
        if not isinstance(cases, list) or not cases:
            raise options.wrong("cases", cases, "a list of cases, each with `do`")
        self._cases = [_case(case, number) for number, case in enumerate(cases, 1)]
        self._environment = options.words("environment")
        self._layout = layout

    async def probe(self) -> Available:
        """Says that it is here: it comes with this package."""
        return Available(is_available=True, version="1")

    def job(self, task: Task) -> Job:
        """Writes the actions of this cell and gives the job.

        Raises:
            InputError: no case fits the cell.
        """
        write_given(task, self._given(task))
        return self._job(task, _ACTIONS_FILE)

    def next_job(self, task: Task, number: int) -> Job:
        """Gives the job of a later turn: what its own case says, or nothing."""
        return self._job(task, _of_turn(number))

    def _job(self, task: Task, actions: str) -> Job:
        layout = self._layout
        return Job(
            argv=[
                *(*isolated_python(), layout.program(inside("scripted"))),
                f"{layout.given(task)}/{actions}",
                f"{layout.own(task)}/{_TRANSCRIPT}",
            ],
            lease=f"{task.request.trial}/agent",
            folder=layout.workspace(task),
            environment=layout.environment(task) | self._environment,
            mounts=[*layout.mounts(task), *python_mounts(), layout.mount(inside("scripted"))],
            bounds=task.bounds,
        )

    def told(self, task: Task, ended: Ended, calls: Sequence[ModelCall]) -> Told:
        """Reads what it wrote of its own actions."""
        own = task.home / OWN
        read = transcript(own / _TRANSCRIPT, own, self.name)
        found = found_in(read, self.name, _TRANSCRIPT)
        todo = [self.actions(task.request, number) for number in _turns(task)]
        witness = ("actions", tuple(act for actions in todo for act in _acts(actions)))
        found = replace(found, given=self._given(task), must_call=False, witness=witness)
        return told(task, ended, calls, found)

    def _given(self, task: Task) -> dict[str, bytes]:
        return {
            _of_turn(number): json.dumps(self.actions(task.request, number)).encode()
            for number in _turns(task)
        }

    def actions(self, request: Request, turn: int = 1) -> list[Action]:
        """Gives the actions of one cell in a turn; equal for equal seeds.

        Raises:
            InputError: no case fits the first turn.
        """
        values = {
            "unit": request.brief.unit,
            "arm": request.arm,
            "repetition": str(request.repetition),
            "attempt": str(request.attempt),
            "turn": str(turn),
        }
        seed = (request.seed + turn - 1) % 2**63
        for when, do in self._cases:
            is_asked = turn == 1 or "turn" in when
            if is_asked and all(fnmatchcase(values[key], pattern) for key, pattern in when.items()):
                return _drawn(do, np.random.default_rng(seed))
        if turn > 1:
            return []
        raise InputError(
            f"no case of the scenario fits unit {request.brief.unit!r} in arm {request.arm!r}",
            mend="add a case without `when` at the end",
            code="no_case",
        )


def made(spec: Any, root: Path, layout: Layout) -> Scripted:
    """Gives the stand-in.

    Raises:
        InputError: its scenario is wrong.
    """
    return Scripted(spec, root, layout)


def _turns(task: Task) -> range:
    return range(1, 2 + len(task.turns))


def _of_turn(number: int) -> str:
    return _ACTIONS_FILE if number == 1 else f"actions-{number}.json"


def _acts(actions: Sequence[Action]) -> tuple[Act, ...]:
    """Gives what it will have done, up to the action that ends it."""
    found: list[Act] = []
    for action in actions:
        ((name, given),) = action.items()
        if name == "exit":
            break
        found.append(act_of(name, "" if name == "crash" else given))
        if name == "crash":
            break
    return tuple(found)


def _drawn(actions: Sequence[Action], rng: np.random.Generator) -> list[Action]:
    drawn: list[Action] = []
    for action in actions:
        maybe = action.get("maybe")
        if maybe is None:
            drawn.append(action)
        elif rng.random() < float(maybe["p"]):
            drawn += _drawn(maybe["do"], rng)
    return drawn


def _read(path: Path) -> Any:
    try:
        text = path.read_bytes()
    except OSError as error:
        raise InputError(f"{error.strerror}", wanted="a scenario", where=str(path)) from error
    value = parse(text, name=path.name).value
    return value.get("cases") if isinstance(value, dict) else value


def _case(case: Any, number: int) -> tuple[dict[str, str], list[Action]]:
    where = f"case {number}"
    if not isinstance(case, Mapping) or not isinstance(case.get("do"), list):
        raise _wrong(where, case, "a mapping with `do`, a list of actions, and perhaps `when`")
    when = case.get("when", {})
    if not isinstance(when, Mapping) or set(when) - set(_WHEN):
        raise _wrong(where, when, f"`when` with patterns for {', '.join(_WHEN)}")
    _check(case["do"], where)
    return {str(key): str(value) for key, value in when.items()}, case["do"]


def _check(actions: list[Any], where: str) -> None:
    for number, action in enumerate(actions, 1):
        place = f"{where}, action {number}"
        if not isinstance(action, Mapping) or len(action) != 1:
            raise _wrong(place, action, f"one of {', '.join(sorted(_TEXTS | _FIELDS.keys()))}")
        ((name, given),) = action.items()
        is_text = name in _TEXTS and isinstance(given, str | int | float)
        is_filled = name in _FIELDS and isinstance(given, Mapping) and set(given) <= _FIELDS[name]
        if not is_text and not is_filled:
            raise _wrong(place, action, "a known action with what it takes")
        if name == "maybe":
            _check_maybe(given, place)


def _check_maybe(given: Mapping[str, Any], place: str) -> None:
    try:
        chance = float(given["p"])
    except (KeyError, TypeError, ValueError):
        chance = -1.0
    if not 0 <= chance <= 1 or not isinstance(given.get("do"), list):
        raise _wrong(place, dict(given), "`p` from 0 to 1 and `do`, a list of actions")
    _check(given["do"], place)


def _wrong(where: str, found: Any, wanted: str) -> InputError:
    return InputError(f"{where} is {found!r}"[:300], wanted=wanted, code="scenario")
