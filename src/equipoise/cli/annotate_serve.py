"""``equipoise annotate serve``: asks people, in their browsers."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from equipoise.cli.kinds import refuse_unrated
from equipoise.cli.screen import write

if TYPE_CHECKING:
    from equipoise.annotate.campaign import Campaign
    from equipoise.annotate.dashboard import Overview
    from equipoise.records.answer import Answer


@click.command("serve")
@click.argument("study", type=click.Path(path_type=Path))
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8765,
    show_default=True,
    help="The port; 0 takes a free one.",
)
@click.option(
    "--database",
    default="",
    help="Keep answers in PostgreSQL: postgresql://USER@HOST/DATABASE, or env:NAME of a variable.",
)
def command(study: Path, *, host: str, port: int, database: str) -> None:
    """Serve the campaign of the study in the folder STUDY to its annotators.

    Each annotator has a link of his own, and the dashboard has one (`annotate make` writes them);
    nothing is served without. An answer is on the disk before the next set is shown. Stop and start
    again as you like, and kill it if you must: everyone goes on where he was.

    It listens on this machine only. For others, put a server with TLS before it that passes
    requests on, for the links are secrets.

    Exit codes: 0 stopped; 2 wrong use; 3 a precondition is missing (no campaign, the port is taken,
    the database does not answer).
    """
    refuse_unrated(study)
    from equipoise.annotate.answers import check_belong, open_store
    from equipoise.annotate.campaign import read_campaign
    from equipoise.cli.clock import exact_now
    from equipoise.errors import Blocked
    from equipoise.studies.rating.made import refuse_stale
    from equipoise.wiring.annotating import answers_database

    try:
        from equipoise.annotate.app import make_app
        from equipoise.annotate.serving import address_of, bound, is_loopback, serve
    except ImportError as error:
        raise Blocked(
            f"{error.name} is not installed; mend: pip install 'equipoise[annotate]'"
        ) from None

    refuse_stale(study)
    campaign = read_campaign(study)
    store = open_store(study, answers_database(database))
    check_belong(store.all(), campaign.packets)
    at = bound(host, port)
    if not is_loopback(at):
        write(
            f"warning: {host} can be reached from other machines, and the links are secrets that "
            "go over the network unencrypted; mend: listen on 127.0.0.1 behind a server with TLS\n",
            to_stderr=True,
        )
    n_sets = sum(map(len, campaign.lists.values()))

    def started() -> None:
        write(
            f"serving {n_sets} sets to {len(campaign.lists)} annotators at {address_of(at)}\n"
            "a link is that address and what `annotate make` wrote: /a/... of an annotator, "
            "/d/... of the dashboard\nCtrl-C stops it; nothing is lost\n"
        )

    try:
        serve(make_app(campaign, store, exact_now, _overview), at, started)
    finally:
        store.close()


def _overview(campaign: "Campaign", answers: "Sequence[Answer]", secret: bytes) -> "Overview":
    """Loads what the dashboard wants when somebody looks at it: a server starts without it."""
    from equipoise.annotate.dashboard import overview

    return overview(campaign, answers, secret)
