"""What one call through the gateway costs: many at a time, streamed, by a scenario.

Run it by hand: ``python benchmarks/bench_gateway.py [N_CALLS]``. Wanted: less than 2 ms of
processor time a call, the client's own share included.
"""

import asyncio
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import aiohttp

from equipoise.gateway.scripted.scenario import Scenario
from equipoise.gateway.scripted.upstream import Scripted
from equipoise.gateway.server import RecordingGateway

_AT_ONCE = 50
_SCENARIO = {"turns": [{"say": "I have looked at it. " * 10, "calls": [{"shell": "ls -l"}]}]}


async def main(n_calls: int) -> None:
    with TemporaryDirectory() as folder:
        scripted = Scripted(Scenario.model_validate(_SCENARIO))
        async with RecordingGateway(scripted, _clock, folder=Path(folder)) as gateway:
            route = gateway.open("bench", "model-1")
            for size in (2_000, 50_000):
                await _round(f"{size:,} bytes", route.url, n_calls, size)
            print(f"recorded {len(gateway.close('bench')):,} calls")


async def _round(name: str, url: str, n_calls: int, size: int) -> None:
    body = {
        "model": "model-1",
        "stream": True,
        "messages": [{"role": "user", "content": "x" * size}],
        "tools": [{"name": "bash", "input_schema": {"type": "object"}}],
    }
    left = iter(range(n_calls))
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=_AT_ONCE)) as session:

        async def work() -> None:
            for _ in left:
                async with session.post(f"{url}/v1/messages", json=body) as answer:
                    await answer.read()

        began, busy = time.perf_counter(), time.process_time()
        await asyncio.gather(*(work() for _ in range(_AT_ONCE)))
        took, cost = time.perf_counter() - began, time.process_time() - busy
    print(
        f"{name}: {n_calls / took:,.0f} calls a second, {1000 * cost / n_calls:.2f} ms of CPU each"
    )


def _clock() -> datetime:
    return datetime.fromtimestamp(time.time(), UTC)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 2_000))
