"""Reads the trajectory documents of mini-swe-agent and SWE-agent."""

from collections import Counter
from typing import Any

from equipoise.adapters.transcripts.acts import Acts, kept
from equipoise.adapters.transcripts.facts import Facts, Sign
from equipoise.adapters.transcripts.skills import asked_for, listed
from equipoise.adapters.transcripts.usage import added, openai_usage, whole
from equipoise.adapters.transcripts.values import amount, record, records, word
from equipoise.records.conduct import Act
from equipoise.records.trial import Usage

MINI_ENDS: dict[str, str] = {
    "Submitted": "done",
    "LimitsExceeded": "budget",
    "TimeExceeded": "budget",
    "RepeatedFormatError": "agent",
    "UserInterruption": "cancelled",
    "ModelFailed": "api_error",
}
"""Exit status of mini-swe-agent -> sign; any other is an error of the program."""

SWE_ENDS: dict[str, str] = {
    "submitted": "done",
    "exit_cost": "budget",
    "exit_context": "budget",
    "exit_total_execution_time": "budget",
    "exit_command_timeout": "budget",
    "exit_format": "agent",
    "exit_forfeit": "agent",
    "exit_api": "api_error",
    "exit_environment_error": "failed",
    "exit_error": "failed",
    "early_exit": "cancelled",
    "skipped": "cancelled",
}
"""Exit status of SWE-agent -> sign; ``submitted (exit_cost)`` used up its budget first."""

_FENCE = "```"
_MINI_MARKS = ("THOUGHT", "mswea_bash_command", "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT")


def is_mini(document: Any) -> bool:
    """Says whether a document is a trajectory of mini-swe-agent, of any of its versions."""
    if isinstance(document, list):
        first = record(document[0]) if document else {}
        content = word(first.get("content")) or ""
        return first.get("role") == "system" and any(mark in content for mark in _MINI_MARKS)
    return isinstance(document, dict) and (
        str(document.get("trajectory_format")).startswith("mini-swe-agent")
        or "mini_version" in record(document.get("info"))
    )


def is_swe(document: Any) -> bool:
    """Says whether a document is a trajectory of SWE-agent."""
    return isinstance(document, dict) and isinstance(document.get("history"), list)


def mini_facts(document: Any) -> Facts:
    """Gives what a trajectory of mini-swe-agent says; early versions wrote a bare list."""
    info = record(record(document).get("info"))
    messages = records(document if isinstance(document, list) else document.get("messages"))
    answers = [one for one in messages if one.get("role") == "assistant"]
    model = word(record(record(info.get("config")).get("model")).get("model_name"))
    version = word(info.get("mini_version"))
    stamps = [n for one in messages if (n := amount(record(one.get("extra")).get("timestamp")))]
    return Facts(
        harness="mini-swe",
        n_answers=len(answers),
        signs=tuple(_mini_signs(info, messages, is_bare=isinstance(document, list))),
        counts=_mini_counts(messages, answers),
        usage=_mini_usage(answers),
        cost_usd=None,
        offered={"skills": listed(_text(messages[0]))} if messages else {},
        selected=_selected(answers),
        model=model,
        models=(model,) if model else (),
        versions={"mini_swe_agent": version} if version else {},
        all_versions=(version,) if version else (),
        output=word(info.get("submission")),
        prompt=_prompt(messages),
        stop_reason=word(info.get("exit_status")),
        duration_ms=1000.0 * (max(stamps) - min(stamps)) if len(stamps) > 1 else None,
        acts=_mini_acts(answers),
    )


def swe_facts(document: dict[str, Any]) -> Facts:
    """Gives what a trajectory of SWE-agent says.

    A replayed demonstration records 0 calls, 0 tokens and 0 cost: nothing was measured there.
    """
    info = record(document.get("info"))
    steps = records(document.get("trajectory"))
    history = records(document.get("history"))
    stats = record(info.get("model_stats"))
    sent, received = whole(stats.get("tokens_sent")), whole(stats.get("tokens_received"))
    is_measured = bool(sent or received)
    status = word(info.get("exit_status"))
    return Facts(
        harness="swe-agent",
        signs=(_swe_sign(status, has_info=bool(info)),),
        counts=_swe_counts(steps, history, stats),
        usage=Usage(input_tokens=sent, output_tokens=received) if is_measured else None,
        cost_usd=amount(stats.get("instance_cost")) if is_measured else None,
        output=word(info.get("submission")),
        prompt=_prompt([one for one in history if not one.get("is_demo")]),
        stop_reason=status,
        acts=_swe_acts(steps),
    )


def _mini_signs(
    info: dict[str, Any], messages: list[dict[str, Any]], *, is_bare: bool
) -> list[Sign]:
    if is_bare:
        has_end = any(_submits(one) for one in messages if one.get("role") == "assistant")
        return [Sign("done" if has_end else "no_end")]
    status = word(info.get("exit_status")) or ""
    last = record(messages[-1].get("extra")) if messages else {}
    told = word(last.get("exception_str")) or status
    signs = []
    if status == "ModelFailed":
        code = word(last.get("status"))
        signs.append(Sign("api_error", code or told))
    elif status:
        signs.append(Sign(MINI_ENDS.get(status, "failed"), "" if status == "Submitted" else told))
    else:
        signs.append(Sign("no_end"))
    return signs


def _submits(message: dict[str, Any]) -> bool:
    content = word(message.get("content")) or ""
    return _MINI_MARKS[2] in content and _FENCE in content


def _mini_counts(messages: list[dict[str, Any]], answers: list[dict[str, Any]]) -> dict[str, int]:
    tools: Counter[str] = Counter()
    for answer in answers:
        calls = records(answer.get("tool_calls"))
        names = [word(record(call.get("function")).get("name")) or "unnamed" for call in calls]
        tools.update(names or (["bash"] if _FENCE in (word(answer.get("content")) or "") else []))
    codes = [record(one.get("extra")).get("returncode") for one in messages]
    counts = {
        "messages": len(messages),
        "turns": len(answers),
        "tool_calls": tools.total(),
        "tool_errors": sum(1 for code in codes if isinstance(code, int) and code),
        "handoffs": 0,
    }
    return counts | {f"tool:{tool}": n for tool, n in sorted(tools.items())}


def _mini_acts(answers: list[dict[str, Any]]) -> tuple[Act, ...]:
    acts = Acts()
    for answer in answers:
        extra = record(answer.get("extra"))
        calls = [*records(answer.get("tool_calls")), *records(extra.get("refused_calls"))]
        for call in calls:
            asked = record(call.get("function"))
            name = word(asked.get("name")) or "unnamed"
            acts.add(name, asked.get("arguments"), word(call.get("id")) or "")
        fenced = (word(answer.get("content")) or "").split(_FENCE)
        if not calls and len(fenced) > 1:
            acts.add("bash", fenced[1].partition("\n")[2])
    return kept(acts)


def _swe_acts(steps: list[dict[str, Any]]) -> tuple[Act, ...]:
    acts = Acts()
    for action in (word(step.get("action")) for step in steps):
        if action:
            acts.add(action.split(maxsplit=1)[0][:60], action)
    return kept(acts)


def _selected(answers: list[dict[str, Any]]) -> tuple[str, ...]:
    commands = [
        word(record(call.get("function")).get("arguments")) or ""
        for answer in answers
        for call in records(answer.get("tool_calls"))
    ]
    return tuple(dict.fromkeys(name for command in commands for name in asked_for(command)))


def _mini_usage(answers: list[dict[str, Any]]) -> Usage | None:
    total: Usage | None = None
    for answer in answers:
        extra = record(answer.get("extra"))
        found = extra.get("usage") or record(extra.get("response")).get("usage")
        total = added(total, openai_usage(found))
    return total


def _swe_sign(status: str | None, *, has_info: bool) -> Sign:
    if status is None:
        return Sign("no_end", "" if has_info else "(a demonstration)")
    first, _, rest = status.partition(" (")
    if rest:
        return Sign(SWE_ENDS.get(rest.rstrip(")"), "failed"), status)
    sign = SWE_ENDS.get(first, "failed")
    return Sign(sign, "" if sign == "done" else status)


def _swe_counts(
    steps: list[dict[str, Any]], history: list[dict[str, Any]], stats: dict[str, Any]
) -> dict[str, int]:
    tools: Counter[str] = Counter()
    for step in steps:
        action = word(step.get("action"))
        if action:
            tools[action.split(maxsplit=1)[0][:60]] += 1
    counts = {
        "steps": len(steps),
        "turns": len(steps),
        "messages": len(history),
        "tool_calls": tools.total(),
        "handoffs": 0,
    }
    calls = whole(stats.get("api_calls"))
    counts |= {"model_calls": calls} if calls else {}
    return counts | {f"tool:{tool}": n for tool, n in sorted(tools.items())[:200]}


def _prompt(messages: list[dict[str, Any]]) -> str:
    first = next((one for one in messages if one.get("role") == "user"), {})
    return _text(first)[:10_000]


def _text(message: dict[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, list):
        content = "\n".join(word(part.get("text")) or "" for part in records(content))
    return word(content) or ""
