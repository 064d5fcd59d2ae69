"""Turns one promptfoo result row into a trial and its grades."""

import hashlib
from collections.abc import Iterator
from typing import Any

from equipoise.adapters.logs.cell_names import CellNames
from equipoise.adapters.logs.noticing import Noticer
from equipoise.adapters.logs.promptfoo.columns import Columns
from equipoise.adapters.logs.seen import Seen
from equipoise.adapters.logs.table.endings import CACHED
from equipoise.adapters.logs.table.fields import field, text
from equipoise.adapters.logs.table.words import TRUNCATING_STOPS, read_value
from equipoise.adapters.transcripts.usage import whole
from equipoise.records.codec import identity_of
from equipoise.records.grade import OUTCOME, Grade, How
from equipoise.records.trial import Ending, EndingKind, Fault, Trial, Usage

SCORE = "score"
_ERROR = 2
_JUDGED = ("llm-rubric", "model-graded", "factuality", "g-eval", "answer-relevance", "context-")
_JUDGED_MORE = ("select-best", "pi", "agent-rubric", "conversation-relevance", "moderation")
_JUDGE_FAULTS = (
    *("Could not extract JSON", "API error", "API call error", "Request timed out"),
    *("Error: ", "Invalid response", "No output", "llm-rubric produced malformed"),
)
_UNIT_LENGTH = 80
_INFRASTRUCTURE = ("429", "500", "502", "503", "529", "rate limit", "ECONN", "fetch failed")


class RowReader:
    """Reads the rows of one results file, in the order of the file."""

    def __init__(
        self, columns: Columns, options: dict[str, str], noticer: Noticer, cells: CellNames
    ) -> None:
        """Notes the columns; `options` may set ``arm`` and ``unit`` (a dotted path in a row)."""
        self._columns = columns
        self._arm = options.get("arm", "")
        self._unit_path = options.get("unit", "")
        self._noticer = noticer
        self._cells = cells
        self._outputs = Seen()
        self.counted: dict[str, dict[str, int]] = {}

    def readings(self, row: dict[str, Any], where: str) -> Iterator[Trial | Grade]:
        """Yields the trial and its grades: ``success`` as outcome, ``score`` and named scores."""
        unit = self._unit(row)
        if unit is None:
            self._noticer.refused("no_unit", "a row without test", where)
            return
        arm = self._arm or self._columns.arm_of(row)
        model = text(field(row, "provider.id")) or text(row.get("provider"))
        name, repetition = self._cells.number((unit, arm, model), where)
        ending = self._ending(row, (unit, arm, model), repetition, where)
        self._count(arm, row, ending)
        yield Trial(
            id=name,
            unit=unit,
            arm=arm,
            repetition=repetition,
            ending=ending,
            model=model,
            usage=_usage(row),
            cost_usd=_cost(row),
            duration_ms=_duration_ms(row),
            stop_reason=text(field(row, "response.finishReason")),
            labels=_labels(row),
            source=where,
        )
        if ending.kind is EndingKind.COMPLETED or ending.kind is EndingKind.REFUSED:
            yield from self._grades(row, name, where)

    def _unit(self, row: dict[str, Any]) -> str | None:
        """What tells tests apart: the chosen path, or description and variables.

        The index of a test does not: promptfoo gives every repeat of a test a new one.
        """
        if self._unit_path:
            return text(field(row, self._unit_path))
        variables = row.get("vars") or field(row, "testCase.vars")
        described = text(row.get("description")) or text(field(row, "testCase.description"))
        if not isinstance(variables, dict) or not variables:
            index = text(row.get("testIdx"))
            return described or (f"test {index}" if index is not None else None)
        whole_text = text(variables) or ""
        plain = {k: v for k, v in variables.items() if not str(k).startswith("_")}
        first = described or text(next(iter(plain.values()), "")) or "test"
        if described is None and len(plain) == 1 and len(first) <= _UNIT_LENGTH:
            return first
        digest = hashlib.sha256(whole_text.encode()).hexdigest()[:8]
        return f"{first[:_UNIT_LENGTH]} #{digest}"

    def _ending(
        self, row: dict[str, Any], cell: tuple[str, str, str | None], repetition: int, where: str
    ) -> Ending:
        error = text(row.get("error")) or text(field(row, "response.error"))
        graded = row.get("gradingResult")
        is_error = row.get("failureReason") == _ERROR or (
            row.get("failureReason") is None and error is not None and not isinstance(graded, dict)
        )
        if is_error:
            is_infrastructure = any(mark in (error or "") for mark in _INFRASTRUCTURE)
            return Ending(
                kind=EndingKind.INFRASTRUCTURE_ERROR
                if is_infrastructure
                else EndingKind.HARNESS_ERROR,
                fault=Fault.INFRASTRUCTURE if is_infrastructure else Fault.UNKNOWN,
                is_retriable=True,
                detail=(error or "error")[:200],
            )
        if self._is_cached(row, cell, repetition):
            self._noticer.refused(
                "cached_repetition",
                "a further repetition with the same output was served from a cache; "
                "it is no repetition and has no outcome of its own",
                where,
            )
            return CACHED
        stop = (text(field(row, "response.finishReason")) or "").lower()
        if stop in TRUNCATING_STOPS:
            self._noticer.warn("truncated", f"answers cut off ({stop}): not wrong", where)
            return Ending(
                kind=EndingKind.TRUNCATED, fault=Fault.HARNESS, detail=f"stop reason {stop}"
            )
        if field(row, "response.isRefusal") is True:
            return Ending(kind=EndingKind.REFUSED, fault=Fault.SYSTEM, detail="refusal")
        return Ending()

    def _is_cached(
        self, row: dict[str, Any], cell: tuple[str, str, str | None], repetition: int
    ) -> bool:
        output = text(field(row, "response.output"))
        if output is None:
            return False
        is_known = self._outputs.add(int(identity_of(*cell, output), 16))
        is_flagged = field(row, "response.cached") is True or row.get("latencyMs") == 0
        return is_known and repetition > 1 and is_flagged

    def _grades(self, row: dict[str, Any], trial: str, where: str) -> Iterator[Grade]:
        how, judge_fault = _how(row), _judge_fault(row)
        named = row.get("namedScores")
        values = {OUTCOME: row.get("success"), SCORE: row.get("score")}
        values |= named if isinstance(named, dict) else {}
        for key, raw in values.items():
            if raw is None and key == SCORE:
                continue
            found = read_value(raw, scale=(0.0, 1.0), words={}, missing=frozenset())
            if found.fault:
                kind = f"{text(key)}{found.why}"
                self._noticer.refused("bad_value", f"{text(key)}: {found.fault}", where, kind=kind)
            why = judge_fault or found.why
            yield Grade(
                trial=trial,
                criterion=text(key) or "unnamed",
                value=None if why else found.value,
                not_evaluable=why,
                how=how,
            )
        if judge_fault:
            self._noticer.warn("judge_failed", "the judge gave no verdict: not a failure", where)

    def _count(self, arm: str, row: dict[str, Any], ending: Ending) -> None:
        counted = self.counted.setdefault(arm, {"successes": 0, "failures": 0, "errors": 0})
        is_error = ending.kind in {EndingKind.HARNESS_ERROR, EndingKind.INFRASTRUCTURE_ERROR}
        if is_error and ending is not CACHED:
            counted["errors"] += 1
        else:
            counted["successes" if row.get("success") is True else "failures"] += 1


def _how(row: dict[str, Any]) -> How:
    """Soft where any assertion was judged by a model."""
    parts = field(row, "gradingResult.componentResults")
    for part in parts if isinstance(parts, list) else ():
        kind = text(field(part, "assertion.type")) if isinstance(part, dict) else None
        plain = (kind or "").removeprefix("not-")
        if plain.startswith(_JUDGED) or plain in _JUDGED_MORE:
            return How.SOFT
    return How.MEASURED


def _judge_fault(row: dict[str, Any]) -> str:
    """Why the judge gave no verdict, told by promptfoo's own messages; empty where it did."""
    if row.get("success") is True or _how(row) is How.MEASURED:
        return ""
    parts = field(row, "gradingResult.componentResults")
    for part in parts if isinstance(parts, list) else ():
        reason = part.get("reason") if isinstance(part, dict) else None
        if isinstance(reason, str) and reason.startswith(_JUDGE_FAULTS):
            return f"the judge failed: {text(reason[:80])}"
    return ""


def _usage(row: dict[str, Any]) -> Usage | None:
    found = field(row, "response.tokenUsage") or row.get("tokenUsage")
    if not isinstance(found, dict):
        return None
    inputs, outputs = whole(found.get("prompt")), whole(found.get("completion"))
    if not inputs and not outputs:
        return None
    return Usage(input_tokens=inputs, output_tokens=outputs)


def _cost(row: dict[str, Any]) -> float | None:
    """The cost; 0 is what promptfoo writes for an unknown price and for a cached answer."""
    cost = row.get("cost")
    if isinstance(cost, bool) or not isinstance(cost, int | float):
        return None
    return float(cost) if 0 < cost < 1e12 else None


def _duration_ms(row: dict[str, Any]) -> float | None:
    found = row.get("latencyMs")
    if isinstance(found, bool) or not isinstance(found, int | float):
        return None
    return float(found) if 0 <= found < 1e15 else None


def _labels(row: dict[str, Any]) -> dict[str, str]:
    """Metadata of the test that are plain words."""
    metadata = field(row, "testCase.metadata")
    if not isinstance(metadata, dict):
        return {}
    named = {text(k): v for k, v in metadata.items() if isinstance(v, str | bool | int)}
    found = {key: text(value) for key, value in named.items()}
    return {k: v for k, v in found.items() if k is not None and v is not None and len(v) <= 80}
