"""Runs the command line as ``python -m equipoise``; it can be interrupted from the first moment."""

# `_signal` is what `signal` wraps, which loads enums first and may be interrupted meanwhile.
import _signal  # type: ignore[import-not-found]  # no stub: it is CPython's own
import atexit
import os

_INTERRUPTED = 130


def main() -> None:
    """Runs the command line and ends the process with its exit code.

    Until a verb begins, an interrupt ends the process at once: nothing was begun, and libraries
    that are being loaded turn the exception of an interrupt into other ones, or lose it. When the
    verb is done, its exit code stands.
    """
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        atexit.register(_signal.signal, _signal.SIGINT, _signal.SIG_IGN)
        _signal.signal(_signal.SIGINT, _leave)
    from equipoise.cli import main as begin  # noqa: PLC0415  loading it may be interrupted

    begin()


def _leave(*_: object) -> None:
    os.write(2, b"equipoise: interrupted\n")
    os._exit(_INTERRUPTED)


if __name__ == "__main__":
    main()
