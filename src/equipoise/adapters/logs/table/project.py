"""Turns one row into a trial and its grades."""

from collections.abc import Callable, Iterator
from json import dumps
from typing import Any

from msgspec import structs

from equipoise.adapters.logs.noticing import Noticer
from equipoise.adapters.logs.table.cells import CellCounter
from equipoise.adapters.logs.table.endings import CACHED, EndingReader
from equipoise.adapters.logs.table.fields import Row, count, field, getter, is_set, text
from equipoise.adapters.logs.table.finding import FindingReader
from equipoise.adapters.logs.table.mapping import Column, Graded, Mapping
from equipoise.adapters.logs.table.resources import ResourceReader
from equipoise.adapters.logs.table.words import read_value
from equipoise.records.codec import digest
from equipoise.records.grade import OUTCOME, Grade, How
from equipoise.records.notice import Attachment
from equipoise.records.terms import Direction
from equipoise.records.trial import Blob, Ending, EndingKind, Trial

_GRADED_ENDINGS = frozenset({EndingKind.COMPLETED, EndingKind.BUDGET, EndingKind.REFUSED})


class Projector:
    """Turns rows into trials and grades by a mapping; knows what cells it has met."""

    def __init__(
        self,
        mapping: Mapping,
        *,
        name: str,
        stem: str,
        noticer: Noticer,
        findings: FindingReader | None = None,
    ) -> None:
        """Prepares the columns.

        Args:
            mapping: which column is what.
            name: name of the file, for places.
            stem: the arm where the mapping names none.
            noticer: is told of everything odd.
            findings: reads the findings of a row, where the table has some.
        """
        self._mapping = mapping
        self._name = name
        self._noticer = noticer
        self._findings = findings
        self._unit = _optional(mapping.unit)
        self._arms = _arms(mapping, stem)
        self._model = _optional(mapping.model)
        self._cluster = _optional(mapping.cluster)
        self._endings = EndingReader(mapping, noticer)
        self._resources = ResourceReader(mapping, noticer)
        self._cells = CellCounter(mapping, noticer)

    def readings(self, line: int, row: Row) -> Iterator[Trial | Grade | Attachment]:
        """Yields the trial (one per arm where arms stand in columns) and its grades."""
        where = f"{self._name}:{line}"
        unit = self._unit(row)
        if unit is None:
            self._noticer.refused("no_unit", "the row names no unit", where)
            return
        for arm_of, criteria in self._arms:
            arm = arm_of(row)
            if arm is None:
                self._noticer.refused("no_arm", "the row names no arm", where)
                continue
            trial = self._trial(row, where, unit, arm)
            if trial is not None:
                answer = self._answer(row, trial.id)
                if answer is not None:
                    yield answer
                    trial = structs.replace(trial, output=_blob(answer))
                yield trial
                yield from self._grades(trial, row, criteria, where)
                if self._findings is not None and trial.ending.kind in _GRADED_ENDINGS:
                    yield from self._findings.readings(trial, row, where)

    def finish(self) -> None:
        """Tells what only the whole table shows."""
        self._resources.tell_all_zero(self._name)

    def _trial(self, row: Row, where: str, unit: str, arm: str) -> Trial | None:
        mapping = self._mapping
        model = self._model(row)
        place = self._cells.place(row, where)
        cell = self._cells.admit((unit, arm, model), place, where) if place else None
        if place is None or cell is None:
            return None
        (name, repetition), attempt = cell, place[1]
        duration_ms = self._resources.duration_ms(row, where)
        ending = self._endings.read(row, where, duration_ms)
        if self._cells.is_cached(row, (unit, arm, model), repetition, duration_ms):
            ending = self._cached(where)
        return Trial(
            id=name,
            unit=unit,
            arm=arm,
            repetition=repetition,
            attempt=attempt,
            ending=ending,
            model=model,
            labels=self._texts(row, mapping.labels, where, what="label") if mapping.labels else {},
            cluster=self._cluster(row),
            usage=self._resources.usage(row, where),
            cost_usd=self._resources.cost_usd(row, where),
            duration_ms=duration_ms,
            source=where,
            **self._rare(row, where),
        )

    def _rare(self, row: Row, where: str) -> dict[str, Any]:
        """The fields that few tables have."""
        mapping = self._mapping
        found: dict[str, Any] = {}
        for key in ("model_answered", "stop_reason", "started_at"):
            name = getattr(mapping, key)
            if name is not None:
                found[key] = text(field(row, name))
        if mapping.versions:
            found["versions"] = self._texts(row, mapping.versions, where, what="version")
        if mapping.counts:
            counts = {k: count(field(row, name)) for k, name in mapping.counts.items()}
            found["counts"] = {k: n for k, n in counts.items() if n is not None}
        if mapping.exit_code is not None:
            found["exit_code"] = _exit_code(field(row, mapping.exit_code))
        simulated = mapping.is_simulated
        if simulated is not False:
            found["is_simulated"] = simulated is True or is_set(field(row, str(simulated)))
        return found

    def _texts(self, row: Row, names: dict[str, str], where: str, *, what: str) -> dict[str, str]:
        found: dict[str, str] = {}
        for key, name in names.items():
            value = text(field(row, name))
            if value is None:
                self._noticer.warn(f"{what}_missing", f"no {what} {key!r} in the row", where)
            else:
                found[key] = value
        return found

    def _answer(self, row: Row, trial: str) -> Attachment | None:
        """The answer of the row as a document of its trial, in the words of the source."""
        if self._mapping.output is None:
            return None
        value = field(row, self._mapping.output)
        if value is None:
            return None
        said = value if isinstance(value, str) else dumps(value, ensure_ascii=False)
        content = said.encode(errors="replace")
        return Attachment(
            name=f"{trial}/output",
            sha256=digest(content),
            n_bytes=len(content),
            text=content.decode(),
        )

    def _cached(self, where: str) -> Ending:
        self._noticer.refused(
            "cached_repetition",
            "a further repetition with the same output was served from a cache; "
            "it is no repetition and has no outcome of its own",
            where,
        )
        return CACHED

    def _grades(
        self, trial: Trial, row: Row, criteria: dict[str, Graded], where: str
    ) -> Iterator[Grade]:
        if trial.ending.kind not in _GRADED_ENDINGS:
            return
        for criterion, graded in criteria.items():
            found = read_value(
                field(row, graded.column),
                scale=graded.scale,
                words=graded.words,
                missing=frozenset(graded.missing),
            )
            if found.fault:
                self._noticer.refused(
                    "bad_value", f"{criterion}: {found.fault}", where, kind=criterion + found.why
                )
            yield Grade(
                trial=trial.id,
                criterion=criterion,
                value=found.value,
                not_evaluable=found.why,
                how=How(graded.how),
                by=graded.by,
            )


def graded_columns(mapping: Mapping) -> dict[str, Graded]:
    """Gives criterion -> column of everything a mapping grades; the single result is `OUTCOME`."""
    single = mapping.value or mapping.outcome or mapping.loss
    found: dict[str, Graded] = {}
    if single is not None:
        changes: dict[str, Any] = {}
        direction = mapping.direction or (Direction.LOWER if mapping.loss else None)
        if direction is not None:
            changes["direction"] = direction
        if mapping.scale is not None:
            changes["scale"] = mapping.scale
        if mapping.words or mapping.missing:
            changes["words"] = {**mapping.words, **single.words}
            changes["missing"] = (*mapping.missing, *single.missing)
        found[OUTCOME] = _lowered(single.model_copy(update=changes))
    return found | {name: _lowered(graded) for name, graded in mapping.criteria.items()}


def directions_of(mapping: Mapping) -> dict[str, Direction]:
    """Gives criterion -> direction of everything a mapping grades."""
    found = {name: graded.direction for _, c in _arms(mapping, "?") for name, graded in c.items()}
    if mapping.aggregate is not None:
        found[OUTCOME] = mapping.direction or Direction.HIGHER
    if mapping.findings is not None:
        found |= dict.fromkeys(mapping.findings.categories, Direction.LOWER)
    return found


def _lowered(graded: Graded) -> Graded:
    words = {word.strip().lower(): value for word, value in graded.words.items()}
    missing = tuple(word.strip().lower() for word in graded.missing)
    return graded.model_copy(update={"words": words, "missing": missing})


def _arms(
    mapping: Mapping, stem: str
) -> list[tuple[Callable[[Row], str | None], dict[str, Graded]]]:
    """One entry per execution a row holds: how its arm is read, and what is graded."""
    criteria = graded_columns(mapping)
    if mapping.arm is None:
        return [(getter(Column(const=stem)), criteria)]
    if not mapping.arm.wide:
        return [(getter(mapping.arm), criteria)]
    single = Graded(
        column="?",
        direction=mapping.direction or Direction.HIGHER,
        scale=mapping.scale or (0.0, 1.0),
        words=mapping.words,
        missing=mapping.missing,
    )
    return [
        (
            getter(Column(const=arm)),
            {OUTCOME: _lowered(single.model_copy(update={"column": column}))} | criteria,
        )
        for arm, column in mapping.arm.wide.items()
    ]


def _optional(column: Column | None) -> Callable[[Row], str | None]:
    return getter(column) if column is not None else lambda _row: None


def _blob(answer: Attachment) -> Blob:
    return Blob(sha256=answer.sha256, n_bytes=answer.n_bytes, name="output")


def _exit_code(value: object) -> int | None:
    try:
        return int(str(value))
    except ValueError:
        return None
