"""``equipoise annotate make``: the campaign of a sealed study, and one link for each person."""

from pathlib import Path

import click

from equipoise.cli.kinds import refuse_unrated
from equipoise.errors import as_word


@click.command("make")
@click.argument("study", type=click.Path(path_type=Path))
@click.option("--renew", metavar="NAME", help="Give one person a new link; the old one ends.")
@click.option(
    "--renew-dashboard", is_flag=True, help="Give the dashboard a new link; the old one ends."
)
def command(study: Path, *, renew: str | None, renew_dashboard: bool) -> None:
    """Make the campaign of the sealed rating study in the folder STUDY.

    Writes campaign/: packets (what people see), who gets which, and apart, with mode 0600, the
    key, the checks and the hashes of the tokens. Prints one token for each person and one for the
    dashboard, this once: only their hashes are kept.

    Exit codes: 0 made; 1 the study was changed since sealing; 2 nobody has that name; 3 it is not
    sealed, nobody is planned to rate, or the campaign is made already.
    """
    refuse_unrated(study)
    from equipoise.studies.rating.making import DASHBOARD, make_campaign, renew_token

    if renew is not None or renew_dashboard:
        name = DASHBOARD if renew_dashboard else renew or ""
        click.echo(_link(name, renew_token(study, name)))
        return
    made = make_campaign(study)
    click.echo(f"a campaign of {made.n_packets:,} packets in {study / 'campaign'}")
    for name, n in made.lists.items():
        click.echo(f"  {name}: {n:,} sets")
    click.echo("links, told this once (behind the address that `annotate serve` prints):")
    for name, token in made.tokens.items():
        click.echo(_link(name, token))
    click.echo(
        f"next: equipoise annotate serve {as_word(study)}, "
        f"or equipoise annotate rate {as_word(study)}"
    )


def _link(name: str, token: str) -> str:
    return f"  {name or 'dashboard'}: /{'d' if not name else 'a'}/{token}"
