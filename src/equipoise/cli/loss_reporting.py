"""What `report` does with a loss study: writes its comparisons and its history again."""

import sys
from pathlib import Path

import click

from equipoise.archive.durable import replace_file, storage_errors
from equipoise.errors import InputError, as_word
from equipoise.records.outcome_report import OUTCOME
from equipoise.studies.loss.comparing import RESULT
from equipoise.studies.loss.pairing import COMPARISONS
from equipoise.studies.loss.retelling import TREND, retell, trend
from equipoise.studies.loss.sealed import refuse_edited_study
from equipoise.studies.outcome.retelling import retold

_FORMS = {
    "html": "report/index.html",
    "json": RESULT,
    "junit": "report/junit.xml",
    "md": "TOP-REGRESSIONS.md",
}


def report_loss(path: Path, form: str | None) -> None:
    """Writes every comparison at the path again, or prints one form of the only one.

    Raises:
        InputError: there is no comparison; or several, and one form of one was asked for.
        Tampered: the study is not as it was sealed.
    """
    is_one = path.joinpath(RESULT).is_file()
    study = path.resolve().parent.parent if is_one else path
    folders = [path] if is_one else sorted(p.parent for p in path.glob(f"{COMPARISONS}/*/{RESULT}"))
    if not folders:
        raise InputError(
            f"{path} has no comparison",
            wanted="a study whose runs were compared",
            mend=f"equipoise compare {as_word(path)}",
            code="no_comparison",
        )
    refuse_edited_study(study)
    if form is not None:
        _print(study, folders, form)
        return
    for folder in folders:
        for name, content in _files(study, folder).items():
            _write(folder / name, content)
        click.echo(str(folder / "report" / "index.html"))
    _write(study / TREND, trend(study))
    click.echo(str(study / TREND))


def _print(study: Path, folders: list[Path], form: str) -> None:
    if form not in _FORMS:
        raise InputError(
            f"--format {form} of a loss comparison", wanted=f"one of {', '.join(sorted(_FORMS))}"
        )
    if len(folders) > 1:
        raise InputError(
            f"there are {len(folders)} comparisons",
            wanted="the folder of one of them",
            mend=f"equipoise report {as_word(folders[-1])} --format {form}",
        )
    files = _files(study, folders[0])
    if form == "md" and OUTCOME in files:
        raise InputError(
            "--format md of an outcome comparison: its table lists losses, and none decides there",
            wanted="html, json or junit",
            mend=f"equipoise compare {as_word(study)} prints what it says in words",
            code="form",
        )
    name = OUTCOME if form == "json" and OUTCOME in files else _FORMS[form]
    sys.stdout.buffer.write(files[name])


def _files(study: Path, folder: Path) -> dict[str, bytes]:
    """Gives the files of a comparison; of an outcome study those about outcomes with them."""
    files = retell(study, folder)
    if folder.joinpath(OUTCOME).is_file():
        files |= retold(study, folder).files
    return files


def _write(path: Path, content: bytes) -> None:
    with storage_errors(f"writing {path}"):
        path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, content)
