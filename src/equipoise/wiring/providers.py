"""Finds who answers the calls of a model: a provider with its key, a recording, a script."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import Any

import anyio

from equipoise.archive.manifest import Document
from equipoise.archive.store import Archive
from equipoise.errors import EquipoiseError, InputError, nearest
from equipoise.ports.agents import Gateway

PROVIDERS = ("anthropic", "openai", "google", "compatible", "replay", "scripted")
"""Who may answer the calls of a model."""

_KEYS = {"url", "key", "key_file", "auth", "vendor", "prices", "max_usd", "aliases", "proxy"}
_GATEWAY = "equipoise.gateway.server"
_EXCHANGE = "/calls/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Gateways:
    """The gateway of one arm, not yet opened: who answers, and on which terms."""

    upstream: Any
    is_simulated: bool
    setting: Any
    terms: Mapping[str, Any]

    def opened(
        self, keep: Callable[[str, str, bytes], None]
    ) -> AbstractAsyncContextManager[Gateway]:
        """Gives the gateway to be entered; `keep` is given what goes over the wire."""
        ledger: Path | None = self.setting.ledger
        made: AbstractAsyncContextManager[Gateway] = import_module(_GATEWAY).RecordingGateway(
            self.upstream,
            self.setting.clock,
            folder=ledger.parent / "sockets" if ledger else None,
            keep=keep,
            **self.terms,
        )
        return made


def gateway(provider: Any, setting: Any) -> Gateways:
    """Gives who answers the calls of an arm's models.

    A name alone is enough for a provider whose key stands in its usual variable. Options: ``url``;
    ``key`` (a variable's name) or ``key_file``; ``auth`` (the header that carries it); ``vendor``
    (whose prices hold); ``prices`` (a table of one's own); ``max_usd``; ``aliases`` (ids that are
    taken although the vendor moves them); ``proxy``. ``scripted`` names a scenario, ``replay`` the
    archive of an earlier run.

    Raises:
        InputError: there is no such provider, or its options are wrong.
    """
    spec = {provider: {}} if isinstance(provider, str) else provider
    name, options = next(iter(spec.items())) if isinstance(spec, Mapping) and spec else ("", None)
    if name not in PROVIDERS or len(spec) != 1:
        raise InputError(
            f"agent.provider is {provider!r}" if provider else "agent.provider is missing",
            wanted=f"one of {', '.join(PROVIDERS)}",
            mend=nearest(str(name), list(PROVIDERS)),
            where="study.yaml",
            code="unknown_provider",
        )
    if name == "scripted":
        scripted = import_module("equipoise.gateway.scripted.upstream").Scripted
        read = import_module("equipoise.gateway.scripted.scenario").read_scenario
        upstream = scripted(read(_inside(options, setting.folder, name)))
        return Gateways(upstream=upstream, is_simulated=True, setting=setting, terms={})
    if name == "replay":
        replay = import_module("equipoise.gateway.replay").Replay
        upstream = replay(_recorded(_inside(options, setting.folder, name)))
        return Gateways(upstream=upstream, is_simulated=True, setting=setting, terms={})
    return _provider(name, options or {}, setting)


def usable(provider: Any, folder: Path) -> str:
    """Says why a provider cannot be asked: an option, a file, a key; "" where it can."""
    setting = _Folder(folder=folder, ledger=None, clock=None)

    async def entered() -> None:
        async with gateway(provider, setting).upstream:
            pass

    try:
        anyio.run(entered)
    except EquipoiseError as error:
        return str(error)
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Folder:
    folder: Path
    ledger: None
    clock: None


def _provider(name: str, options: Any, setting: Any) -> Gateways:
    if not isinstance(options, Mapping) or not set(options) <= _KEYS:
        raise InputError(
            f"agent.provider.{name} is {options!r}",
            wanted=f"a mapping with some of {', '.join(sorted(_KEYS))}",
            code="bad_system",
        )
    made = import_module("equipoise.gateway.provider")
    known = {"anthropic": made.ANTHROPIC, "openai": made.OPENAI, "google": made.GOOGLE}
    if name not in known and not options.get("url"):
        raise InputError(
            "agent.provider.compatible has no url",
            wanted="the address of a server that speaks one of the known formats",
            mend="write provider: {compatible: {url: http://127.0.0.1:8000, key: MY_KEY}}",
            code="bad_system",
        )
    own = {
        "url": options.get("url"),
        "key": _key_place(options, setting.folder),
        "auth": options.get("auth"),
        "vendor": options.get("vendor"),
        "proxy": options.get("proxy"),
    }
    base = known.get(name) or made.ProviderSpec(name=name, url="", key=None)
    spec = replace(base, **{key: value for key, value in own.items() if value is not None})
    return Gateways(
        upstream=made.Provider(spec, os.environ),
        is_simulated=False,
        setting=setting,
        terms={
            "limits": _limits(options),
            "prices": _prices(options, setting.folder),
            "allowed_aliases": tuple(options.get("aliases", ())),
        },
    )


def _key_place(options: Mapping[str, Any], folder: Path) -> Any:
    place = import_module("equipoise.gateway.keys").KeyPlace
    if options.get("key_file"):
        return place(variable="", file=folder / str(options["key_file"]))
    return place(variable=str(options["key"])) if options.get("key") else None


def _limits(options: Mapping[str, Any]) -> Any:
    limits = import_module("equipoise.gateway.limits").Limits
    if options.get("max_usd") is None:
        return limits()
    try:
        return limits(max_usd=float(options["max_usd"]))
    except (TypeError, ValueError):
        raise InputError(
            f"agent.provider: max_usd is {options['max_usd']!r}",
            wanted="US dollars",
            code="bad_system",
        ) from None


def _prices(options: Mapping[str, Any], folder: Path) -> Any:
    prices = import_module("equipoise.gateway.prices")
    tables = [prices.ListedPrices()]
    if options.get("prices"):
        tables.insert(0, prices.read_prices(folder / str(options["prices"])))
    return prices.FirstOf(tables)


def _recorded(path: Path) -> Iterator[Any]:
    """Yields the exchanges that an archive holds, in the order in which they were recorded."""
    unpack = import_module("equipoise.gateway.exchange").unpack
    archive = Archive.open(path)
    for document in archive.read(Document):
        if _EXCHANGE in document.name:
            content = b"".join(archive.blobs.chunks(document.sha256))
            yield unpack(content, where=f"{path}: {document.name}")


def _inside(name: Any, folder: Path, what: str) -> Path:
    """Gives a path that stays in the study's folder."""
    path = PurePosixPath(name if isinstance(name, str) else "")
    if not path.parts or path.is_absolute() or ".." in path.parts:
        raise InputError(
            f"agent.provider.{what} is {name!r}",
            wanted="a path inside the study's folder",
            code="outside",
        )
    return folder / path
