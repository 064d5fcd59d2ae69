"""The words by which tables say how an execution ended and what came out of it."""

import math
from dataclasses import dataclass

from equipoise.records.trial import Ending, EndingKind, Fault

YES = ("true", "t", "yes", "y", "pass", "passed", "success", "succeeded", "successful", "correct")
NO = ("false", "f", "no", "n", "fail", "failed", "failure", "incorrect", "wrong", "unsuccessful")
OUTCOME_WORDS: dict[str, float] = (
    dict.fromkeys((*YES, "c", "ok", "resolved", "solved", "completed_correctly"), 1.0)
    | dict.fromkeys((*NO, "i", "unresolved", "unsolved"), 0.0)
    | {"partial": 0.5, "partially correct": 0.5}
)
"""Words for outcomes, lower case: ``C`` and ``I`` are Inspect's letters."""

MISSING_WORDS = frozenset({"", "null", "none", "nan", "na", "n/a", "-", "nil", "undefined"})
"""Words for "there is no value", lower case; never read as 0."""


def _endings(
    kind: EndingKind, fault: Fault, *words: str, retriable: bool = False
) -> dict[str, Ending]:
    ending = Ending(kind=kind, fault=fault, is_retriable=retriable)
    return dict.fromkeys(words, ending)


STATUS_WORDS: dict[str, Ending] = (
    _endings(
        EndingKind.COMPLETED,
        Fault.NONE,
        *("", "ok", "success", "successful", "succeeded", "completed", "complete", "done"),
        *("finished", "pass", "passed", "fail", "failed", "failure", "unset", "none", "normal"),
        *("submitted", "scored", "graded", "end_turn", "stop", "resolved", "unresolved"),
    )
    | _endings(
        EndingKind.BUDGET,
        Fault.SYSTEM,
        *("budget", "agent_timeout", "max_steps", "max_turns", "error_max_turns", "step_limit"),
        *("turn_limit", "budget_exceeded", "cost_limit", "exit_cost", "limitsexceeded"),
        *("error_max_budget_usd", "message_limit", "time_limit", "working_limit"),
    )
    | _endings(
        EndingKind.TRUNCATED,
        Fault.HARNESS,
        *("truncated", "length", "max_tokens", "model_length", "token_limit", "exit_context"),
    )
    | _endings(
        EndingKind.REFUSED,
        Fault.SYSTEM,
        *("refused", "refusal", "content_filter", "declined"),
    )
    | _endings(
        EndingKind.TIMED_OUT,
        Fault.UNKNOWN,
        *("timeout", "timed_out", "timedout", "time_out", "deadline_exceeded"),
        retriable=True,
    )
    | _endings(
        EndingKind.INFRASTRUCTURE_ERROR,
        Fault.INFRASTRUCTURE,
        *("infrastructure_error", "infra_error", "api_error", "rate_limit", "rate_limited"),
        *("overloaded", "provider_error", "network_error", "connection_error", "server_error"),
        *("sandbox_error", "agent_installation_failed", "environment_error", "oom"),
        retriable=True,
    )
    | _endings(
        EndingKind.HARNESS_ERROR,
        Fault.HARNESS,
        *("harness_error", "grader_error", "judge_error", "scorer_error", "parse_error"),
        *("test_timeout", "verifier_error", "setup_error", "import_error"),
        retriable=True,
    )
    | _endings(
        EndingKind.HARNESS_ERROR,
        Fault.UNKNOWN,
        *("error", "errored", "exception", "crash", "crashed", "unknown_agent_error", "void"),
        *("error_during_execution",),
        retriable=True,
    )
    | _endings(
        EndingKind.CANCELLED,
        Fault.OPERATOR,
        *("cancelled", "canceled", "aborted", "abort", "interrupted", "skipped", "killed"),
    )
)
"""Words for endings, lower case with ``_`` for blanks and hyphens."""

TRUNCATING_STOPS = frozenset({"length", "max_tokens", "model_length", "max_output_tokens"})
"""Stop reasons, lower case, that mean the answer was cut off by a token limit."""


def ending_of(word: str) -> Ending | None:
    """Gives the ending a status word means; None where the word is not known."""
    return STATUS_WORDS.get(word.strip().lower().replace("-", "_").replace(" ", "_"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A value on [0,1], or why there is none, in words that many rows share.

    `fault` names the value where the source, not the run, is odd, and says the mend.
    """

    value: float | None = None
    why: str = ""
    fault: str = ""


def read_value(
    raw: object,
    *,
    scale: tuple[float, float],
    words: dict[str, float],
    missing: frozenset[str],
) -> Value:
    """Reads one outcome as it stands in a table.

    Null, NaN and the words for them give no value (never 0), unless the user's own words say what
    ``null`` counts as (some benchmarks count a missing verdict as failed). Booleans are the two
    ends of the scale. What lies outside the scale, and what is no number and no known word, is
    refused with the value named. A nested object with a field ``error`` is a failed evaluation,
    not a score.
    """
    if raw is None:
        return _on_scale(words["null"], scale) if "null" in words else Value(why="no value")
    if isinstance(raw, bool):
        return Value(value=float(raw))
    if isinstance(raw, int | float):
        return _on_scale(raw, scale)
    if isinstance(raw, dict) and raw.get("error"):
        return Value(why=f"the evaluation failed: {str(raw['error'])[:80]}")
    if not isinstance(raw, str):
        return Value(why="a value that is no number", fault=f"value {str(raw)[:40]!r} is no number")
    return _read_text(raw.strip(), scale, words, missing)


def _read_text(
    text: str, scale: tuple[float, float], words: dict[str, float], missing: frozenset[str]
) -> Value:
    lower = text.lower()
    if lower in words:
        return _on_scale(words[lower], scale)
    if lower in missing or lower in MISSING_WORDS:
        return Value(why=f"no value ({text})" if text else "no value")
    if lower in OUTCOME_WORDS:
        return Value(value=OUTCOME_WORDS[lower])
    try:
        number = float(text)
    except ValueError:
        return Value(
            why="a value that is no number and no known word",
            fault=f"value {text[:40]!r} is no number and no known word; mend: say in the mapping "
            f"what it counts as, words: {{{text[:40]}: 1}}",
        )
    return _on_scale(number, scale)


def _on_scale(number: float, scale: tuple[float, float]) -> Value:
    low, high = scale
    if isinstance(number, float) and math.isnan(number):
        return Value(why="no value (NaN)")
    if not low <= number <= high:
        return Value(
            why=f"a value outside the scale {low:g} to {high:g}",
            fault=f"value {_shown(number)} lies outside the scale {low:g} to {high:g}; mend: give "
            "the lowest and highest possible value, --set scale=[0,100] for percent",
        )
    return Value(value=(number - low) / (high - low))


def _shown(number: float) -> str:
    """Gives the number as text; a whole number too large for a float by its first digits."""
    try:
        return f"{number:g}"
    except OverflowError:
        return f"{str(number)[:20]}..."
