"""``equipoise demo``: the built-in example, from two real releases to a verified verdict."""

import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

_OUT = Path("demo-out")
_PARTITIONS = ("intent", "intent*language*channel")


@click.command("demo")
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), default=_OUT, help="Folder; default demo-out."
)
@click.option("--units", type=click.IntRange(min=45), default=900, help="Conversations a release.")
@click.option("--seed", type=int, default=7, help="Seed of the workload.")
def command(out: Path, units: int, seed: int) -> None:
    """Run two releases of a small help desk, compare them, verify the result, write the report.

    The help desk is a real program (HTTP, SQLite, several hops); its customers are invented.
    Release 2 answers some refunds wrongly and some invoice questions better; nothing else changed.
    The comparison is told none of this.
    """
    from equipoise.cli.asked import Asked
    from equipoise.cli.comparing import run_compare
    from equipoise.cli.verify import run_verify
    from equipoise.examples.helpdesk import MAPPING

    started = time.monotonic()
    releases = []
    for release in (1, 2):
        with _step(f"drive release {release} of the help desk with {units} conversations"):
            releases.append(_driven(release, out, units, seed))
    _clear(out / "comparison")
    asked = Asked.from_options(
        {
            "sources": tuple(str(path) for path in releases),
            "out": out / "comparison",
            "mapping": MAPPING,
            "partition": _PARTITIONS,
        }
    )
    _say("compare them\n")
    run_compare(asked)
    _say("")
    n_faults = run_verify(out / "comparison", as_json=False)
    _say(f"\ndone in {time.monotonic() - started:.0f} s")
    _say(f"open {(out / 'comparison' / 'report' / 'index.html').resolve().as_uri()}")
    raise SystemExit(1 if n_faults else 0)


def _clear(comparison: Path) -> None:
    """Removes what an earlier demo left; anything that is no comparison is left alone."""
    if comparison.joinpath("comparison.json").is_file():
        shutil.rmtree(comparison)


def _driven(release: int, out: Path, units: int, seed: int) -> Path:
    from equipoise.errors import Void
    from equipoise.examples.helpdesk.drive.driver import Drive, NotOurs, drive
    from equipoise.examples.helpdesk.drive.process import ServiceFailed

    place = out / f"release-{release}"
    try:
        return drive(Drive(release=release, out=place, seed=seed, units=units, own_dice=True)).runs
    except (NotOurs, ServiceFailed) as error:
        raise Void(f"the help desk could not be driven: {error}") from error


@contextmanager
def _step(text: str) -> Iterator[None]:
    began = time.monotonic()
    yield
    _say(f"{text}: {time.monotonic() - began:.1f} s")


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
