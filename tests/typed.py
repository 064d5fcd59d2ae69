"""Types commands as a user does, within the process of the tests: a start of Python costs a second.

What ends a process, is killed, or depends on how Python starts wants a process of its own.
"""

from dataclasses import dataclass

from click.testing import CliRunner

from equipoise.cli import commands

NOON = "1767312000"
"""A fixed time for SOURCE_DATE_EPOCH."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str


def typed(*words: object, given: str = "", **environment: str) -> Told:
    """Calls the command line; an exception that is no exit is raised and fails the test.

    Args:
        words: the verb and what follows it.
        given: on standard input.
        environment: variables in place of those of the tests.
    """
    done = CliRunner().invoke(commands, [str(word) for word in words], input=given, env=environment)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return Told(code=done.exit_code, out=done.stdout, err=done.stderr)


def equipoise(*words: object, code: int = 0, **environment: str) -> str:
    """Gives all that a command prints that ends with the code."""
    told = typed(*words, **environment)
    assert told.code == code, told.out + told.err
    return told.out + told.err
