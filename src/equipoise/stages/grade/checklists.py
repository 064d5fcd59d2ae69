"""Finds the commands in the checklists that an agent wrote, which are to show that it is done."""

from collections.abc import Iterator
from typing import Any

from equipoise.ports.suites import GateCommandAsked
from equipoise.stages.grade.finding import plain
from equipoise.stages.grade.left_behind import Left, document
from equipoise.stages.grade.material import Material
from equipoise.stages.grade.written import unreadable, yaml_of

MOST_COMMANDS = 20
_LONGEST = 2000
_NAMES = ("checklist.yaml", "checklist.yml")
_FALSE = frozenset({"false", "no", "off", "0"})


def own_commands(material: Material, left: Left) -> list[GateCommandAsked]:
    """Gives the commands of every checklist that was left, at most `MOST_COMMANDS` of them.

    An entry of a list with `command`, a line for the shell or a list of words, is one; `core:
    false` says that it may fail. Whatever else stands there is nothing to be run.
    """
    found: list[GateCommandAsked] = []
    for path in left.files:
        if path.rpartition("/")[2] not in _NAMES:
            continue
        seen = document(material, path)
        if seen is None or unreadable(seen):
            continue
        value, _ = yaml_of(seen.text)
        found += _commands(value, path)
    return found[:MOST_COMMANDS]


def _commands(value: Any, path: str) -> Iterator[GateCommandAsked]:
    lists = [value] if isinstance(value, list) else []
    if isinstance(value, dict):
        lists = [one for one in value.values() if isinstance(one, list)]
    for number, entry in enumerate((one for entries in lists for one in entries), start=1):
        command = _words(entry.get("command")) if isinstance(entry, dict) else ()
        if command:
            yield GateCommandAsked(
                id=plain(str(entry.get("id") or number))[:60],
                command=command,
                is_core=str(entry.get("core", "true")).lower() not in _FALSE,
                is_own=True,
                of=path,
            )


def _words(command: Any) -> tuple[str, ...]:
    if isinstance(command, str) and command.strip():
        return ("sh", "-c", command) if _is_sound(command) else ()
    if isinstance(command, list) and command and all(isinstance(one, str) for one in command):
        return tuple(command) if _is_sound("".join(command)) and command[0] else ()
    return ()


def _is_sound(text: str) -> bool:
    """Says whether a text can be a word of a program's: not endless, and all of it UTF-8."""
    has_odd = any(sign == "\0" or "\ud800" <= sign <= "\udfff" for sign in text)
    return len(text) <= _LONGEST and not has_odd
