"""Asks a program of the machine, such as ssh-keygen, and says what is missing where it cannot."""

import subprocess
from collections.abc import Sequence

from equipoise.errors import Blocked


def asked(
    program: str, arguments: Sequence[str], *, given: bytes = b"", seconds: int, package: str
) -> subprocess.CompletedProcess[bytes]:
    """Runs the program on the user's PATH to its end, without a shell.

    Args:
        program: its name.
        arguments: made by us.
        given: its standard input.
        seconds: how long it may take.
        package: what to install where it is missing, for the message.

    Raises:
        Blocked: it is missing, or does not end in time.
    """
    try:
        return subprocess.run(  # noqa: S603  no shell; the arguments are ours
            [program, *arguments],
            input=given,
            capture_output=True,
            check=False,
            timeout=seconds,
        )
    except FileNotFoundError as error:
        raise Blocked(f"{program} is missing; mend: install {package}") from error
    except subprocess.TimeoutExpired as error:
        raise Blocked(f"{program} did not end within {seconds} s") from error
