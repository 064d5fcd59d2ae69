"""Guesses the mapping of a table from common column names, and says what it took for what."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from equipoise.adapters.logs.table.fields import count, text
from equipoise.adapters.logs.table.words import MISSING_WORDS, OUTCOME_WORDS, ending_of
from equipoise.errors import InputError

NAMES: dict[str, tuple[str, ...]] = {
    "unit": (
        *("unit", "unit_id", "task_id", "instance_id", "question_id", "sample_id", "case_id"),
        *("item_id", "example_id", "problem_id", "scenario_id", "test_id", "doc_id", "uid", "item"),
        *("case", "sample", "instance", "question", "scenario", "example", "problem", "id"),
        *("test_case", "test_idx", "idx", "index", "task", "test", "task_name", "test_name"),
        *("case_name", "sample_name", "scenario_name", "name"),
    ),
    "arm": (
        *("arm", "variant", "condition", "treatment", "system", "config", "configuration"),
        *("strategy", "agent", "prompt_id", "prompt_name", "prompt_version", "version_name"),
        *("experiment", "group", "prompt"),
    ),
    "model": ("model", "model_id", "model_name"),
    "repetition": ("repetition", "rep", "repeat", "trial", "run", "epoch", "sample_index", "seed"),
    "attempt": ("attempt", "attempt_number", "retry", "try"),
    "outcome": (
        *("outcome", "ok", "pass", "passed", "success", "succeeded", "correct", "is_correct"),
        *("resolved", "is_resolved", "solved", "is_solved", "reward", "score", "grade", "value"),
        *("accuracy", "result"),
    ),
    "loss": ("loss",),
    "status": ("status", "ending", "state", "failure_mode", "exit_status"),
    "error": ("error", "error_message", "exception"),
    "stop_reason": ("stop_reason", "finish_reason"),
    "cost_usd": ("cost_usd", "cost", "total_cost", "total_cost_usd", "price_usd"),
    "input_tokens": ("input_tokens", "prompt_tokens", "tokens_in", "n_input_tokens"),
    "output_tokens": ("output_tokens", "completion_tokens", "tokens_out", "n_output_tokens"),
    "max_output_tokens": (
        *("max_tokens", "max_output_tokens", "max_completion_tokens", "max_new_tokens"),
    ),
    "cache_read_tokens": ("cache_read_tokens", "cache_read_input_tokens", "cached_tokens"),
    "cache_write_tokens": ("cache_write_tokens", "cache_creation_input_tokens"),
    "duration_ms": ("duration_ms", "latency_ms", "elapsed_ms", "time_ms"),
    "duration_s": ("duration_s", "duration_seconds", "latency_s", "elapsed_s", "seconds"),
    "timeout_limit_s": ("timeout_limit_s", "timeout_limit", "timeout_s", "limit_s"),
    "timeout_limit_ms": ("timeout_limit_ms", "timeout_ms"),
    "output_sha256": ("output_sha256", "output_hash"),
    "cached": ("cached", "is_cached", "from_cache"),
    "cluster": ("cluster", "cluster_id"),
}
"""Field -> the column names it is known by, the likeliest first; case and ``-`` do not matter."""

_VALUES = frozenset({"outcome", "loss"})
_SAID_VALUES = frozenset({"value", "outcome", "loss", "criteria", "findings"})
_SURE_ARMS = frozenset({"arm", "variant", "condition", "treatment", "system"})
_MAX_LABEL_VALUES = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Guess:
    """A mapping that was guessed, and one sentence that says so."""

    options: dict[str, Any]
    sentence: str


def guess(
    rows: Iterable[dict[str, Any]], *, name: str, said: Mapping[str, Any] | None = None
) -> Guess:
    """Gives the mapping that the column names of some first rows suggest.

    Labels are never taken silently: columns that could be some are named in the sentence.

    Args:
        rows: some first rows.
        name: the file's name, for messages.
        said: keys of the mapping that need no guess; they stand as they are.

    Raises:
        InputError: unit or outcome cannot be told, or several columns could be the outcome; lists
            the columns and the lines to write.
    """
    sample = list(rows)
    said = said or {}
    columns = list(dict.fromkeys(key for row in sample for key in row))
    found = {what: column for what in NAMES if (column := _first(what, columns, sample))}
    options = {what: column for what, column in found.items() if what not in _VALUES | said.keys()}
    outcome = _outcome(columns, sample, said)
    if ("unit" not in found and "unit" not in said) or len(outcome) != 1:
        unit = str(said["unit"]) if "unit" in said else found.get("unit")
        raise _cannot_tell(name, columns, unit, outcome)
    if not _SAID_VALUES & said.keys():
        options["loss" if _plain(outcome[0]) in NAMES["loss"] else "outcome"] = outcome[0]
    _settle(options, sample, said)
    return Guess(options={**said, **options}, sentence=_sentence(options, said, columns, sample))


def _outcome(
    columns: list[str], sample: list[dict[str, Any]], said: Mapping[str, Any]
) -> list[str]:
    """Gives the columns that could be the outcome; the one that was said, if one was."""
    told = [str(said[key]) for key in sorted(_SAID_VALUES & said.keys())]
    return told[:1] or [column for column in columns if _is_outcome(column, sample)]


def _plain(column: str) -> str:
    return column.strip().lower().replace("-", "_").replace(" ", "_")


def _first(what: str, columns: list[str], sample: list[dict[str, Any]]) -> str | None:
    by_plain = {_plain(column): column for column in reversed(columns)}
    for known in NAMES[what]:
        column = by_plain.get(known)
        if column is not None and _fits(what, column, sample):
            return column
    return None


def _fits(what: str, column: str, sample: list[dict[str, Any]]) -> bool:
    values = [row.get(column) for row in sample]
    if what == "arm":
        is_sure = _plain(column) in _SURE_ARMS
        return _are_short(values) and (is_sure or 2 * _n_distinct(values) <= len(sample))
    if what in {"repetition", "attempt"}:
        return all(count(v) is not None for v in values)
    if what == "status":
        return all(ending_of(text(v) or "") is not None for v in values)
    if what == "unit":
        return any(text(v) is not None for v in values)
    return True


def _n_distinct(values: list[Any]) -> int:
    return len({text(value) for value in values})


def _are_short(values: list[Any]) -> bool:
    return all(isinstance(v, str | int | None) and len(str(v)) <= 200 for v in values)


def _is_outcome(column: str, sample: list[dict[str, Any]]) -> bool:
    if _plain(column) not in NAMES["outcome"] + NAMES["loss"]:
        return False
    return all(_is_value(row.get(column)) for row in sample)


def _is_value(value: Any) -> bool:
    if value is None or isinstance(value, bool | int | float):
        return True
    if not isinstance(value, str):
        return isinstance(value, dict) and "error" in value
    word = value.strip().lower()
    if word in OUTCOME_WORDS or word in MISSING_WORDS:
        return True
    try:
        float(word)
    except ValueError:
        return False
    return True


def _settle(options: dict[str, Any], sample: list[dict[str, Any]], said: Mapping[str, Any]) -> None:
    """Drops what contradicts itself; takes the model for the arm where only it differs."""
    for one, other in (("duration_ms", "duration_s"), ("timeout_limit_ms", "timeout_limit_s")):
        if one in options or one in said:
            options.pop(other, None)
        elif other in said:
            options.pop(one, None)
    taken = _columns_of(said)
    for key in list(options):
        if options[key] in taken:
            del options[key]
        else:
            taken.add(options[key])
    model = options.get("model")
    if "arm" not in options and "arm" not in said and model:
        n_models = _n_distinct([row.get(model) for row in sample])
        if 1 < n_models <= len(sample) // 2:
            options["arm"] = model


def _columns_of(said: Mapping[str, Any]) -> set[str]:
    """Gives the columns that the said keys speak of, as far as they are named outright."""
    named: set[str] = set()
    for value in said.values():
        if isinstance(value, str):
            named.add(value)
        elif isinstance(value, list | tuple):
            named |= {str(item) for item in value}
        elif isinstance(value, dict):
            named |= {item for item in value.values() if isinstance(item, str)}
    return named


def _sentence(
    options: dict[str, Any],
    said: Mapping[str, Any],
    columns: list[str],
    sample: list[dict[str, Any]],
) -> str:
    taken = ", ".join(f"{key}: {column}" for key, column in options.items())
    start = "not all is mapped" if said.keys() - {"format", "rows"} else "no mapping given"
    parts = [f"{start}; taken by column name: {taken}"]
    for key in sorted(_VALUES & options.keys()):
        parts[0] += f" ({'lower' if key == 'loss' else 'higher'} {options[key]} is better)"
    rest = [c for c in columns if c not in options.values() and c not in _columns_of(said)]
    labels = [c for c in rest if _could_be_label(c, sample)]
    if "arm" not in options and "arm" not in said:
        parts.append("no column for the arm: the file's name stands for it")
    if labels:
        parts.append(f"could be labels (mapping: labels: [{', '.join(labels)}])")
    others = [c for c in rest if c not in labels]
    if others:
        parts.append(f"not used: {', '.join(others)}")
    return "; ".join(parts)


def _could_be_label(column: str, sample: list[dict[str, Any]]) -> bool:
    values = [row.get(column) for row in sample]
    if not all(isinstance(v, str | bool) and len(str(v)) <= 80 for v in values):
        return False
    return 1 < _n_distinct(values) <= min(_MAX_LABEL_VALUES, max(2, len(sample) // 2))


def _cannot_tell(
    name: str, columns: list[str], unit: str | None, outcomes: list[str]
) -> InputError:
    listed = ", ".join(repr(c) for c in columns) or "none"
    if unit is None:
        found = f"no column is known to name the unit (columns: {listed})"
    elif outcomes:
        found = f"several columns could be the outcome: {', '.join(outcomes)} (columns: {listed})"
    else:
        found = f"no column is known to hold the outcome (columns: {listed})"
    lines = [
        f"unit: {unit or 'COLUMN'}",
        f"outcome: {outcomes[0] if outcomes else 'COLUMN'}   # or loss: COLUMN",
        "arm: COLUMN   # or {const: NAME}",
    ]
    return InputError(
        found,
        wanted="a mapping that says which column is what",
        mend="a mapping file with lines such as\n  " + "\n  ".join(lines),
        where=name,
        code="no_mapping",
    )
