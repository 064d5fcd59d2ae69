"""A scenario: what the stand-in for a model says, turn by turn, and how it fails."""

import json
import re
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from equipoise.errors import InputError
from equipoise.records.wanted import shown, wanted
from equipoise.records.yaml_text import parse


def _from_text(value: object) -> object:
    """Gives what a text holds as JSON, where it is written as a JSON object."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        return json.loads(value)
    return value


def _pattern(value: object) -> object:
    if isinstance(value, str):
        try:
            re.compile(value)
        except re.error as error:
            raise ValueError(f"no regular expression: {error}") from error
    return value


Pattern = Annotated[str, BeforeValidator(_pattern)]
Arguments = Annotated[dict[str, Any], BeforeValidator(_from_text)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class When(_Strict):
    """What must have come before; all that is given must hold.

    `turn` counts the model's own turns from 1; `tool_result` is searched in what came after its
    last one, `prompt` in everything the user and the system said.
    """

    turn: int | None = None
    tool_result: Pattern | None = None
    prompt: Pattern | None = None


class ToolCall(_Strict):
    """A tool to be called: the first of `tool` that is offered, or the shell that is offered.

    `input` may be a text that holds a JSON object, for YAML keeps no numbers.
    """

    tool: str | list[str] = ""
    input: Arguments = {}
    shell: str | None = None


class Tokens(_Strict):
    """Usage to be told; `input` is what neither came from nor went to a cache."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0


class ScriptedFault(_Strict):
    """How a turn fails.

    `status`: answered with this HTTP status, `times` times for the same request (null = always).
    `cut_after`: the stream is cut after so many of its events.
    """

    status: int | None = None
    kind: str = ""
    message: str = "as the scenario says"
    retry_after_s: float | None = None
    times: int | None = None
    cut_after: int | None = None


class Turn(_Strict):
    """One answer of the model.

    A turn without `when` is said at its own place among those; one with `when` is said whenever it
    holds, before the others.
    """

    when: When | None = None
    say: str = ""
    calls: tuple[ToolCall, ...] = ()
    usage: Tokens | Literal["none"] | None = None
    stop: Literal["length", "refusal"] | None = None
    model: str | None = None
    fault: ScriptedFault | None = None
    delay_s: float = 0.0
    delay_each_s: float = 0.0


class Scenario(_Strict):
    """All turns. `without_tools` answers requests that offer no tools, such as one for a title."""

    scenario: str = ""
    turns: tuple[Turn, ...] = Field(min_length=1)
    without_tools: str | None = None
    after: str = "The scenario has no further turn."


def read_scenario(path: Path) -> Scenario:
    """Reads a scenario file, YAML or JSON.

    Raises:
        InputError: it is none; names line, column and field.
    """
    try:
        text = path.read_bytes()
    except OSError as error:
        raise InputError(f"{error.strerror}", wanted="a scenario", where=str(path)) from error
    return scenario_of(text, name=path.name)


def scenario_of(text: bytes, *, name: str = "scenario") -> Scenario:
    """Reads a scenario from its text.

    Raises:
        InputError: it is none; names line, column and field.
    """
    if name.endswith(".json"):
        try:
            return Scenario.model_validate(json.loads(text))
        except (ValueError, RecursionError) as error:
            raise _fault(error, name) from error
    held = parse(text, name=name)
    try:
        return Scenario.model_validate(held.value)
    except ValidationError as error:
        place = held.place(tuple(error.errors()[0]["loc"])) or (1, 1)
        raise _fault(error, f"{name}:{place[0]}:{place[1]}") from error


def _fault(error: ValueError | RecursionError, where: str) -> InputError:
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        return InputError(
            f"field {field!r} is {shown(first['input'])}", wanted=wanted(first), where=where
        )
    return InputError(str(error), wanted="JSON", where=where)
