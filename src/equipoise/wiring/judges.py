"""Opens the models of judges: each through a recording gateway of its own, within its money."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from datetime import UTC, date, datetime, time
from importlib import import_module
from pathlib import Path

from equipoise.pipeline.judging_terms import OpenedJudge
from equipoise.ports.models import ChatModel
from equipoise.records.rating_plan import JudgePlan
from equipoise.wiring.providers import Gateways, gateway


def judges(study: Path, clock: Callable[[], datetime]) -> OpenedJudge:
    """Gives what opens the judges of a study; nothing is reached before one is opened."""
    setting = import_module("equipoise.adapters.systems.setting").Setting(folder=study, clock=clock)

    def opened(judge: JudgePlan, max_usd: float | None) -> AbstractAsyncContextManager[ChatModel]:
        return _opened(gateway(judge.model.get("provider"), setting), max_usd)

    return opened


def price(judge: JudgePlan, study: Path, n_input: int, day: date) -> float | None:
    """Gives the most that one answer to a question of so many tokens costs, in US dollars.

    Null where no table lists the model; 0 for a stand-in, a recording or a model of one's own.

    Raises:
        InputError: there is no such provider, or its options are wrong.
    """
    setting = import_module("equipoise.adapters.systems.setting").Setting(folder=study)
    way = gateway(judge.model.get("provider"), setting)
    if way.is_simulated or way.upstream.name == "local":
        return 0.0
    n_output = int(judge.model.get("max_tokens") or 2048)
    at = datetime.combine(day, time(), UTC)
    prices = way.terms["prices"]
    found: float | None = prices.bound(
        way.upstream.vendor, str(judge.model["model"]), n_input, n_output, at
    )
    return found


@asynccontextmanager
async def _opened(way: Gateways, max_usd: float | None) -> AsyncIterator[ChatModel]:
    if max_usd is not None and "limits" in way.terms:
        limits = way.terms["limits"]
        most = max_usd if limits.max_usd is None else min(max_usd, limits.max_usd)
        way = replace(way, terms={**way.terms, "limits": replace(limits, max_usd=most)})
    async with way.opened(_not_kept) as opened:
        yield way.chat(opened)


def _not_kept(trial: str, name: str, content: bytes) -> None:
    """Takes what the reply holds already."""
    del trial, name, content
