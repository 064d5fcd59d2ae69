"""``equipoise annotate``: asks people; one file per action, loaded when it is called."""

import click

from equipoise.cli.actions import Actions

_ACTIONS: dict[str, tuple[str, str]] = {
    "make": ("equipoise.cli.annotate_make:command", "Make the campaign: packets and links."),
    "serve": ("equipoise.cli.annotate_serve:command", "Serve the campaign to browsers."),
    "rate": ("equipoise.cli.annotate_rate:command", "Rate in the terminal, as one annotator."),
    "simulate": ("equipoise.cli.annotate_simulate:command", "Let made-up annotators rate."),
    "status": ("equipoise.cli.annotate_status:command", "Show progress, checks and agreement."),
    "export": ("equipoise.cli.annotate_export:command", "Write tasks or answers for other tools."),
    "import": ("equipoise.cli.annotate_import:command", "Read answers given elsewhere."),
    "collect": ("equipoise.cli.annotate_collect:command", "Archive the answers of the campaign."),
}


@click.group("annotate", cls=Actions, actions=_ACTIONS)
def command() -> None:
    """Ask people which output of a set is best and which worst, and keep what they answer.

    The campaign is made from a sealed rating study. What annotators see names no arm; the key lies
    apart. `rate`, `serve` and `import` are three ways to the same answers.
    """
