"""The clock of the command line: the time now, or the one in ``SOURCE_DATE_EPOCH``."""

import os
import time
from datetime import UTC, datetime

from equipoise.errors import InputError

_VARIABLE = "SOURCE_DATE_EPOCH"


def now() -> datetime:
    """Gives the time in UTC, in whole seconds.

    ``SOURCE_DATE_EPOCH`` (seconds since 1970, https://reproducible-builds.org) stands for it where
    it is set, so that what is written can be written again byte for byte.

    Raises:
        InputError: the variable holds no whole number of seconds.
    """
    return exact_now().replace(microsecond=0)


def exact_now() -> datetime:
    """Gives the time in UTC with its fraction of a second, or the one in ``SOURCE_DATE_EPOCH``.

    Raises:
        InputError: the variable holds no whole number of seconds.
    """
    given = os.environ.get(_VARIABLE)
    if given is None:
        return datetime.fromtimestamp(time.time(), UTC)
    try:
        return datetime.fromtimestamp(int(given), UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise InputError(
            f"{_VARIABLE} is {given!r}", wanted="whole seconds since 1970-01-01 UTC"
        ) from error
