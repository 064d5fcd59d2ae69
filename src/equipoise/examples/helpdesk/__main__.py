"""The command line of the example: ``drive``, ``serve``, ``study``, ``truth``."""

import argparse
import signal
import sys
from pathlib import Path

from equipoise.examples.helpdesk.drive import workload
from equipoise.examples.helpdesk.drive.driver import Drive, NotOurs, drive
from equipoise.examples.helpdesk.drive.process import ServiceFailed
from equipoise.examples.helpdesk.drive.truth import true_effects
from equipoise.examples.helpdesk.service import __main__ as service
from equipoise.examples.helpdesk.study.folder import UNITS, Occupied, write_study


def main(arguments: list[str] | None = None) -> int:
    """Runs one command; 0 done, 2 wrong input, 5 the service failed, 130 and 143 interrupted."""
    options = _parser().parse_args(arguments)
    if options.command == "serve":
        return service.run(options)
    if options.command == "study":
        return _write_study(options)
    if options.command == "truth":
        _tell_truth(options.seed, options.units)
        return 0
    signal.signal(signal.SIGTERM, _leave)
    what = Drive(
        release=options.release,
        out=options.out,
        seed=options.seed,
        units=options.units,
        repetitions=options.repetitions,
        desks=options.desks,
        own_dice=options.own_dice,
        mixed=options.mixed,
    )
    return _drive(what)


def _drive(what: Drive) -> int:
    try:
        driven = drive(what)
    except NotOurs as wrong:
        sys.stderr.write(f"error: {wrong}\n")
        return 2
    except OSError as wrong:
        sys.stderr.write(f"error: {wrong.filename or what.out}: {wrong.strerror or wrong}\n")
        return 2
    except ServiceFailed as failed:
        sys.stderr.write(f"error: {failed}\n")
        return 5
    except KeyboardInterrupt:
        return 130
    sys.stdout.write(
        f"release {what.release}: {driven.rows} attempts, {driven.completed} completed,"
        f" {driven.infrastructure_errors} lost to the line, {driven.seconds:.1f} s\n{driven.runs}\n"
    )
    return 0


def _write_study(options: argparse.Namespace) -> int:
    try:
        write_study(options.out, seed=options.seed, units=options.units)
    except Occupied as wrong:
        sys.stderr.write(f"error: {wrong}\n")
        return 2
    sys.stdout.write(f"{options.out / 'study.yaml'}\n")
    return 0


def _tell_truth(seed: int, units: int) -> None:
    sys.stdout.write("intent\tlanguage\tchannel\tunits\tplanted\tloss\ttool_call_wrong_arg\n")
    for cell in true_effects(workload.build(seed, units), seed=seed):
        sys.stdout.write(
            f"{cell.intent}\t{cell.language}\t{cell.channel}\t{cell.units}\t{cell.planted}"
            f"\t{cell.loss_effect:+.3f}\t{cell.category_effect:+.3f}\n"
        )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m equipoise.examples.helpdesk", description=__doc__, allow_abbrev=False
    )
    commands = parser.add_subparsers(dest="command", required=True)
    driver = commands.add_parser("drive", help="start a release, play the workload, write runs")
    driver.add_argument("--out", type=Path, required=True, help="folder for everything it writes")
    driver.add_argument("--repetitions", type=service.count, default=2, help="times each is played")
    driver.add_argument("--release", type=int, choices=(1, 2), required=True)
    driver.add_argument("--desks", type=service.count, default=4, help="customers served at once")
    driver.add_argument(
        "--own-dice", action="store_true", help="let chance fall differently in each release"
    )
    driver.add_argument(
        "--mixed", action="store_true", help="as a German shop has it, not all cells evenly"
    )
    service.add_options(commands.add_parser("serve", help="serve a release on a free port"))
    study = commands.add_parser("study", help="write the loss study into a new folder")
    study.add_argument("--out", type=Path, required=True, help="folder to be made")
    truth = commands.add_parser("truth", help="print the true effect that was planted, by cell")
    for command, units in ((driver, 900), (study, UNITS), (truth, 900)):
        command.add_argument(
            "--units", type=service.count, default=units, help="customers, one message each"
        )
        command.add_argument("--seed", type=int, default=7, help="seed of all chance")
    return parser


def _leave(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)


if __name__ == "__main__":
    sys.exit(main())
