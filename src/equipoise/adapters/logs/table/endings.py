"""Says how the execution in a row ended: by status, error, stop reason, time limit or cache."""

from typing import Any

from equipoise.adapters.logs.noticing import Noticer
from equipoise.adapters.logs.table.fields import Row, field, is_set, number, text
from equipoise.adapters.logs.table.mapping import Mapping
from equipoise.adapters.logs.table.words import TRUNCATING_STOPS, ending_of
from equipoise.errors import InputError
from equipoise.records.trial import Ending, EndingKind, Fault

COMPLETED = Ending()
CACHED = Ending(
    kind=EndingKind.HARNESS_ERROR,
    fault=Fault.HARNESS,
    is_retriable=True,
    detail="served from cache",
)
"""The ending of a further repetition that was not executed but read from a cache."""

_NEAR_LIMIT = 0.9
_CUT_OFF = Ending(kind=EndingKind.TRUNCATED, fault=Fault.HARNESS, is_retriable=True)
_FAILED = Ending(kind=EndingKind.HARNESS_ERROR, fault=Fault.UNKNOWN, is_retriable=True)
_MAX_DETAIL = 200


class EndingReader:
    """Reads the ending out of a row by the columns of the mapping."""

    def __init__(self, mapping: Mapping, noticer: Noticer) -> None:
        """Checks the user's own status words.

        Raises:
            InputError: an own word is set to no ending that exists.
        """
        self._mapping = mapping
        self._noticer = noticer
        self._words = _own_words(mapping)
        self._is_needed = any(
            (
                mapping.status,
                mapping.error,
                mapping.stop_reason,
                mapping.max_output_tokens,
                mapping.findings,
            )
        )

    def read(self, row: Row, where: str, duration_ms: float | None) -> Ending:
        """Gives the ending; a status that is not known is told and counts as unknown failure."""
        if not self._is_needed:
            return COMPLETED
        ending = self._by_status(row, where, duration_ms)
        if ending.kind is EndingKind.COMPLETED and self._mapping.error is not None:
            fault = field(row, self._mapping.error)
            if is_set(fault):
                ending = _with_detail(_FAILED, text(fault) or "")
        stop = field(row, self._mapping.stop_reason) if self._mapping.stop_reason else None
        if isinstance(stop, str) and stop.strip().lower() in TRUNCATING_STOPS:
            self._noticer.warn(
                "truncated", f"answers cut off by a token limit (stop reason {stop!r})", where
            )
            return _with_detail(_CUT_OFF, f"stop reason {stop}")
        return self._within_tokens(row, ending, where)

    def _within_tokens(self, row: Row, ending: Ending, where: str) -> Ending:
        """Takes an answer that is as long as it was allowed to be for one that was cut off."""
        most, used = (
            _whole(row, name)
            for name in (self._mapping.max_output_tokens, self._mapping.output_tokens)
        )
        if most is None or used is None or used < most:
            return ending
        self._noticer.warn(
            "truncated", "answers as long as the declared token limit: cut off, not wrong", where
        )
        return _with_detail(_CUT_OFF, f"{used:g} of at most {most:g} output tokens")

    def _by_status(self, row: Row, where: str, duration_ms: float | None) -> Ending:
        status = self._mapping.status
        if status is None:
            return COMPLETED
        word = text(field(row, status.column)) or ""
        ending = self._words.get(word.lower()) or ending_of(word)
        if ending is None:
            self._noticer.refused(
                "unknown_status",
                f"status {word[:60]!r} is not known; its rows count as failed without outcome; "
                f"mend: status: {{column: {status.column}, words: {{{word[:60]!r}: completed}}}}",
                where,
            )
            return _with_detail(_FAILED, f"status {word!r}")
        if ending is COMPLETED or ending.kind is EndingKind.COMPLETED:
            return COMPLETED
        if "time" in word.lower():
            return self._against_limit(row, _with_detail(ending, word), where, duration_ms)
        return _with_detail(ending, word)

    def _against_limit(
        self, row: Row, ending: Ending, where: str, duration_ms: float | None
    ) -> Ending:
        limit_ms = _limit_ms(self._mapping, row)
        if limit_ms is None or duration_ms is None or duration_ms >= _NEAR_LIMIT * limit_ms:
            return ending
        self._noticer.warn(
            "timeout_contradiction",
            "logged as timed out long before the declared limit: another limit struck, "
            "which says nothing about the declared one",
            where,
        )
        return Ending(
            kind=EndingKind.TIMED_OUT,
            fault=Fault.UNKNOWN,
            is_retriable=True,
            detail=f"{ending.detail}: declared limit {limit_ms / 1000:g} s, "
            f"measured {duration_ms / 1000:g} s",
        )


def _own_words(mapping: Mapping) -> dict[str, Ending]:
    words: dict[str, Ending] = {}
    for word, meaning in (mapping.status.words if mapping.status else {}).items():
        ending = ending_of(meaning)
        if ending is None:
            raise InputError(
                f"status word {word!r} is set to {meaning!r}",
                wanted=", ".join(kind.value for kind in EndingKind),
                where="status.words",
                code="mapping",
            )
        words[word.strip().lower()] = ending
    return words


def _limit_ms(mapping: Mapping, row: Row) -> float | None:
    for name, factor in ((mapping.timeout_limit_ms, 1.0), (mapping.timeout_limit_s, 1000.0)):
        if name is not None:
            try:
                limit = number(field(row, name))
            except ValueError:
                return None
            return None if limit is None else factor * limit
    return None


def _whole(row: Row, name: str | None) -> float | None:
    try:
        return number(field(row, name)) if name is not None else None
    except ValueError:
        return None


def _with_detail(ending: Ending, detail: Any) -> Ending:
    return Ending(
        kind=ending.kind,
        fault=ending.fault,
        is_retriable=ending.is_retriable,
        detail=str(detail)[:_MAX_DETAIL],
    )
