"""``equipoise init``: begins a study with one that runs as it is."""

from pathlib import Path

import click


@click.command("init")
@click.argument("kind", type=click.Choice(["loss", "rating"]))
@click.argument("folder", type=click.Path(path_type=Path))
def command(kind: str, folder: Path) -> None:
    """Write a small study of the KIND into FOLDER, with comments, ready to be planned.

    loss: what an agent or a program loses, in runs that are executed or read from logs. rating:
    whose outputs are best, by people and model judges who do not know whose they are.

    Nothing that stands there is ever overwritten.

    Exit codes: 0 written; 2 a file of the study stands there already, or the folder cannot be made.
    """
    from equipoise.cli.starting import write_starter

    paths = write_starter(folder, kind)
    click.echo(f"a {kind} study of {len(paths)} files in {folder}; begin with")
    for path in paths:
        click.echo(f"  {path}")
    click.echo(f"it runs as it is: equipoise plan {folder}")
