"""Opens the models of judges: each through a recording gateway of its own, within its money."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from datetime import datetime
from importlib import import_module
from pathlib import Path

from equipoise.pipeline.judging import OpenedJudge
from equipoise.ports.models import ChatModel
from equipoise.records.rating_plan import JudgePlan
from equipoise.wiring.providers import Gateways, gateway


def judges(study: Path, clock: Callable[[], datetime], concurrency: int) -> OpenedJudge:
    """Gives what opens the judges of a study; nothing is reached before one is opened."""
    setting = import_module("equipoise.adapters.systems.setting").Setting(
        folder=study, concurrency=concurrency, clock=clock
    )

    def opened(
        judge: JudgePlan, max_usd: float | None
    ) -> AbstractAsyncContextManager[ChatModel]:
        return _opened(gateway(judge.model.get("provider"), setting), max_usd)

    return opened


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
