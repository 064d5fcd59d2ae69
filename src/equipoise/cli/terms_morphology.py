"""The option of commands on terms that says whether morphology is asked."""

import click

asking_morphology = click.option(
    "--morphology",
    "way",
    type=click.Choice(["auto", "on", "off"]),
    default="auto",
    show_default=True,
    help="Ask pymorphy3 beside the stored forms; auto = where it is installed.",
)
