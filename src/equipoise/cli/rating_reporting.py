"""What `report` does with a rating study: writes its rankings and pages again."""

import sys
from pathlib import Path

import click

from equipoise.errors import InputError, as_word
from equipoise.records.ranking import RANKING
from equipoise.studies.rating.retelling import found_in, retell

_FORMS = {"html": "report/index.html", "json": RANKING, "md": "report/report.md"}


def report_rating(path: Path, form: str | None) -> None:
    """Writes every page of the study again, or prints one form.

    Raises:
        InputError: there is no comparison; several, and one form of one was asked for; or there is
            no such form of a ranking.
    """
    folders = found_in(path)
    if form is None:
        for folder in folders:
            retell(folder)
            click.echo(str(folder / "report" / "index.html"))
        return
    if form not in _FORMS:
        raise InputError(
            f"--format {form} of a ranking", wanted=f"one of {', '.join(sorted(_FORMS))}"
        )
    if len(folders) > 1:
        raise InputError(
            f"there are {len(folders)} comparisons",
            wanted="the folder of one of them",
            mend=f"equipoise report {as_word(folders[-1])} --format {form}",
        )
    sys.stdout.buffer.write(retell(folders[0], is_written=False)[_FORMS[form]])
