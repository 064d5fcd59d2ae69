"""``equipoise terms``: looks after the terms of a translation; one file per action."""

import click

from equipoise.cli.actions import Actions

_ACTIONS: dict[str, tuple[str, str]] = {
    "consistency": (
        "equipoise.cli.terms_consistency:command",
        "Count where an approved term is rendered.",
    ),
    "memory": ("equipoise.cli.terms_memory:command", "Compare ways to hand a model its glossary."),
    "kana": ("equipoise.cli.terms_kana:command", "Measure how precisely kana keys are matched."),
    "fold": ("equipoise.cli.terms_fold:command", "Fold text or keys to the form that is matched."),
    "slice": ("equipoise.cli.terms_slice:command", "Measure a folder of chapters in one go."),
}


@click.group("terms", cls=Actions, actions=_ACTIONS)
def command() -> None:
    """Measure how names and terms come through a translation; no model is asked.

    Each action has `--self-test`, which holds it against answers that are known, and `--json` for
    programs.
    """
