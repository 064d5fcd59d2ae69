"""``equipoise report``: writes the report of a comparison again, or prints one form of it."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from equipoise.errors import InputError

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

    DIRECTORY may be a loss or an outcome study, or the folder of one of its comparisons: then
    every file of the comparison is derived from the archives again, and history.html, the losses
    over time, is drawn.

    Reads comparison.json, estimates.json and verdicts.json; writes report/index.html, report.md,
    report.json and junit.xml. The same three files always give the same bytes.

    Exit codes: 0 done; 2 a file is missing or is no comparison; 3 the disk is full.
    """
    from equipoise.cli.kinds import is_rating
    from equipoise.cli.loss_sources import is_loss_report

    if is_rating(directory):
        from equipoise.cli.rating_reporting import report_rating

        report_rating(directory, form)
        return
    if is_loss_report(directory):
        from equipoise.cli.loss_reporting import report_loss

        report_loss(directory, form)
        return
    from equipoise.stages.report import render

    result = _result(directory)
    files = render(result, {source.archive: source.head for source in result.file.sources})
    if form is None:
        _write(directory / "report", files)
        click.echo(str(directory / "report" / _FORMS["html"]))
    else:
        sys.stdout.buffer.write(files[_FORMS[form]])


def _result(directory: Path) -> "Result":
    from equipoise.pipeline.comparing import read_result

    try:
        return read_result(directory)
    except OSError as error:
        raise InputError(
            f"cannot read {error.filename}: {error.strerror}",
            wanted="the folder of a comparison",
            mend="make one with `equipoise compare BASE NEW -o FOLDER`",
            code="no_comparison",
        ) from error


def _write(folder: Path, files: dict[str, bytes]) -> None:
    from equipoise.archive.durable import replace_file, storage_errors

    with storage_errors(f"making {folder}"):
        folder.mkdir(exist_ok=True)
    for name, content in files.items():
        replace_file(folder / name, content)
