"""What an agent system is made of, handed in by who knows the adapters by name."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from equipoise.adapters.systems.setting import Setting
from equipoise.ports.agents import Agent, Available, Gateway, Isolation, Sandbox, Seed
from equipoise.ports.models import ChatModel

SeedOf = Callable[[Any], Seed]
"""Gives the seed of a specification, made once and kept; null = an empty folder."""


Keep = Callable[[str, str, bytes], None]
"""Takes a document: the trial, its name, its bytes."""


class GatewayMaker(Protocol):
    """Knows who answers; nothing is listening before `opened` is entered."""

    @property
    def is_simulated(self) -> bool:
        """Says whether no real model answers."""
        ...

    def opened(self, keep: Keep) -> AbstractAsyncContextManager[Gateway]:
        """Gives the gateway to be entered; `keep` is given what goes over the wire."""
        ...

    def chat(self, gateway: Gateway) -> ChatModel:
        """Gives what asks a model directly through the opened gateway."""
        ...


ChatMaker = Callable[[Any, Setting], GatewayMaker]
"""Gives who answers by the provider that the study names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentMeans:
    """How each part is found by the words of the study.

    `sandbox`: the first that works of those that the study allows; `agent`: by its name, with its
    options, the study's folder and the isolation it will run in; `gateway`: by the provider that
    the study names; `seeds`: those of one run.
    """

    sandbox: Callable[[Sequence[str]], Awaitable[tuple[Sandbox, Available]]]
    agent: Callable[[str, Any, Path, Isolation], Agent]
    gateway: ChatMaker
    seeds: Callable[[Setting], SeedOf]
