"""Classifies how a session ended, from its signs: a table, read from the top."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from equipoise.adapters.transcripts.facts import Sign
from equipoise.records.trial import Ending, EndingKind, Fault, Reason

_K, _F, _R = EndingKind, Fault, Reason
_MAX_DETAIL = 200
_STATUS = re.compile(r"(?<!\d)([1-5]\d\d)(?!\d)")
_LASTING = frozenset({400, 401, 403, 404, 405, 413, 422})
"""Statuses of an API that the same request gets again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What one sign means where no sign of an earlier row is there."""

    sign: str
    kind: EndingKind
    fault: Fault
    reason: Reason
    says: str
    is_retriable: bool = False


def _row(sign: str, kind: EndingKind, fault: Fault, reason: Reason, says: str) -> Row:
    return Row(sign=sign, kind=kind, fault=fault, reason=reason, says=says)


def _again(sign: str, kind: EndingKind, fault: Fault, reason: Reason, says: str) -> Row:
    return Row(sign=sign, kind=kind, fault=fault, reason=reason, says=says, is_retriable=True)


ROWS: tuple[Row, ...] = (
    _row("tampered", _K.HARNESS_ERROR, _F.SYSTEM, _R.TAMPERED, "touched its own record"),
    _row("not_started", _K.HARNESS_ERROR, _F.HARNESS, _R.ENVIRONMENT, "could not be started"),
    _again(
        "start_killed",
        _K.HARNESS_ERROR,
        _F.INFRASTRUCTURE,
        _R.INFRASTRUCTURE,
        "killed at its start",
    ),
    _row("not_offered", _K.HARNESS_ERROR, _F.HARNESS, _R.ENVIRONMENT, "not offered to the model"),
    _row(
        "offered_too", _K.HARNESS_ERROR, _F.HARNESS, _R.ENVIRONMENT, "offered without being asked"
    ),
    _row("other_model", _K.HARNESS_ERROR, _F.HARNESS, _R.ENVIRONMENT, "another model was called"),
    _row("other_version", _K.HARNESS_ERROR, _F.HARNESS, _R.ENVIRONMENT, "changed its version"),
    _row("spending_cap", _K.HARNESS_ERROR, _F.OPERATOR, _R.BUDGET, "the study's cap was reached"),
    _row("truncated", _K.TRUNCATED, _F.HARNESS, _R.TRUNCATED, "a token limit cut an answer"),
    _row("refused", _K.REFUSED, _F.SYSTEM, _R.REFUSED, "the model declined"),
    _row("budget", _K.BUDGET, _F.SYSTEM, _R.BUDGET, "used up"),
    _again("api_error", _K.INFRASTRUCTURE_ERROR, _F.INFRASTRUCTURE, _R.INFRASTRUCTURE, "API error"),
    _row("denied", _K.HARNESS_ERROR, _F.HARNESS, _R.ENVIRONMENT, "permission denied for"),
    _row("own_sandbox", _K.HARNESS_ERROR, _F.HARNESS, _R.ENVIRONMENT, "its own sandbox fails"),
    _row("output_limit", _K.TRUNCATED, _F.SYSTEM, _R.AGENT, "more output than is kept"),
    _row("silent", _K.HARNESS_ERROR, _F.HARNESS, _R.ENVIRONMENT, "ended by us before any call"),
    _row("timed_out", _K.TIMED_OUT, _F.UNKNOWN, _R.BUDGET, "ended by us at its time limit"),
    _row("no_transcript", _K.HARNESS_ERROR, _F.HARNESS, _R.ENVIRONMENT, "left no transcript"),
    _row("cancelled", _K.CANCELLED, _F.OPERATOR, _R.NONE, "cancelled"),
    _again("failed", _K.HARNESS_ERROR, _F.UNKNOWN, _R.INFRASTRUCTURE, "the harness failed"),
    _row("agent", _K.COMPLETED, _F.SYSTEM, _R.AGENT, "the agent gave up"),
    _row("done", _K.COMPLETED, _F.NONE, _R.NONE, ""),
    _again("signalled", _K.HARNESS_ERROR, _F.UNKNOWN, _R.ENVIRONMENT, "killed by signal"),
    _again("no_end", _K.HARNESS_ERROR, _F.UNKNOWN, _R.INFRASTRUCTURE, "its record has no end"),
)
"""Sign -> ending. The first row whose sign is there stands; the exit code alone is no sign."""


def classified(signs: Iterable[Sign]) -> Ending:
    """Gives the ending that the signs stand for; completed where there is none.

    Details of equal signs are told together. An API error that the same request would get again
    (a bad key, a prompt that is too long) is not worth a retry.
    """
    found: dict[str, list[str]] = {}
    for sign in signs:
        details = found.setdefault(sign.word, [])
        if sign.detail and sign.detail not in details:
            details.append(sign.detail)
    for row in ROWS:
        if row.sign in found:
            return _ending(row, found[row.sign])
    return Ending()


def _ending(row: Row, details: list[str]) -> Ending:
    told = ", ".join(sorted(details))
    detail = f"{row.says} {told}".strip() if row.says and told else row.says or told
    is_lasting = any(int(status) in _LASTING for status in _STATUS.findall(told[:80]))
    return Ending(
        kind=row.kind,
        fault=row.fault,
        is_retriable=row.is_retriable and not (row.sign == "api_error" and is_lasting),
        detail=detail[:_MAX_DETAIL],
        reason=row.reason,
    )
