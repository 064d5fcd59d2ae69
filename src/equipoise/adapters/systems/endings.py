"""How an attempt can end, whatever the kind of system."""

import signal

from equipoise.records.brief import Request
from equipoise.records.trial import Ending, EndingKind, Fault, Reason


def timed_out(request: Request) -> Ending:
    """Gives the ending of an attempt that the harness ended: nobody can say whose fault it was."""
    return Ending(
        kind=EndingKind.TIMED_OUT,
        fault=Fault.UNKNOWN,
        detail=f"ended by the harness after {request.timeout_s:g} s",
    )


def budget_used(what: str) -> Ending:
    """Gives the ending of a system that used up what it was declared to need: an outcome."""
    return Ending(kind=EndingKind.BUDGET, fault=Fault.SYSTEM, detail=f"used up its declared {what}")


def too_long(most: int) -> Ending:
    """Gives the ending of an answer that is too long to be kept, and so to be graded."""
    return Ending(
        kind=EndingKind.TRUNCATED,
        fault=Fault.SYSTEM,
        detail=f"the answer has more than {most} bytes",
    )


def exited(exit_code: int, what: str, detail: str) -> Ending:
    """Gives the ending of a program that ended by itself, or was killed.

    Another exit code than 0 and a crash are outcomes. Nothing kills itself with SIGKILL: somebody
    or the system did, for want of memory say, and nobody can tell whose fault that was.
    """
    if exit_code == -signal.SIGKILL:
        return Ending(
            kind=EndingKind.HARNESS_ERROR,
            fault=Fault.UNKNOWN,
            is_retriable=True,
            detail=f"{what} was killed from outside",
            reason=Reason.ENVIRONMENT,
        )
    if not exit_code:
        return Ending()
    return Ending(kind=EndingKind.COMPLETED, fault=Fault.SYSTEM, detail=detail)


def infrastructure(what: str, *, is_retriable: bool) -> Ending:
    """Gives the ending of an attempt that says nothing about the system."""
    return Ending(
        kind=EndingKind.INFRASTRUCTURE_ERROR,
        fault=Fault.INFRASTRUCTURE,
        is_retriable=is_retriable,
        detail=what,
    )
