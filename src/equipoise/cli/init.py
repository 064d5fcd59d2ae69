"""``equipoise init``: begins a study with one that runs as it is."""

from pathlib import Path

import click


@click.command("init")
@click.argument("kind", type=click.Choice(["loss", "rating", "questionnaire"]))
@click.argument("folder", type=click.Path(path_type=Path))
def command(kind: str, folder: Path) -> None:
    """Write a small study of the KIND into FOLDER, with comments, ready to be planned.

    questionnaire: no study, but the six categories of Komissarov's questionnaire as a rubric, to
    be named as the `catalog` of a loss study whose outputs are translations.

    loss: what an agent or a program loses, in runs that are executed or read from logs. rating:
    whose outputs are best, by people and model judges who do not know whose they are.

    Nothing that stands there is ever overwritten.

    Exit codes: 0 written; 2 a file of the study stands there already, or the folder cannot be made.
    """
    from equipoise.cli.starting import write_starter

    paths = write_starter(folder, kind)
    what = "questionnaire" if kind == "questionnaire" else f"{kind} study of {len(paths)} files"
    click.echo(f"a {what} in {folder}; begin with")
    for path in paths:
        click.echo(f"  {path}")
    if kind == "questionnaire":
        click.echo(f"write catalog: {paths[0].name} in the study.yaml beside it, and name judges")
    else:
        click.echo(f"it runs as it is: equipoise plan {folder}")
