"""Imports foreign runs: a reader's stream becomes an archive, whole or not at all."""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from equipoise import __version__
from equipoise.archive.columns import stamp_columns
from equipoise.archive.manifest import MANIFEST, Criterion, Manifest, Source
from equipoise.archive.store import Archive
from equipoise.errors import InputError, UnreadableSource
from equipoise.pipeline.intake import Intake
from equipoise.pipeline.source import describe, run_id
from equipoise.pipeline.staging import publish, staged
from equipoise.pipeline.tally import ImportSummary, oddities, summarise
from equipoise.ports import DeclaresCriteria, LogReader
from equipoise.records.notice import Notice
from equipoise.records.terms import Direction

ARCHIVES = Path("archives")
_EVERY = 1000
_REASONS = 3


def import_runs(
    reader: LogReader,
    source: Path,
    destination: Path | None,
    options: dict[str, Any],
    *,
    on_progress: Callable[[int], None] | None = None,
) -> ImportSummary:
    """Archives the runs of a source (see `archive_runs`) and says what was read and what not."""
    path, is_reused = archive_runs(reader, source, destination, options, on_progress=on_progress)
    return summarise(path, is_reused=is_reused)


def archive_runs(
    reader: LogReader,
    source: Path,
    destination: Path | None,
    options: dict[str, Any],
    *,
    on_progress: Callable[[int], None] | None = None,
) -> tuple[Path, bool]:
    """Reads the runs of a source into a new archive; gives its folder, and if it stood already.

    The archive is made in a temporary folder beside the destination and renamed at the end: a
    killed import leaves nothing under the final name. Where the same content, read in the same
    way, stands at the destination already, it is used as it is.

    Args:
        reader: reads the source's format.
        source: file or folder.
        destination: the archive's folder; None = ``archives/<run id>`` in the current folder.
        options: the user's mapping; it becomes part of the archive's identity.
        on_progress: is called now and then with the number of readings so far.

    Raises:
        UnreadableSource: nothing could be read.
        InputError: the destination is taken by something else, or the options are wrong.
        StorageFull: the disk took no more; no archive was made.
    """
    described = describe(source, reader.name, options)
    identity = run_id(described)
    path = destination if destination is not None else ARCHIVES / identity
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        return _reuse(path, identity)
    with staged(path) as folder, few_collections():
        made = folder / "archive"
        _read_into(made, reader, source, described, options, on_progress or (lambda _: None))
        if not publish(made, path):
            return _reuse(path, identity)
    return path, False


@contextmanager
def few_collections() -> Iterator[None]:
    """Lets the collector of cycles run seldom: records hold none and are freed as they go."""
    before = gc.get_threshold()
    gc.set_threshold(100_000, 50, 50)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _reuse(path: Path, identity: str) -> tuple[Path, bool]:
    found = ""
    if path.joinpath(MANIFEST).is_file():
        found = Archive.open(path).manifest.run_id
    if found != identity:
        raise InputError(
            f"{path} holds {f'the archive {found!r}' if found else 'something else'}",
            wanted=f"a free place for {identity!r}; nothing is ever overwritten",
            mend="give another folder with -o, or move the old one away",
            code="exists",
        )
    return path, True


def _read_into(
    made: Path,
    reader: LogReader,
    source: Path,
    described: Source,
    options: dict[str, Any],
    on_progress: Callable[[int], None],
) -> None:
    manifest = Manifest(
        run_id=run_id(described), kind="import", tool_version=__version__, source=described
    )
    with Archive.create(made, manifest, is_durable=False) as archive:
        intake = Intake(archive, source if source.is_dir() else source.parent)
        for number, reading in enumerate(reader.read(source, options), start=1):
            intake.take(reading)
            if number % _EVERY == 0:
                on_progress(number)
        intake.finish()
        archive.commit()
        if not intake.n_trials:
            raise _nothing(archive, source, reader.name)
        columns = archive.columns()
        for notice in oddities(columns):
            archive.append(notice)
        archive.declare(_declared(manifest, intake, reader, options))
        stamp_columns(columns, archive.head)


def _declared(
    manifest: Manifest, intake: Intake, reader: LogReader, options: dict[str, Any]
) -> Manifest:
    directions = reader.directions(options) if isinstance(reader, DeclaresCriteria) else {}
    return Manifest(
        run_id=manifest.run_id,
        kind=manifest.kind,
        tool_version=manifest.tool_version,
        source=manifest.source,
        criteria={
            name: Criterion(direction=directions.get(name, Direction.HIGHER))
            for name in sorted(intake.criteria)
        },
        is_simulated=intake.is_simulated,
    )


def _nothing(archive: Archive, source: Path, format_name: str) -> UnreadableSource:
    reasons = [
        f"{notice.code}: {notice.message} ({notice.where})"
        for notice in islice(archive.read(Notice), _REASONS)
    ]
    return UnreadableSource(
        f"{source} holds no run that could be read as {format_name!r}"
        + (f" [{'; '.join(reasons)}]" if reasons else ""),
        wanted="at least one run",
        mend="check the format and the mapping; `equipoise import --help` lists the formats",
        code="no_runs",
    )
