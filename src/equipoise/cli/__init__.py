"""The command line: one file per verb, loaded when it is called."""

import io
import os
import sys
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import click

from equipoise import __version__
from equipoise.cli.interrupts import INTERRUPTED, interruptible, is_interrupt, leave_interrupted
from equipoise.cli.screen import write
from equipoise.errors import EquipoiseError, nearest

_VERBS: dict[str, tuple[str, str]] = {
    "import": ("equipoise.cli.import_:command", "Read the runs of any tool into an archive."),
    "compare": ("equipoise.cli.compare:command", "Say better, worse, equivalent or cannot tell."),
    "report": ("equipoise.cli.report:command", "Write the report as HTML, Markdown, JSON, JUnit."),
    "verify": ("equipoise.cli.verify:command", "Prove that nothing was altered since recording."),
    "plan": ("equipoise.cli.plan:command", "Check a study and write what it promises."),
    "seal": ("equipoise.cli.seal:command", "Freeze a plan, so that runs may begin."),
    "run": ("equipoise.cli.run:command", "Execute what is missing of a sealed study."),
    "grade": ("equipoise.cli.grade:command", "Say what each run lost, under a loss catalog."),
    "prove": ("equipoise.cli.prove:command", "Show that the scenarios of a pack are fair."),
    "triage": ("equipoise.cli.outcome_triage:command", "Label odd scores of an outcome study."),
    "annotate": ("equipoise.cli.annotate:command", "Ask people to rate, blind."),
    "terms": ("equipoise.cli.terms:command", "Measure how terms come through a translation."),
    "amend": ("equipoise.cli.amend:command", "Change a sealed study, dated and reasoned."),
    "calc": ("equipoise.cli.calc:command", "Compute one statistic: JSON in, JSON out."),
    "init": ("equipoise.cli.init:command", "Begin a study with one that runs as it is."),
    "demo": ("equipoise.cli.demo:command", "Run the built-in example from start to verdict."),
    "doctor": ("equipoise.cli.doctor:command", "Check this machine and say what is missing."),
}
"""Verb -> (``module:attribute``, short help); a verb whose module is not there is not listed."""


class _Verbs(click.Group):
    """A group that loads a verb's module only when the verb is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        return [verb for verb, (target, _) in _VERBS.items() if _exists(target)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        module, _, attribute = _VERBS[cmd_name][0].partition(":")
        command = getattr(import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = [(verb, _VERBS[verb][1]) for verb in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        verbs = self.list_commands(ctx)
        if args and args[0] not in verbs and not args[0].startswith("-"):
            hint = nearest(args[0], verbs) or f"the verbs are {', '.join(verbs)}"
            ctx.fail(f"no verb {args[0]!r}; {hint}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the verb; a known error becomes one line on stderr and its exit code."""
        try:
            with interruptible():
                return super().invoke(ctx)
        except EquipoiseError as error:
            write(f"equipoise: {error}\n", to_stderr=True)
            ctx.exit(error.exit_code)
        except BaseException as error:
            if not is_interrupt(error):
                raise
            click.echo("equipoise: interrupted", err=True)
            ctx.exit(INTERRUPTED)


def _exists(target: str) -> bool:
    return find_spec(target.partition(":")[0]) is not None


@click.group(cls=_Verbs)
@click.version_option(__version__, prog_name="equipoise")
def commands() -> None:
    """Better, worse, equivalent, or cannot tell: decide about a change from its runs.

    Exit codes: 0 fine; 1 a regression, or something altered; 2 wrong use, unreadable input or
    nothing to estimate; 3 blocked by a missing precondition; 4 nobody can tell (compare --strict);
    5 the runs are unusable; 130 interrupted.
    """


def main() -> None:
    """Runs the command line and ends the process with its exit code."""
    _speak_utf8()
    try:
        commands.main(prog_name="equipoise")
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except SystemExit as end:
        if end.code == INTERRUPTED:
            leave_interrupted()
        raise


def _speak_utf8() -> None:
    """Reads names and writes text as UTF-8, whatever the locale says.

    Where names of files would be read in another encoding (a plain C locale with UTF-8 mode
    forbidden), the process begins anew in UTF-8 mode: names cannot be read right any later.
    """
    if sys.getfilesystemencoding() != "utf-8" and not sys.flags.utf8_mode:
        command = [sys.executable, "-X", "utf8", "-m", "equipoise", *sys.argv[1:]]
        os.execv(sys.executable, command)  # noqa: S606  no shell: the same program with a switch
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
