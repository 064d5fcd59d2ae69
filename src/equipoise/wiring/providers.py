"""Finds who answers the calls of a model: a provider with its key, a recording, a script."""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import anyio

from equipoise.archive.manifest import Document
from equipoise.archive.store import Archive
from equipoise.errors import EquipoiseError, InputError
from equipoise.ports.models import ChatModel

_TERMS = ("prices", "max_usd", "aliases", "may_reach_out")
_ARCHIVE = "archive.json"
_EXCHANGE = "/calls/"
SPENT = "spent.log"
"""What the calls of a run have cost so far, where there is a cap: in its folder for such things."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gateways:
    """The gateway of one arm, not yet opened: who answers, and on which terms."""

    upstream: Any
    setting: Any
    terms: Mapping[str, Any]
    api: Any

    @property
    def is_simulated(self) -> bool:
        """Says whether no model answers now: a script or a recording is a stand-in."""
        return self.upstream.name in {"replay", "scripted"}

    def opened(self, keep: Callable[[str, str, bytes], None]) -> Any:
        """Gives the gateway to be entered; `keep` is given what goes over the wire."""
        ledger: Path | None = self.setting.ledger
        return import_module("equipoise.gateway.server").RecordingGateway(
            self.upstream,
            self.setting.clock,
            folder=ledger.parent / "sockets" if ledger else None,
            spent=ledger.parent / SPENT if ledger else None,
            keep=keep,
            **self.terms,
        )

    def chat(self, gateway: Any) -> ChatModel:
        """Gives what asks a model directly through the opened gateway."""
        made: ChatModel = import_module("equipoise.adapters.models.direct").DirectModel(
            gateway, self.api
        )
        return made


def gateway(provider: Any, setting: Any) -> Gateways:
    """Gives who answers the calls of an arm's models.

    The name of a provider alone is enough where its key stands in its usual variable. A mapping is
    what `adapters.models.upstreams` takes, with ``prices`` (a table of one's own), ``max_usd``,
    ``aliases`` (ids that are taken although the vendor moves them) and ``may_reach_out`` (the
    provider may run tools of its own and fetch) beside a provider; ``replay``
    may also name the archive of an earlier run.

    Raises:
        InputError: there is no such provider, or its options are wrong.
    """
    said = {"provider": provider} if isinstance(provider, str) else provider
    if not isinstance(said, Mapping) or not said:
        raise InputError(
            f"the provider is {provider!r}",
            wanted="who answers: anthropic, openai, google, {provider: NAME, url: ...}, "
            "{replay: ARCHIVE} or {scripted: FILE}",
            where="study.yaml",
            code="unknown_provider",
        )
    asked = {key: value for key, value in said.items() if key not in _TERMS}
    upstreams = import_module("equipoise.adapters.models.upstreams")
    if (recorded := setting.folder / str(asked.get("replay", ""))).joinpath(_ARCHIVE).is_file():
        upstream = import_module("equipoise.gateway.replay").Replay(_recorded(recorded))
    else:
        upstream = upstreams.upstream_of(asked, setting.folder, os.environ)
    api = import_module("equipoise.gateway.wire.facts").Api
    return Gateways(
        upstream=upstream,
        setting=setting,
        terms=_terms(said, setting) if "provider" in said else {},
        api=upstreams.API_OF.get(said.get("api") or upstream.name, api.CHAT),
    )


def key_variables(system: Mapping[str, Any], folder: Path) -> tuple[str, ...]:
    """Gives the names of the variables in which the keys of an arm's provider stand.

    Raises:
        InputError: there is no such provider, or its options are wrong.
    """
    spec = system.get("agent", system.get("model"))
    provider = spec.get("provider") if isinstance(spec, Mapping) else None
    said = {"provider": provider} if isinstance(provider, str) else provider
    if not isinstance(said, Mapping) or "provider" not in said:
        return ()
    asked = {key: value for key, value in said.items() if key not in _TERMS}
    named = import_module("equipoise.adapters.models.upstreams").key_variable(asked, folder)
    return (named,) if named else ()


def usable(provider: Any, folder: Path) -> str:
    """Says why a provider cannot be asked: an option, a file, a key; "" where it can."""

    async def entered() -> None:
        async with gateway(provider, _Folder(folder=folder)).upstream:
            pass

    try:
        anyio.run(entered)
    except EquipoiseError as error:
        return str(error)
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Folder:
    folder: Path
    ledger: None = None
    clock: None = None
    spent_usd: float = 0.0
    most_calls: None = None
    share: float = 1.0


def _terms(said: Mapping[str, Any], setting: Any) -> dict[str, Any]:
    limits = partial(import_module("equipoise.gateway.limits").Limits, spent_usd=setting.spent_usd)
    if setting.most_calls:
        ours = max(1, int(setting.most_calls * setting.share))
        limits = partial(limits, concurrency=ours)
    prices = import_module("equipoise.gateway.prices")
    tables = [prices.ListedPrices()]
    if said.get("prices"):
        tables.insert(0, prices.read_prices(setting.folder / str(said["prices"])))
    try:
        most = float(said["max_usd"]) if said.get("max_usd") is not None else None
    except (TypeError, ValueError):
        raise InputError(
            f"provider.max_usd is {said['max_usd']!r}", wanted="US dollars", code="bad_system"
        ) from None
    return {
        "limits": limits(max_usd=_capped(most, setting)),
        "prices": prices.FirstOf(tables),
        "allowed_aliases": tuple(said.get("aliases") or ()),
        "may_reach_out": str(said.get("may_reach_out", "no")) in {"yes", "true"},
    }


def _capped(most: float | None, setting: Any) -> float | None:
    """Gives the cap of one of several gateways: what was spent, and its share of what is left."""
    if most is None:
        return None
    left = max(0.0, most - setting.spent_usd)
    return float(setting.spent_usd + left * setting.share)


def _recorded(path: Path) -> Iterator[Any]:
    """Yields the exchanges that an archive holds, in the order in which they were recorded."""
    unpack = import_module("equipoise.gateway.exchange").unpack
    archive = Archive.open(path)
    for document in archive.read(Document):
        if _EXCHANGE in document.name:
            content = b"".join(archive.blobs.chunks(document.sha256))
            yield unpack(content, where=f"{path}: {document.name}")
