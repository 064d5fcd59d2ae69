"""What the scenario says to a request: words, tools and usage, before any vendor's form."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from equipoise.gateway.scripted.conversation import Conversation
from equipoise.gateway.scripted.scenario import Scenario, Tokens, ToolCall, Turn, When


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """A tool to be used."""

    id: str
    name: str
    input: Mapping[str, Any]

    @property
    def arguments(self) -> str:
        """Gives the input as JSON text."""
        return msgspec.json.encode(self.input).decode()


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One answer; `key` makes its ids, the same for the same request.

    `stop` is ``end``, ``tools``, ``length`` or ``refusal``; `usage` null = nothing is told.
    """

    key: str
    model: str
    text: str
    uses: tuple[Use, ...]
    stop: str
    usage: Tokens | None


class NoShell(Exception):
    """The scenario wants a shell, and the request offers none that is known."""


_SHELLS: Mapping[str, str] = {
    "Bash": "command",
    "bash": "command",
    "exec_command": "cmd",
    "shell_command": "command",
    "run_shell_command": "command",
}
"""Shell tools of the harnesses, and where each takes its command."""


def turn_of(scenario: Scenario, talk: Conversation, *, has_tools: bool) -> Turn:
    """Gives the turn that is due: the first whose condition holds, else the next in line."""
    if scenario.without_tools is not None and not has_tools:
        return Turn(say=scenario.without_tools)
    for turn in scenario.turns:
        if turn.when is not None and _holds(turn.when, talk):
            return turn
    in_line = [turn for turn in scenario.turns if turn.when is None]
    return in_line[talk.n_turns] if talk.n_turns < len(in_line) else Turn(say=scenario.after)


def said(turn: Turn, request: str, model: str, tools: tuple[str, ...], n_bytes: int) -> Said:
    """Gives what a turn says.

    Raises:
        NoShell: it wants a shell, and none is offered.
    """
    key = request[:24]
    uses = tuple(_use(call, f"{key[:16]}{k}", tools) for k, call in enumerate(turn.calls))
    output = turn.say + "".join(use.name + use.arguments for use in uses)
    usage = turn.usage
    if usage is None:
        usage = Tokens(input=-(-n_bytes // 4), output=max(-(-len(output.encode()) // 4), 1))
    return Said(
        key=key,
        model=turn.model or model,
        text=turn.say,
        uses=uses,
        stop=turn.stop or ("tools" if uses else "end"),
        usage=usage if isinstance(usage, Tokens) else None,
    )


def pieces(text: str, n: int = 24) -> list[str]:
    """Gives a text in pieces, as a stream has it."""
    return [text[k : k + n] for k in range(0, len(text), n)]


def _holds(when: When, talk: Conversation) -> bool:
    if when.turn is not None and talk.n_turns + 1 != when.turn:
        return False
    if when.prompt is not None and not re.search(when.prompt, talk.prompt):
        return False
    return when.tool_result is None or bool(re.search(when.tool_result, talk.latest))


def _use(call: ToolCall, key: str, tools: tuple[str, ...]) -> Use:
    if call.shell is not None:
        for name, argument in _SHELLS.items():
            if name in tools:
                return Use(id=key, name=name, input={argument: call.shell})
        if "shell" in tools:
            return Use(id=key, name="shell", input={"command": ["bash", "-lc", call.shell]})
        raise NoShell(f"the scenario wants a shell, and of {list(tools)} none is known as one")
    names = [call.tool] if isinstance(call.tool, str) else call.tool
    name = next((n for n in names if n in tools), names[0] if names else "")
    return Use(id=key, name=name, input=call.input)
