"""What an interrupt (Ctrl-C) does while a verb is loaded and runs, and how the process ends."""

import atexit
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import current_thread, main_thread
from types import FrameType
from typing import NoReturn

INTERRUPTED = 130
"""The exit code of what was interrupted."""


@contextmanager
def interruptible() -> Iterator[None]:
    """Lets an interrupt raise ``KeyboardInterrupt`` within, whatever it does before and after.

    While a module is being loaded it still does that: many modules lose the exception. Where an
    interrupt is ignored or has its usual meaning, it keeps it.
    """
    before = signal.getsignal(signal.SIGINT)
    is_ours = callable(before) and before is not signal.default_int_handler
    if not is_ours or current_thread() is not main_thread():
        yield
        return

    def interrupted(number: int, frame: FrameType | None) -> None:
        if callable(before) and _is_loading(frame):
            before(number, frame)
        signal.default_int_handler(number, frame)

    signal.signal(signal.SIGINT, interrupted)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _is_loading(frame: FrameType | None) -> bool:
    """Whether the frame stands, however deep, below the loading of a module."""
    while frame is not None and not frame.f_code.co_filename.startswith("<frozen importlib"):
        frame = frame.f_back
    return frame is not None


def is_interrupt(error: BaseException | None) -> bool:
    """Whether the error is an interrupt, or what a library made of one while it was loaded."""
    while isinstance(error, ImportError | SystemError):
        error = error.__cause__ or error.__context__
    return isinstance(error, KeyboardInterrupt)


def leave_interrupted() -> NoReturn:
    """Ends the process with its exit code, after what is due at the end of any process.

    Python itself would end by the signal where the interrupt passed through a module that was being
    loaded, though it was caught later: it remembers such a one and never forgets it.
    """
    atexit._run_exitfuncs()  # noqa: SLF001  nothing else does what is due without ending
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(INTERRUPTED)
