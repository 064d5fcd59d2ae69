"""``equipoise annotate import``: takes answers that were given elsewhere."""

from pathlib import Path

import click

from equipoise.cli.kinds import refuse_unrated
from equipoise.errors import as_word


@click.command("import")
@click.argument("study", type=click.Path(path_type=Path))
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--format",
    "form",
    type=click.Choice(["csv", "jsonl", "potato", "label-studio"]),
    default="csv",
    show_default=True,
    help="What wrote them.",
)
@click.option(
    "--drop-faulty", is_flag=True, help="Take the sound answers, and only count the others."
)
@click.option(
    "--database",
    default="",
    help="Answers go to PostgreSQL: postgresql://USER@HOST/DATABASE, or env:NAME of a variable.",
)
def command(
    study: Path, files: tuple[Path, ...], *, form: str, drop_faulty: bool, database: str
) -> None:
    """Take the answers in FILES into the campaign of the study in the folder STUDY.

    A packet that is not of this campaign, or somebody else's, half a choice, one text as best and
    worst, a text that was not shown, a second answer, and whatever says what an output cost are
    refused, with how many there are of each; nothing is taken then. The same file taken again
    changes nothing.

    Exit codes: 0 taken; 2 answers are refused, or a file cannot be read; 3 there is no campaign.
    """
    refuse_unrated(study)
    from equipoise.cli.clock import now
    from equipoise.cli.screen import write
    from equipoise.studies.rating.exchanging import import_answers
    from equipoise.wiring.annotating import answers_database

    taken = import_answers(
        study,
        files,
        form,
        now=now(),
        drops_faulty=drop_faulty,
        database=answers_database(database),
    )
    known = f", {taken.n_known:,} there already" if taken.n_known else ""
    write(f"{taken.n_new:,} of {taken.n_rows:,} answers taken{known}\n")
    if taken.found.refused:
        write(f"refused: {taken.found.told()}\n")
    write(f"next: equipoise annotate collect {as_word(study)}\n")
