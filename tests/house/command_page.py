"""The page ``docs/reference/cli.md``, written from the command line itself: ``make pages``."""

import re
import sys
from inspect import cleandoc

import click

from equipoise.cli import commands

_HEAD = """\
# Command line

Written from the program by `make pages`. Results go to stdout, messages to stderr. What the exit
codes mean stands in [exit codes](exit-codes.md).
"""

_EXAMPLES = {
    "import": "equipoise import table runs.jsonl --map mapping.yaml -o archives/base",
    "compare": "equipoise compare archives/base archives/new --partition intent -o result",
    "report": "equipoise report result --format md",
    "verify": "equipoise verify result",
    "plan": "equipoise plan study",
    "seal": "equipoise seal study --sign ~/.ssh/id_ed25519",
    "amend": """equipoise amend study --reason "the desk closes at six" --set mde=0.1""",
    "calc": """echo '{"s": "0.3", "mde": "0.05"}' | equipoise calc power.n_min""",
    "demo": "equipoise demo -o demo-out",
}
"""Verb -> one example; examples that need files are run in the how-to and the tutorial."""


def page() -> str:
    """The whole page."""
    context = click.Context(commands, info_name="equipoise")
    parts = [_HEAD]
    parts += [_verb(name, command, context) for name, command in verbs().items()]
    return "\n".join(parts)


def verbs() -> dict[str, click.Command]:
    """Every verb there is, and every action of a verb that has several: ``annotate make``."""
    found: dict[str, click.Command] = {}
    for name, command in _of(commands).items():
        found[name] = command
        if isinstance(command, click.Group):
            found |= {f"{name} {action}": one for action, one in _of(command).items()}
    return found


def _of(group: click.Group) -> dict[str, click.Command]:
    context = click.Context(group, info_name="equipoise")
    found = {name: group.get_command(context, name) for name in group.list_commands(context)}
    return {name: command for name, command in found.items() if command is not None}


def _verb(name: str, command: click.Command, parent: click.Context) -> str:
    context = click.Context(command, info_name=name, parent=parent)
    usage = " ".join(command.collect_usage_pieces(context))
    lines = [f"## `equipoise {name}`", "", "```text", f"equipoise {name} {usage}", "```", ""]
    lines += [cleandoc(command.help or "").replace("\b", ""), ""]
    options = [param for param in command.params if isinstance(param, click.Option)]
    lines += ["| option | does |", "| --- | --- |"]
    lines += [_row(option) for option in options]
    lines += ["| `--help` | Show the help and exit. |", ""]
    if name in _EXAMPLES:
        example = ["<!-- run: no, it is an example of the form -->", "```sh", _EXAMPLES[name]]
        lines += [*example, "```", ""]
    return "\n".join(lines)


def _row(option: click.Option) -> str:
    names = ", ".join(f"`{name}`" for name in option.opts)
    if option.secondary_opts:
        names += " / " + ", ".join(f"`{name}`" for name in option.secondary_opts)
    if not option.is_flag:
        names += f" {_taken(option)}"
    says = re.sub(r"([|*<])", r"\\\1", option.help or "")
    says = says[:1].upper() + says[1:] + ("" if says.endswith(".") else ".")
    return f"| {names} | {says}{' Repeatable.' if _wants_word(option, says) else ''} |"


def _taken(option: click.Option) -> str:
    if isinstance(option.type, click.Choice):
        return " \\| ".join(f"`{choice}`" for choice in option.type.choices)
    return option.metavar or option.type.name.upper().removesuffix(" RANGE")


def _wants_word(option: click.Option, says: str) -> bool:
    return option.multiple and "repeatable" not in says.lower()


if __name__ == "__main__":
    sys.stdout.write(page())
