"""Says how a Claude Code session ended; what the exit code of the program does not tell."""

from typing import Any

from equipoise.adapters.logs.claude_code.session import Session
from equipoise.adapters.logs.table.fields import text
from equipoise.records.trial import Ending, EndingKind, Fault

_BUDGETS = frozenset({"error_max_turns", "error_max_budget_usd"})
_FAILED = "error_during_execution"


def ending_of(session: Session) -> Ending:
    """Gives the ending of a session, from its result event or else its last messages.

    A denied permission is the environment's fault although the program says "success"; an API
    error is the infrastructure's; used-up turns or money are an outcome of the system.
    """
    result = session.result
    if result is None:
        return _by_messages(session)
    subtype = text(result.get("subtype")) or ""
    if subtype in _BUDGETS or result.get("terminal_reason") == "max_turns":
        return Ending(kind=EndingKind.BUDGET, fault=Fault.SYSTEM, detail=subtype)
    if result.get("is_error") is True or subtype == _FAILED:
        return _failed(result, subtype)
    denials = result.get("permission_denials")
    if isinstance(denials, list) and denials:
        names = sorted({text(_object(d).get("tool_name")) or "a tool" for d in denials})
        return Ending(
            kind=EndingKind.HARNESS_ERROR,
            fault=Fault.HARNESS,
            is_retriable=True,
            detail=f"permission denied for {', '.join(names)}"[:200],
        )
    return _by_stop(text(result.get("stop_reason"))) or Ending()


def _by_messages(session: Session) -> Ending:
    if session.is_api_error:
        return Ending(
            kind=EndingKind.INFRASTRUCTURE_ERROR,
            fault=Fault.INFRASTRUCTURE,
            is_retriable=True,
            detail="the last answer is an API error",
        )
    return _by_stop(session.stop_reason) or Ending()


def _failed(result: dict[str, Any], subtype: str) -> Ending:
    status = text(result.get("api_error_status"))
    by_stop = _by_stop(text(result.get("stop_reason")))
    if by_stop is not None and by_stop.kind is EndingKind.REFUSED:
        return by_stop
    is_api = status is not None or subtype == "success"
    return Ending(
        kind=EndingKind.INFRASTRUCTURE_ERROR if is_api else EndingKind.HARNESS_ERROR,
        fault=Fault.INFRASTRUCTURE if is_api else Fault.UNKNOWN,
        is_retriable=True,
        detail=(f"API error {status}" if status else text(result.get("result")) or subtype)[:200],
    )


def _by_stop(stop: str | None) -> Ending | None:
    if stop == "max_tokens":
        return Ending(
            kind=EndingKind.TRUNCATED, fault=Fault.HARNESS, detail="stop reason max_tokens"
        )
    if stop == "refusal":
        return Ending(kind=EndingKind.REFUSED, fault=Fault.SYSTEM, detail="stop reason refusal")
    return None


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
