"""A model on this machine: llama.cpp in our own process, from a GGUF file."""

import hashlib
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Self

import anyio

from equipoise.errors import Blocked
from equipoise.gateway.exchange import Answered, Asked
from equipoise.gateway.keys import KeyPlace
from equipoise.gateway.provider import Provider, ProviderSpec

_KEY = "LOCAL_MODEL_KEY"
_SILENT = 1  # llama.cpp tells errors only


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalSpec:
    """Which model, with how much context; one thread is steady where processors are shared."""

    path: Path
    context: int = 8192
    threads: int = 1


class LocalModel:
    """Answers Chat Completions, Messages and Responses by a model of our own; it costs nothing.

    The model that answered is named by its file and the hash of its bytes. One request runs at a
    time. It listens on a loopback port of its own, behind a key that nobody else has.
    """

    name = "local"
    vendor = ""
    patience = 1.0

    def __init__(self, spec: LocalSpec) -> None:
        """Takes which model; nothing is loaded yet."""
        self._spec = spec
        self._server: Any = None
        self._provider: Provider | None = None

    async def __aenter__(self) -> Self:
        """Loads the model, which takes seconds.

        Raises:
            Blocked: llama.cpp is not installed, or the file is no model that it can load.
        """
        key = secrets.token_urlsafe(24)
        self._server = await anyio.to_thread.run_sync(_loaded, self._spec, key)
        url = str(self._server.listening_address)
        spec = ProviderSpec(name=self.name, url=url, key=KeyPlace(variable=_KEY))
        self._provider = await Provider(spec, {_KEY: key}).__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        """Ends the server and gives the memory back."""
        if self._provider is not None:
            await self._provider.__aexit__(*error)
        server, self._server, self._provider = self._server, None, None
        del server

    @asynccontextmanager
    async def answer(self, asked: Asked) -> AsyncIterator[Answered]:
        """Answers by the model."""
        assert self._provider is not None
        async with self._provider.answer(asked) as answered:
            yield answered


def model_name(path: Path) -> str:
    """Gives the exact id of a model file: its name and the beginning of its sha256."""
    with path.open("rb") as file:
        return f"{path.stem}@{hashlib.file_digest(file, 'sha256').hexdigest()[:12]}"


def _loaded(spec: LocalSpec, key: str) -> Any:
    try:
        llama = import_module("xllamacpp")
    except ImportError as error:
        raise Blocked(
            "llama.cpp is not installed, which a local model needs; mend: pip install "
            "'equipoise[local]'"
        ) from error
    if not spec.path.is_file():
        raise Blocked(f"there is no model at {spec.path}; wanted: a GGUF file")
    held = llama.CommonParams()
    held.model.path = str(spec.path)
    held.model_alias = {model_name(spec.path)}
    held.n_ctx = spec.context
    held.n_parallel = 1
    held.cpuparams.n_threads = held.cpuparams_batch.n_threads = spec.threads
    held.hostnames = ["127.0.0.1"]
    held.port = 0
    held.api_keys = [key]
    held.verbosity = _SILENT
    try:
        return llama.Server(held)
    except RuntimeError as error:
        raise Blocked(f"llama.cpp cannot load {spec.path.name}: {error}") from error
