"""``equipoise init``: begins a study with one that runs as it is."""

from pathlib import Path

import click

from equipoise.errors import as_word


@click.command("init")
@click.argument("kind", type=click.Choice(["loss", "rating", "outcome", "questionnaire"]))
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--from",
    "sources",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="ARCHIVE",
    help="rating: begin with the outputs in this archive, or in those of this study.",
)
@click.option("--lang", default="", help="rating: the language of these outputs, such as en.")
@click.option(
    "--repetition",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="rating: which repetition of each cell.",
)
@click.option(
    "--phase",
    type=click.Choice(["P0", "P1", "P2", "P3"]),
    help="outcome: begin with a phase of a campaign.",
)
def command(
    kind: str,
    folder: Path,
    *,
    sources: tuple[Path, ...],
    lang: str,
    repetition: int,
    phase: str | None,
) -> None:
    """Write a small study of the KIND into FOLDER, with comments, ready to be planned.

    questionnaire: no study, but the six categories of Komissarov's questionnaire as a rubric, to
    be named as the `catalog` of a loss study whose outputs are translations.

    loss: what an agent or a program loses, in runs that are executed or read from logs. rating:
    whose outputs are best, by people and model judges who do not know whose they are. outcome:
    whose work passes hidden tests, of coding agents on the scenarios of a pack.

    --phase P0 begins a campaign of outcome studies with bugs; P1 (features, with a skill and
    without) and P2 (decompositions) name a finished P0 study; P3 runs whole epics and asks for its
    budget to be confirmed.

    Nothing that stands there is ever overwritten.

    Exit codes: 0 written; 2 a file of the study stands there already, or the folder cannot be made.
    """
    if sources:
        _from(kind, folder, list(sources), lang=lang, repetition=repetition)
        return
    from equipoise.cli.starting import write_starter

    if phase and kind != "outcome":
        from equipoise.errors import InputError

        raise InputError(f"--phase with {kind}", wanted="init outcome", code="kind")
    paths = write_starter(folder, kind, phase or "")
    what = "questionnaire" if kind == "questionnaire" else f"{kind} study"
    click.echo(f"{_article(kind)} {what} in {folder}; begin with")
    for path in paths:
        click.echo(f"  {path}")
    if kind == "questionnaire":
        click.echo(f"write catalog: {paths[0].name} in the study.yaml beside it, and name judges")
    elif phase in {"P1", "P2"}:
        click.echo(
            f"next: finish a study of phase P0 first and name it in `after:` of {paths[0]} (now "
            f"../p0); then equipoise plan {as_word(folder)}"
        )
    else:
        click.echo(f"it runs as it is: equipoise plan {as_word(folder)}")


def _from(kind: str, folder: Path, sources: list[Path], *, lang: str, repetition: int) -> None:
    from equipoise.cli.starting_rating import write_from
    from equipoise.errors import InputError

    if kind != "rating":
        raise InputError(f"--from with {kind}", wanted="init rating", code="kind")
    found = write_from(folder, sources, repetition=repetition, lang=lang)
    click.echo(f"{len(found.outputs):,} outputs of {', '.join(found.arms)} in {folder}")
    for why, n in sorted(found.left_out.items()):
        click.echo(f"  left out: {n:,} trials ({why})")
    click.echo(f"next: change {folder / 'study.yaml'}, then equipoise plan {as_word(folder)}")


def _article(word: str) -> str:
    return "an" if word[0] in "aeiou" else "a"
