"""``equipoise import``: the runs of any tool become an archive."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from equipoise.cli.screen import write, write_json
from equipoise.errors import as_word

if TYPE_CHECKING:
    from equipoise.pipeline.tally import ImportSummary

_SHOWN_NOTICES = 8


class _Command(click.Command):
    """A command whose help lists the formats there are."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  click's signature
        from equipoise.wiring import READERS

        with formatter.section("Formats"):
            formatter.write_dl([(name, says) for name, (_, says) in READERS.items()])


@click.command("import", cls=_Command)
@click.argument("format_name", metavar="FORMAT")
@click.argument("source", metavar="PATH", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Folder; default archives/<run id>."
)
@click.option(
    "--map", "mapping", type=click.Path(path_type=Path), help="YAML file: which field is what."
)
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="One mapping key.")
@click.option("--arm", help="One name for the arm of all runs.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
def command(
    format_name: str,
    source: Path,
    output: Path | None,
    mapping: Path | None,
    settings: tuple[str, ...],
    *,
    arm: str | None,
    as_json: bool,
) -> None:
    """Read the runs of any tool into an archive.

    FORMAT names what wrote the runs, PATH is its file or folder. The archive keeps every run, says
    what could not be read, and is never overwritten: the same import again finds it and uses it.

    Exit codes: 0 an archive stands; 2 nothing could be read, the mapping is wrong or the place is
    taken; 3 the disk is full; 130 interrupted (no half archive is left).
    """
    from equipoise.pipeline.importing import import_runs
    from equipoise.pipeline.options import read_options
    from equipoise.wiring import reader

    options = read_options(mapping, settings, arm=arm, format_name=format_name)
    chosen = reader(format_name)
    with _progress() as on_progress:
        summary = import_runs(chosen, source, output, options, on_progress=on_progress)
    if as_json:
        write_json(_as_json(summary))
    else:
        write("\n".join(_lines(summary)) + "\n")


def _as_json(summary: "ImportSummary") -> str:
    from equipoise.records.codec import pretty

    return pretty(summary).decode()


def _lines(summary: "ImportSummary") -> Iterator[str]:
    done = "stands already, with the same content" if summary.is_reused else "made"
    yield f"archive {summary.path} ({done})"
    source = summary.source
    if source is not None:
        files = f", {source.n_files} files" if source.n_files > 1 else ""
        yield f"  source     {source.name} ({source.format}, {source.n_bytes:,} bytes{files})"
    retries = summary.n_attempts_beyond_first
    yield (
        f"  trials     {summary.n_trials:,} of {summary.n_units:,} units, "
        f"up to {summary.max_repetition} repetitions"
        + (f", {retries:,} retries" if retries else "")
        + (" [simulated]" if summary.is_simulated else "")
    )
    yield f"  arms       {_counted(summary.arms)}"
    yield f"  endings    {_counted(summary.endings)}"
    for name, tally in summary.criteria.items():
        missing = f"; missing: {_counted(tally.missing)}" if tally.missing else "; none missing"
        yield f"  {name:10} {tally.n_values:,} values ({tally.direction} is better){missing}"
    if not summary.criteria:
        yield "  outcome    no grade at all: nothing can be compared yet"
    if summary.labels:
        yield f"  labels     {_counted(summary.labels)} (key: number of values)"
    if summary.n_documents:
        yield f"  documents  {summary.n_documents:,}"
    yield f"  notices    {_counted(summary.n_notices) or 'none'}"
    for notice in summary.notices[:_SHOWN_NOTICES]:
        where = f" [{notice.where}]" if notice.where else ""
        times = f" ({notice.count:,} times)" if notice.count > 1 else ""
        yield f"    {notice.severity.value}: {notice.message}{times}{where}"
    if len(summary.notices) > _SHOWN_NOTICES:
        yield "    … all of them: equipoise import … --json, or notices.jsonl in the archive"
    yield f"  head       {summary.head}"
    yield f"next: {_next(summary)}"


def _counted(counts: dict[str, int], most: int = 8) -> str:
    shown = [f"{key} {n:,}" for key, n in list(counts.items())[:most]]
    return ", ".join(shown) + (f", and {len(counts) - most} more" if len(counts) > most else "")


def _next(summary: "ImportSummary") -> str:
    arms = list(summary.arms)
    if len(arms) > 1:
        return (
            f"equipoise compare {as_word(summary.path)}::{arms[0]} "
            f"{as_word(summary.path)}::{arms[1]}"
        )
    return (
        f"equipoise compare {as_word(summary.path)} OTHER "
        "  (OTHER: an archive or a file of the change)"
    )


@contextmanager
def _progress() -> Iterator[Callable[[int], None] | None]:
    """Shows how far a long import is, on a terminal only."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.completed:,} records read"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task("import", total=None)
        yield lambda n: shown.update(task, completed=n)
