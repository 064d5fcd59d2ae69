"""What asking a model directly needs: no harness, no tools, one answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from equipoise.records.call import ModelCall


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a prompt: `role` is ``system``, ``user`` or ``assistant``."""

    role: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """One question to a model, and how it is to answer.

    `trial` is what the call is recorded under (a trial's id with what asks, ``ab12/judge``).
    `temperature` and `seed` null = not sent; `json_schema` null = plain text.
    """

    trial: str
    model: str
    messages: Sequence[Message]
    max_tokens: int
    temperature: float | None = 0.0
    seed: int | None = None
    json_schema: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the model answered.

    `text` is null where it gave no whole answer: the call's fault, truncation or refusal says why;
    under a schema it is the JSON text. `unsupported` names what of the prompt the model's interface
    does not take (``seed``). `document` is the whole exchange, as it is kept for a replay.
    """

    text: str | None
    call: ModelCall
    unsupported: tuple[str, ...] = ()
    document: bytes = field(default=b"", repr=False)


class ChatModel(Protocol):
    """Asks a model. It never raises for what the model or its provider does."""

    async def complete(self, prompt: Prompt) -> Reply:
        """Asks once, through the gateway."""
        ...
