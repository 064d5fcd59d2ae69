"""``equipoise report``: writes the report of a comparison again, or prints one form of it."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from equipoise.records.result import Result

_FORMS = {"html": "index.html", "md": "report.md", "json": "report.json", "junit": "junit.xml"}


@click.command("report")
@click.argument("directory", type=click.Path(path_type=Path))
@click.option(
    "--format", "form", type=click.Choice(sorted(_FORMS)), help="Print this form to stdout instead."
)
def command(directory: Path, form: str | None) -> None:
    """Write the report of the comparison in DIRECTORY again and say where it is.

    Reads comparison.json, estimates.json and verdicts.json; writes report/index.html, report.md,
    report.json and junit.xml. The same three files always give the same bytes.

    Exit codes: 0 done; 2 a file is missing or is no comparison.
    """
    from equipoise.stages.report import render

    result = load(directory)
    files = render(result, {source.archive: source.head for source in result.file.sources})
    if form is not None:
        sys.stdout.buffer.write(files[_FORMS[form]])
        return
    click.echo(str(write(directory, files) / _FORMS["html"]))


def load(directory: Path) -> "Result":
    """Gives the result that a comparison directory holds.

    Raises:
        InputError: a file is missing, unreadable or not of its kind.
    """
    from equipoise.records.codec import decode
    from equipoise.records.result import ComparisonFile, Estimates, Result
    from equipoise.records.verdict import Verdict

    def part(name: str) -> bytes:
        return _read(directory / name)

    return Result(
        file=decode(part("comparison.json"), ComparisonFile, where="comparison.json"),
        estimates=decode(part("estimates.json"), Estimates, where="estimates.json"),
        verdicts=tuple(decode(part("verdicts.json"), list[Verdict], where="verdicts.json")),
    )


def write(directory: Path, files: dict[str, bytes]) -> Path:
    """Writes the files below ``report/``, each whole or not at all, and gives that folder.

    Raises:
        InputError: the folder cannot be written.
    """
    from equipoise.errors import InputError

    folder = directory / "report"
    try:
        folder.mkdir(exist_ok=True)
        for name, data in files.items():
            part = folder / f".{name}.part"
            part.write_bytes(data)
            part.replace(folder / name)
    except OSError as error:
        raise InputError(
            f"cannot write {folder}: {error.strerror}",
            wanted="a folder that can be written and a disk with room",
            code="unwritable",
        ) from error
    return folder


def _read(path: Path) -> bytes:
    from equipoise.errors import InputError

    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(
            f"cannot read {path}: {error.strerror}",
            wanted="the directory that `equipoise compare` wrote",
            mend="equipoise compare BASE NEW -o DIR",
            code="no_comparison",
        ) from error
