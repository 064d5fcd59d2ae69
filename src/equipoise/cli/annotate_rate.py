"""``equipoise annotate rate``: one person rates in the terminal."""

import sys
from pathlib import Path

import click

from equipoise.cli.kinds import refuse_unrated
from equipoise.cli.screen import write
from equipoise.errors import as_word


@click.command("rate")
@click.argument("study", type=click.Path(path_type=Path))
@click.option("--annotator", required=True, help="Who rates; one of the planned people.")
@click.option(
    "--database",
    default="",
    help="Answers are in PostgreSQL: postgresql://USER@HOST/DATABASE, or env:NAME of a variable.",
)
def command(study: Path, *, annotator: str, database: str) -> None:
    """Rate the campaign of the study in the folder STUDY, set after set, by the keyboard.

    Type the numbers of the best and of the worst text; u takes the last answer back, ? helps, q
    leaves. Every answer is kept before the next set is shown, and the browser and the terminal may
    be used by turns. Whoever can read the study's folder could read its key: for others use links.

    Exit codes: 0 done, or left; 2 nobody has that name; 3 there is no campaign.
    """
    refuse_unrated(study)
    from equipoise.annotate.answers import check_belong, open_store
    from equipoise.annotate.campaign import read_campaign
    from equipoise.cli.clock import exact_now
    from equipoise.errors import InputError, nearest
    from equipoise.studies.rating.made import refuse_stale
    from equipoise.studies.rating.terminal import rate
    from equipoise.wiring.annotating import answers_database

    refuse_stale(study)
    campaign = read_campaign(study)
    if annotator not in campaign.lists:
        close = nearest(annotator, list(campaign.lists))
        raise InputError(
            f"no annotator {annotator!r}{'; ' + close if close else ''}",
            wanted=f"one of {', '.join(campaign.lists)}",
            code="unknown_annotator",
        )
    store = open_store(study, answers_database(database))
    try:
        check_belong(store.all(), campaign.packets)
        end = rate(campaign, store, annotator, ask=_line, tell=write, clock=exact_now)
    finally:
        store.close()
    if end == "done":
        write(f"next: equipoise annotate collect {as_word(study)}\n")


def _line(prompt: str) -> str | None:
    write(prompt)
    sys.stdout.flush()
    line = sys.stdin.readline()
    return line or None
