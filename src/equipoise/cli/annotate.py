"""``equipoise annotate``: asks people; one file per action, loaded when it is called."""

from importlib import import_module
from importlib.util import find_spec

import click

from equipoise.errors import nearest

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
"""Action -> (``module:attribute``, short help); one whose module is not there is not listed."""


class _Actions(click.Group):
    """A group that loads the module of an action only when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        return [name for name, (target, _) in _ACTIONS.items() if _exists(target)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        module, _, attribute = _ACTIONS[cmd_name][0].partition(":")
        command = getattr(import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        actions, root = self.list_commands(ctx), ctx.find_root()
        if args and args[0] not in actions and not args[0].startswith("-"):
            group = root.command
            verbs = group.list_commands(root) if isinstance(group, click.Group) else []
            hint = f"did you mean 'equipoise {args[0]}'" if args[0] in verbs else ""
            hint = hint or nearest(args[0], actions) or f"the actions are {', '.join(actions)}"
            ctx.fail(f"no action {args[0]!r}; {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = [(name, _ACTIONS[name][1]) for name in self.list_commands(ctx)]
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)


def _exists(target: str) -> bool:
    return find_spec(target.partition(":")[0]) is not None


@click.group("annotate", cls=_Actions)
def command() -> None:
    """Ask people which output of a set is best and which worst, and keep what they answer.

    The campaign is made from a sealed rating study. What annotators see names no arm; the key lies
    apart. `rate`, `serve` and `import` are three ways to the same answers.
    """
