"""Turns one Inspect sample into a trial and its grades."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from equipoise.adapters.logs.cell_names import CellNames
from equipoise.adapters.logs.inspect.header import Header
from equipoise.adapters.logs.noticing import Noticer
from equipoise.adapters.logs.table.fields import text
from equipoise.adapters.logs.table.words import TRUNCATING_STOPS, Value, read_value
from equipoise.adapters.transcripts.usage import inspect_usage
from equipoise.records.grade import OUTCOME, Grade
from equipoise.records.trial import Ending, EndingKind, Fault, Trial, Usage

LETTERS = {"c": 1.0, "i": 0.0, "p": 0.5, "n": 0.0}
"""Inspect's values: correct, incorrect, partial, no answer."""

_LIMITS = {"context": EndingKind.TRUNCATED, "operator": EndingKind.CANCELLED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What the user chose for an Inspect log.

    Args:
        arm: name of the arm; empty = the log's model.
        scorer: the scorer whose value is the outcome; empty = the only one.
        scale: lowest and highest value of numeric scores.
        labels: label -> metadata key.
        cluster: metadata key of what samples share; empty = none.
    """

    arm: str = ""
    scorer: str = ""
    scale: tuple[float, float] = (0.0, 1.0)
    labels: dict[str, str]
    cluster: str = ""


class SampleReader:
    """Reads the samples of one log."""

    def __init__(
        self, header: Header, choices: Choices, *, prefix: str, noticer: Noticer, cells: CellNames
    ) -> None:
        """Samples of several tasks in one source are told apart by `prefix`."""
        self._header = header
        self._choices = choices
        self._prefix = prefix
        self._noticer = noticer
        self._cells = cells
        self.n_samples = 0
        self.n_scored = 0
        self.values: dict[str, int] = {}

    def readings(self, sample: Any, where: str) -> Iterator[Trial | Grade]:
        """Yields the trial and its grades; a sample without id is refused."""
        unit = text(sample.get("id")) if isinstance(sample, dict) else None
        if unit is None:
            self._noticer.refused("no_unit", "a sample without id", where)
            return
        epoch = sample.get("epoch", 1)
        if not isinstance(epoch, int) or isinstance(epoch, bool) or epoch < 1:
            self._noticer.refused("bad_epoch", "an epoch that is no number from 1", where)
            return
        trial = self._trial(sample, f"{self._prefix}{unit}", epoch, where)
        if trial is None:
            return
        self.n_samples += 1
        yield trial
        if trial.ending.kind in {EndingKind.HARNESS_ERROR, EndingKind.CANCELLED}:
            return
        grades = list(self._grades(sample, trial, where))
        self.n_scored += any(grade.value is not None for grade in grades)
        yield from grades

    def _trial(self, sample: dict[str, Any], unit: str, epoch: int, where: str) -> Trial | None:
        header, choices = self._header, self._choices
        arm = choices.arm or header.model or "inspect"
        name = self._cells.admit((unit, arm, header.model or None), (epoch, 1), where)
        if name is None:
            return None
        output = _object(sample.get("output"))
        stop = _stop_reason(output)
        metadata = _object(sample.get("metadata"))
        labels = {k: text(metadata.get(key)) for k, key in choices.labels.items()}
        return Trial(
            id=name,
            unit=unit,
            arm=arm,
            repetition=epoch,
            ending=self._ending(sample, stop, where),
            model=header.model or None,
            model_answered=text(output.get("model")),
            labels={k: v for k, v in labels.items() if v is not None},
            cluster=text(metadata.get(choices.cluster)) if choices.cluster else None,
            usage=self._usage(sample, where),
            duration_ms=_duration_ms(sample.get("total_time")),
            stop_reason=stop,
            started_at=text(sample.get("started_at")),
            versions=header.versions,
            source=where,
        )

    def _ending(self, sample: dict[str, Any], stop: str | None, where: str) -> Ending:
        error = sample.get("error")
        if error:
            message = _object(error).get("message", error)
            return Ending(
                kind=EndingKind.HARNESS_ERROR,
                fault=Fault.UNKNOWN,
                is_retriable=True,
                detail=(text(message) or "")[:200],
            )
        limit = sample.get("limit")
        if limit:
            word = text(_object(limit).get("type", limit)) or ""
            kind = _LIMITS.get(word, EndingKind.BUDGET)
            fault = Fault.OPERATOR if kind is EndingKind.CANCELLED else Fault.SYSTEM
            return Ending(kind=kind, fault=fault, detail=f"{word} limit")
        if stop is not None and stop.lower() in TRUNCATING_STOPS:
            self._noticer.warn("truncated", f"answers cut off ({stop}): not wrong", where)
            return Ending(
                kind=EndingKind.TRUNCATED, fault=Fault.HARNESS, detail=f"stop reason {stop}"
            )
        if stop == "content_filter":
            return Ending(kind=EndingKind.REFUSED, fault=Fault.SYSTEM, detail="content filter")
        return Ending()

    def _usage(self, sample: dict[str, Any], where: str) -> Usage | None:
        """The tokens of the model under test; those of other models (graders) are left out."""
        by_model = _object(sample.get("model_usage"))
        own = by_model.get(self._header.model)
        if own is None and len(by_model) == 1:
            own = next(iter(by_model.values()))
        if len(by_model) > 1:
            self._noticer.info(
                "other_models", "tokens of other models than the one under test left out", where
            )
        return inspect_usage(own)

    def _grades(self, sample: dict[str, Any], trial: Trial, where: str) -> Iterator[Grade]:
        scores = sample.get("scores")
        if scores is None and sample.get("score") is not None:
            scores = {"score": sample["score"]}
        if not isinstance(scores, dict) or not scores:
            self._noticer.warn("no_score", "a sample has no score: unscored, not failed", where)
            yield Grade(trial=trial.id, not_evaluable="no score")
            return
        for key, score in scores.items():
            scorer = text(key) or "?"
            raw = score.get("value") if isinstance(score, dict) else score
            if isinstance(raw, dict):
                for part, value in raw.items():
                    yield self._grade(trial, f"{scorer}.{text(part)}", value, scorer, where)
            else:
                yield self._grade(trial, self._criterion(scorer, scores), raw, scorer, where)

    def _criterion(self, scorer: str, scores: dict[str, Any]) -> str:
        chosen = self._choices.scorer
        declared = self._header.scorers
        is_only = len(scores) == 1 and len(declared) <= 1
        return OUTCOME if scorer == chosen or (not chosen and is_only) else scorer

    def _grade(self, trial: Trial, criterion: str, raw: Any, scorer: str, where: str) -> Grade:
        found = _value(raw, self._choices.scale)
        if found.fault:
            kind = scorer + found.why
            self._noticer.refused("bad_value", f"{scorer}: {found.fault}", where, kind=kind)
        shown = text(raw) or "null"
        if len(self.values) < 100 or shown in self.values:
            self.values[shown] = self.values.get(shown, 0) + 1
        return Grade(
            trial=trial.id,
            criterion=criterion,
            value=found.value,
            not_evaluable=found.why,
            by=scorer,
        )


def _value(raw: Any, scale: tuple[float, float]) -> Value:
    if isinstance(raw, str) and raw.strip().lower() in LETTERS:
        return Value(value=LETTERS[raw.strip().lower()])
    return read_value(raw, scale=scale, words={}, missing=frozenset())


def _stop_reason(output: dict[str, Any]) -> str | None:
    choices = output.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return text(_object(first).get("stop_reason"))


def _duration_ms(seconds: Any) -> float | None:
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        return None
    return 1000.0 * seconds if 0 <= seconds < 1e12 else None


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
