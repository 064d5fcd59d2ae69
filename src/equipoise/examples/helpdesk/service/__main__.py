"""Starts the service: ``python -m equipoise.examples.helpdesk.service --release 1 ...``."""

import argparse
import sys
from pathlib import Path

from equipoise.examples.helpdesk.service.server import ServiceSettings, serve


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the service."""
    parser.add_argument("--release", type=int, choices=(1, 2), required=True)
    parser.add_argument("--store", type=Path, required=True, help="SQLite file that is there")
    parser.add_argument("--logs", type=Path, required=True, help="folder for the journals")
    parser.add_argument("--seed", type=int, default=7, help="seed of all chance")
    parser.add_argument("--desks", type=count, default=4, help="customers served at once")
    parser.add_argument(
        "--own-dice", action="store_true", help="let chance fall differently in each release"
    )
    parser.add_argument("--no-clock", action="store_true", help="write no time into the journals")
    parser.add_argument("--until-stdin-closes", action="store_true", help="end with the parent")


def run(options: argparse.Namespace) -> int:
    """Serves until interrupted."""
    serve(
        ServiceSettings(
            release=options.release,
            store=options.store,
            logs=options.logs,
            seed=options.seed,
            desks=options.desks,
            own_dice=options.own_dice,
            has_clock=not options.no_clock,
            until_stdin_closes=options.until_stdin_closes,
        )
    )
    return 0


def count(text: str) -> int:
    """Reads a number of things, at least one."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is not a count; wanted: 1 or more")
    return number


def main() -> int:
    """Reads the options and serves."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    add_options(parser)
    return run(parser.parse_args())


if __name__ == "__main__":
    sys.exit(main())
