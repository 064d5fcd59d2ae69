"""Compares arms: archives in, estimates, verdicts and reports out, all derived and re-derivable."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb
import msgspec

from equipoise import __version__
from equipoise.archive.durable import replace_file, storage_errors
from equipoise.archive.store import Archive
from equipoise.errors import InputError
from equipoise.records.codec import decode, pretty
from equipoise.records.estimate import CellKey
from equipoise.records.judgement import JUDGE_SIMULATED
from equipoise.records.notice import Headline, Notice, Severity
from equipoise.records.result import ComparisonFile, Estimates, HeadlineCheck, Result
from equipoise.records.terms import ArmSource, Terms
from equipoise.records.verdict import Verdict, Word
from equipoise.stages.decide.verdicts import decide
from equipoise.stages.estimate.columns import ArmColumns
from equipoise.stages.estimate.estimating import Reading, estimate
from equipoise.stages.estimate.headlines import check_headlines
from equipoise.stages.estimate.resources import resources
from equipoise.stages.report import render

COMPARISON = "comparison.json"
ESTIMATES = "estimates.json"
VERDICTS = "verdicts.json"
REPORT = "report"


@dataclass(frozen=True, slots=True, kw_only=True)
class Derived:
    """What follows from a comparison's terms and archives: the result, and its files' bytes."""

    result: Result
    files: dict[str, bytes]


def derive(file: ComparisonFile, root: Path, *, fresh: Path | None = None) -> Derived:
    """Derives everything of a comparison from its terms and the archives it cites.

    Args:
        file: terms and sources; paths of archives are relative to `root`.
        root: the comparison's folder.
        fresh: a folder to derive the columns into anew, trusting no cache; null = use the caches.

    Raises:
        InputError: an archive is not there, the terms cannot be answered, or they claim a seal
            that no plan bears out.
        Tampered: an archive's lines are not those its head names.
    """
    if file.terms.is_sealed:
        raise InputError(
            "the terms say that they were sealed before the runs, and no sealed plan is there",
            wanted="is_sealed false: terms given to `compare` are exploratory",
            code="no_seal",
        )
    for source in file.sources:
        if Path(source.archive).is_absolute():
            raise InputError(
                f"the archive {source.archive!r} is named by an absolute path",
                wanted="a path relative to the comparison's folder, so that both can move",
                code="absolute_path",
            )
    archives = {
        source.archive: Archive.open(Path(os.path.normpath(root.resolve() / source.archive)))
        for source in file.sources
    }
    columns = {
        name: archive.columns() if fresh is None else archive.derive_columns(fresh / str(i))
        for i, (name, archive) in enumerate(sorted(archives.items()))
    }
    arms = [
        ArmColumns(name=s.name, path=columns[s.archive].results, arm=s.arm) for s in file.sources
    ]
    with duckdb.connect() as con:
        reading = estimate(
            con, file.terms, arms, [str(columns[name].evidence) for name in sorted(columns)]
        )
        is_simulated = reading.is_simulated or (reading.is_soft and _has_stand_ins(archives))
        verdicts = decide(
            file.terms,
            reading.estimates,
            is_simulated=is_simulated,
            is_soft=reading.is_soft,
        )
        estimates = msgspec.structs.replace(
            reading.estimates,
            resources=resources(con, file.terms, arms[0], _allowed(arms[1:], reading, verdicts)),
            headlines=_headlines(con, file, archives, {n: c.results for n, c in columns.items()}),
            notices=reading.estimates.notices + _told(archives) + _versions(archives),
        )
    result = Result(
        file=msgspec.structs.replace(file, is_simulated=is_simulated),
        estimates=estimates,
        verdicts=verdicts,
    )
    heads = {name: archive.head for name, archive in archives.items()}
    return Derived(result=result, files=_files(result, heads))


def _has_stand_ins(archives: Mapping[str, Archive]) -> bool:
    """Says whether judges of some archive's grades were stand-ins."""
    return any(
        notice.code == JUDGE_SIMULATED
        for archive in archives.values()
        for notice in archive.read(Notice)
    )


def write(derived: Derived, folder: Path) -> None:
    """Writes the files of a comparison, each whole or not at all.

    Raises:
        StorageFull: the disk took no more; files written before stand.
    """
    for name, content in derived.files.items():
        path = folder / name
        with storage_errors(f"writing {name}"):
            path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, content)


def read_result(folder: Path) -> Result:
    """Reads a written comparison.

    Raises:
        InputError: the folder holds no comparison, or one of its files is broken.
    """
    try:
        file, estimates, verdicts = (
            folder.joinpath(name).read_bytes() for name in (COMPARISON, ESTIMATES, VERDICTS)
        )
    except OSError as error:
        raise InputError(
            f"{error.filename} cannot be read: {error.strerror}",
            wanted="the folder of a comparison",
            mend="make one with `equipoise compare BASE NEW -o FOLDER`",
            code="no_comparison",
        ) from error
    return Result(
        file=decode(file, ComparisonFile, where=str(folder / COMPARISON)),
        estimates=decode(estimates, Estimates, where=str(folder / ESTIMATES)),
        verdicts=decode(verdicts, tuple[Verdict, ...], where=str(folder / VERDICTS)),
    )


def sources_of(
    terms: Terms, chosen: Sequence[tuple[str, Path, str]], root: Path
) -> tuple[ArmSource, ...]:
    """Gives the arms' sources, baseline first, with the heads of their archives.

    Args:
        terms: names the arms.
        chosen: (name in the comparison, archive, arm in the archive).
        root: the comparison's folder; archives are named relative to it.
    """
    by_name = {name: (path, arm) for name, path, arm in chosen}
    return tuple(
        ArmSource(
            name=name,
            archive=Path(os.path.relpath(by_name[name][0].resolve(), root.resolve())).as_posix(),
            arm=by_name[name][1],
            head=Archive.open(by_name[name][0]).head,
        )
        for name in (terms.baseline, *terms.arms)
    )


def new_comparison(terms: Terms, sources: tuple[ArmSource, ...]) -> ComparisonFile:
    """Gives the record of a comparison made by this version of the tool."""
    return ComparisonFile(terms=terms, sources=sources, tool_version=__version__)


def _files(result: Result, heads: Mapping[str, str]) -> dict[str, bytes]:
    files = {
        COMPARISON: pretty(result.file),
        ESTIMATES: pretty(result.estimates),
        VERDICTS: pretty(result.verdicts),
    }
    for name, content in render(result, heads).items():
        files[f"{REPORT}/{name}"] = content
    return files


def _allowed(
    arms: Sequence[ArmColumns], reading: Reading, verdicts: Sequence[Verdict]
) -> dict[str, tuple[ArmColumns, str]]:
    """Says per arm why its cost and speed may not be compared; "" where they may."""
    whole = {
        c.arm: verdict
        for c, verdict in zip(reading.estimates.comparisons, verdicts, strict=True)
        if c.cell == CellKey()
    }
    good = (Word.BETTER, Word.EQUIVALENT)
    return {
        arm.name: (
            arm,
            ""
            if whole[arm.name].word in good
            else f"the outcome is not shown to be equivalent or better ({whole[arm.name].word})",
        )
        for arm in arms
    }


def _headlines(
    con: duckdb.DuckDBPyConnection,
    file: ComparisonFile,
    archives: Mapping[str, Archive],
    columns: Mapping[str, Path],
) -> tuple[HeadlineCheck, ...]:
    used = {(s.archive, s.arm) for s in file.sources}
    return tuple(
        check
        for name, archive in sorted(archives.items())
        for check in check_headlines(
            con,
            columns[name],
            [h for h in archive.read(Headline) if not h.arm or (name, h.arm) in used],
            file.terms.criterion,
        )
    )


def _told(archives: Mapping[str, Archive]) -> tuple[Notice, ...]:
    """Gives what the readers had to tell, each with the name of its archive."""
    return tuple(
        msgspec.structs.replace(notice, where=f"{archive.manifest.run_id}: {notice.where}")
        for _, archive in sorted(archives.items())
        for notice in archive.read(Notice)
        if notice.severity is not Severity.INFO
    )


def _versions(archives: Mapping[str, Archive]) -> tuple[Notice, ...]:
    made = {archive.manifest.tool_version for archive in archives.values()}
    if len(made) <= 1:
        return ()
    return (
        Notice(
            code="mixed_tool_versions",
            message=f"the archives were made by versions {', '.join(sorted(made))} of this tool",
        ),
    )
