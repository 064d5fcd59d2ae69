"""A verb of several actions: one file per action, loaded when it is called."""

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import click

from equipoise.errors import nearest


class Actions(click.Group):
    """A group that loads the module of an action only when it is called.

    Args:
        actions: action -> (``module:attribute``, short help); one whose module is not there is not
            listed.
    """

    def __init__(self, *args: Any, actions: Mapping[str, tuple[str, str]], **more: Any) -> None:
        super().__init__(*args, **more)
        self._actions = actions

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        """Names the actions there are."""
        return [name for name, (target, _) in self._actions.items() if _exists(target)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Loads an action."""
        if cmd_name not in self.list_commands(ctx):
            return None
        module, _, attribute = self._actions[cmd_name][0].partition(":")
        command = getattr(import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Finds the action that was typed; an unknown one is told with its nearest."""
        actions, root = self.list_commands(ctx), ctx.find_root()
        if args and args[0] not in actions and not args[0].startswith("-"):
            group = root.command
            verbs = group.list_commands(root) if isinstance(group, click.Group) else []
            hint = f"did you mean 'equipoise {args[0]}'" if args[0] in verbs else ""
            hint = hint or nearest(args[0], actions) or f"the actions are {', '.join(actions)}"
            ctx.fail(f"no action {args[0]!r}; {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Lists the actions without loading them."""
        rows = [(name, self._actions[name][1]) for name in self.list_commands(ctx)]
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)


def _exists(target: str) -> bool:
    return find_spec(target.partition(":")[0]) is not None
