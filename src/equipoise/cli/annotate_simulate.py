"""``equipoise annotate simulate``: made-up annotators of known reliability, marked as such."""

import math
from pathlib import Path

import click

from equipoise.cli.finite import FiniteRange
from equipoise.cli.kinds import refuse_unrated
from equipoise.errors import as_word


@click.command("simulate")
@click.argument("study", type=click.Path(path_type=Path))
@click.option(
    "--worth",
    "worths",
    multiple=True,
    metavar="ARM=NUMBER",
    help="What an arm's outputs are worth to them; 0 without. A difference of 1 is odds of 2.7.",
)
@click.option(
    "--reliability",
    type=FiniteRange(0, 1),
    default=0.9,
    show_default=True,
    help="Share of the sets that they look at; in the others they choose by chance.",
)
@click.option(
    "--spread",
    type=FiniteRange(0, 10),
    default=0.0,
    show_default=True,
    help="How much outputs of one arm differ in worth (standard deviation).",
)
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Their chance.")
@click.option("--annotator", "people", multiple=True, help="Only this one of the planned people.")
@click.option(
    "--database",
    default="",
    help="Answers are in PostgreSQL: postgresql://USER@HOST/DATABASE, or env:NAME of a variable.",
)
def command(
    study: Path,
    *,
    worths: tuple[str, ...],
    reliability: float,
    spread: float,
    seed: int,
    people: tuple[str, ...],
    database: str,
) -> None:
    """Let made-up annotators rate the campaign of the study in the folder STUDY.

    To see what a study will tell before anybody is asked. They know the key and what each arm is
    worth; every answer is marked simulated, and so is everything made from it. A campaign that
    people have answered is refused, and so are other worths for who has answered.

    Exit codes: 0 rated; 2 no such arm or annotator; 3 it is not sealed, there is no campaign, or
    people have answered it.
    """
    refuse_unrated(study)
    from equipoise.cli.clock import now
    from equipoise.errors import InputError
    from equipoise.studies.rating.simulating import Mind, simulate
    from equipoise.wiring.annotating import answers_database

    worth: dict[str, float] = {}
    for text in worths:
        arm, _, value = text.partition("=")
        try:
            worth[arm] = float(value)
        except ValueError:
            worth[arm] = math.nan
        if not math.isfinite(worth[arm]):
            raise InputError(f"--worth {text}", wanted="ARM=NUMBER, such as draft=0.5")
    mind = Mind(worth=worth, reliability=reliability, spread=spread, seed=seed)
    n = simulate(study, mind, now=now(), people=people, database=answers_database(database))
    if not n:
        click.echo("simulated: nothing new, every set was answered before by the same minds")
        return
    click.echo(f"simulated: {n:,} answers, reliability {reliability:g}, none of them by people")
    click.echo(f"next: equipoise annotate status {as_word(study)}")
