"""``equipoise annotate export``: tasks for other tools, and answers as tables."""

from pathlib import Path

import click

from equipoise.cli.kinds import refuse_unrated


@click.command("export")
@click.argument("study", type=click.Path(path_type=Path))
@click.option(
    "--what",
    type=click.Choice(["tasks", "answers", "joined", "judgements", "judged"]),
    default="tasks",
    show_default=True,
    help="What people are asked, what they answered, that with the arms it was about; what model "
    "judges said, and that with the arms.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["csv", "jsonl", "potato", "label-studio"]),
    default="csv",
    show_default=True,
    help="A table, JSON lines, or tasks for another tool.",
)
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    help="A file; for potato and label-studio a folder.",
)
@click.option(
    "--database",
    default="",
    help="Answers are in PostgreSQL: postgresql://USER@HOST/DATABASE, or env:NAME of a variable.",
)
def command(study: Path, *, what: str, form: str, out: Path, database: str) -> None:
    """Write what people and model judges of the study in the folder STUDY were asked and said.

    No arm, no key and no right answer of a check is in tasks, answers and judgements. Nothing is
    overwritten.

    --what joined reads the key and gives one row for each text that somebody saw, with its arm; the
    audit log of the campaign says so, and whoever reads the table is not blind any more. --what
    judged is the same of model judges; it waits until `compare` has joined the keys.

    Exit codes: 0 written; 2 a file stands there already, or the form has no such table; 3 there is
    no campaign, nobody has answered, or nothing was compared yet.
    """
    refuse_unrated(study)
    from equipoise.studies.rating.exchanging import export_answers, export_tasks
    from equipoise.wiring.annotating import answers_database

    if what in {"judgements", "judged"}:
        from equipoise.studies.rating.judge_votes import export_votes

        paths = export_votes(study, form, out, with_arms=what == "judged")
    elif what == "joined":
        from equipoise.cli.clock import now
        from equipoise.studies.rating.joined import export_joined

        kept = answers_database(database)
        paths = export_joined(study, form, out, now=now(), database=kept)
    elif what == "tasks":
        paths = export_tasks(study, form, out)
    else:
        paths = export_answers(study, form, out, database=answers_database(database))
    for path in paths:
        click.echo(str(path))
