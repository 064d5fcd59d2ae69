"""``equipoise annotate collect``: puts what people answered into the archive of the study."""

from pathlib import Path

import click

from equipoise.cli.kinds import refuse_unrated
from equipoise.errors import as_word


@click.command("collect")
@click.argument("study", type=click.Path(path_type=Path))
@click.option(
    "--database",
    default="",
    help="Answers are in PostgreSQL: postgresql://USER@HOST/DATABASE, or env:NAME of a variable.",
)
def command(study: Path, *, database: str) -> None:
    """Archive the answers to the campaign of the study in the folder STUDY.

    What was answered since the last time is appended to STUDY/archive; nothing there is altered.
    It may be done while people still answer, and again later.

    Exit codes: 0 archived; 1 the study or an archived answer was changed; 3 it is not sealed,
    there is no campaign, or nobody has answered yet.
    """
    refuse_unrated(study)
    from equipoise.cli.clock import now
    from equipoise.studies.rating.collecting import collect
    from equipoise.wiring.annotating import answers_database

    done = collect(study, now=now(), database=answers_database(database))
    marked = ", simulated" if done.is_simulated else ""
    click.echo(f"{done.archive}: {done.n_new:,} new of {done.n_all:,} answers{marked}")
    click.echo(f"  head {done.head}")
    click.echo(f"next: equipoise compare {as_word(study)}")
