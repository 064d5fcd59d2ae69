"""Serves a scenario alone: ``python -m equipoise.gateway.scripted SCENARIO [--port N]``."""

import argparse
import asyncio
import sys
from contextlib import suppress
from pathlib import Path

from equipoise.errors import EquipoiseError
from equipoise.gateway.scripted.scenario import Scenario, read_scenario
from equipoise.gateway.scripted.standalone import serving


def main() -> int:
    """Serves until it is interrupted; its first line of output is its address."""
    parser = argparse.ArgumentParser(prog="python -m equipoise.gateway.scripted")
    parser.add_argument("scenario", type=Path, help="a scenario, YAML or JSON")
    parser.add_argument("--port", type=int, default=0, help="0 = any that is free")
    asked = parser.parse_args()
    try:
        scenario = read_scenario(asked.scenario)
        with suppress(KeyboardInterrupt):
            asyncio.run(_serve(scenario, asked.port))
    except EquipoiseError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    return 0


async def _serve(scenario: Scenario, port: int) -> None:
    async with serving(scenario, port=port) as url:
        sys.stdout.write(f"listening on {url}\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


if __name__ == "__main__":
    raise SystemExit(main())
