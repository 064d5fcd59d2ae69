"""Says how a job ended, from what its keeper told."""

import signal
from collections.abc import Sequence

from equipoise.adapters.sandboxes.following import Ran
from equipoise.adapters.sandboxes.order import Report
from equipoise.ports.agents import Ended, HowEnded


def ended(ran: Ran, unbounded: Sequence[str] = ()) -> Ended:
    """Says how a plain program ended; `unbounded` are the bounds its sandbox never enforces."""
    report = ran.report
    if report is None:
        return Ended(
            how=HowEnded.SIGNALLED,
            signal=signal.SIGKILL,
            stdout=ran.stdout,
            stderr=ran.stderr,
            detail="the process that kept the job was killed from outside; so was the job",
            unbounded=tuple(unbounded),
        )
    how, code, exceeded = _how(ran, report)
    detail = f"it went over the bound of {exceeded}" if exceeded else ""
    return Ended(
        how=how,
        exit_code=code if code is not None and code >= 0 else None,
        signal=-code if code is not None and code < 0 else None,
        stdout=ran.stdout,
        stderr=ran.stderr,
        duration_ms=report.duration_ms,
        detail=", ".join(filter(None, (detail, report.detail))),
        unbounded=tuple(dict.fromkeys((*unbounded, *report.unbounded))),
        exceeded=exceeded,
    )


def plain(text: str) -> str:
    """Gives a text without what a terminal would obey, at most 500 characters."""
    return "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in text)[
        :500
    ]


def unstarted(detail: str) -> Ended:
    """Says that a job could not be started."""
    return Ended(how=HowEnded.NOT_STARTED, detail=plain(detail))


def _how(ran: Ran, report: Report) -> tuple[HowEnded, int | None, str]:
    """Gives how it ended, its code as of `waitpid`, and the bound for which it was ended."""
    if ran.is_over_output:
        return HowEnded.OUTPUT_LIMIT, None, "output_bytes"
    if report.code is None:
        return HowEnded.NOT_STARTED, None, ""
    if report.why in ("wall_s", "cpu_s"):
        return HowEnded.TIMED_OUT, None, report.why
    if report.why:
        return HowEnded.SIGNALLED, -signal.SIGKILL, report.why
    if report.code == -signal.SIGXCPU:
        return HowEnded.TIMED_OUT, None, "cpu_s"
    return (HowEnded.EXITED if report.code >= 0 else HowEnded.SIGNALLED), report.code, ""
