"""Reads LDD: one session of a trace is one trial, its final loss the outcome; bundles of skills."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from equipoise.adapters.logs.cell_names import CellNames
from equipoise.adapters.logs.documents import Documents, cite
from equipoise.adapters.logs.ldd.bundle import read_bundle
from equipoise.adapters.logs.ldd.sessions import Session, Step, sessions_of
from equipoise.adapters.logs.noticing import Noticer
from equipoise.adapters.logs.opened import lines
from equipoise.adapters.logs.options import Options
from equipoise.adapters.logs.sources import files_of
from equipoise.adapters.logs.table.fields import text
from equipoise.adapters.logs.table.reader import stem_of
from equipoise.errors import UnreadableSource
from equipoise.ports import Reading
from equipoise.records.grade import Evidence, Grade
from equipoise.records.notice import Attachment
from equipoise.records.terms import Direction
from equipoise.records.trial import Ending, EndingKind, Fault, Trial

_KEYS = ("arm",)
_OPEN = Ending(kind=EndingKind.CANCELLED, fault=Fault.UNKNOWN, detail="no close line")
_SCRIPTED_MS = 50.0
_SCRIPTED_STEPS = 3


class LddReader:
    """The reader of LDD trace logs (``trace.log``) and of bundles (``aggregate.json``).

    Option: ``arm`` (else ``ldd``). The outcome is a loss: lower is better.
    """

    name = "ldd"

    def directions(self, options: dict[str, Any]) -> dict[str, Direction]:
        """Gives the direction of the outcome: lower is better."""
        return Options(options, _KEYS).directions(Direction.LOWER)

    def read(self, source: Path, options: dict[str, Any]) -> Iterator[Reading]:
        """Yields the readings of one trace, of all ``.log`` files of a folder, or of a bundle.

        Raises:
            InputError: an option is wrong.
            UnreadableSource: there is no trace, or the bundle holds no measured losses.
        """
        arm = Options(options, _KEYS).text("arm") or "ldd"
        noticer = Noticer()
        if source.is_file() and source.suffix.lower() == ".json":
            yield from read_bundle(source, noticer)
        else:
            yield from _traces(source, arm, noticer)
        yield from noticer.flush()


def _traces(source: Path, arm: str, noticer: Noticer) -> Iterator[Reading]:
    folder = source if source.is_dir() else source.parent
    documents = Documents(folder)
    cells = CellNames(noticer)
    n_sessions = 0
    for path in files_of(source, (".log",), noticer):
        for session in sessions_of(_lines(path, noticer), path.name, noticer):
            n_sessions += 1
            yield from _readings(session, path, arm, cells, (documents, folder))
            _remark(session, path, noticer)
    if not n_sessions:
        raise UnreadableSource(
            f"{source.name} has no line of an LDD trace", wanted="a trace.log", code="no_ldd"
        )


def _lines(path: Path, noticer: Noticer) -> Iterator[tuple[int, str]]:
    for number, line in lines(path, noticer):
        try:
            yield number, line.decode()
        except UnicodeDecodeError:
            noticer.lost("not_utf8", "invalid UTF-8 in the line", f"{path.name}:{number}")


def _readings(
    session: Session, path: Path, arm: str, cells: CellNames, logs: tuple[Documents, Path]
) -> Iterator[Trial | Attachment | Grade]:
    unit = text(session.task) or stem_of(path)
    where = f"{path.name}:{session.line}"
    name, repetition = cells.number(
        (unit, arm, None),
        where,
        why="a session of the same task again: numbered as a further repetition",
    )
    counts = {f"skill:{text(skill)}": n for skill, n in session.skills.items()}
    yield Trial(
        id=name,
        unit=unit,
        arm=arm,
        repetition=repetition,
        ending=Ending() if session.terminals else _OPEN,
        duration_ms=_duration_ms(session),
        counts=counts
        | {
            "lines": session.n_lines,
            "iterations": len(session.steps),
            "epochs": session.epochs,
        },
        stop_reason=text(session.terminals[-1]) if session.terminals else None,
        started_at=session.started_at or None,
        source=where,
    )
    if not session.terminals:
        return
    final = session.final or (session.steps[-1] if session.steps else None)
    yield from _grade(session, final, name, path, logs)


def _grade(
    session: Session, final: Step | None, trial: str, path: Path, logs: tuple[Documents, Path]
) -> Iterator[Attachment | Grade]:
    if final is None or (session.is_old_form and final.loss > 0):
        why = "the old form counts items of a rubric of unknown size"
        yield Grade(trial=trial, not_evaluable=why if session.is_old_form else "no loss")
        return
    if not 0 <= final.loss <= 1:
        yield Grade(trial=trial, not_evaluable=f"loss {final.loss:g} lies outside 0 to 1")
        return
    documents, folder = logs
    evidence: tuple[Evidence, ...] = ()
    document = documents.find(path.relative_to(folder).as_posix())
    if document is not None:
        cited = cite(document, final.quote, final.line)
        if cited is not None:
            if documents.is_new(document):
                yield document.attachment
            evidence = (cited,)
    yield Grade(trial=trial, value=final.loss, evidence=evidence)


def _remark(session: Session, path: Path, noticer: Noticer) -> None:
    where = f"{path.name}:{session.line}"
    if not session.terminals:
        noticer.warn("not_closed", "the session has no close line: no outcome", where)
    if session.n_plus_is_better:
        noticer.info(
            "old_sign",
            "delta=+n means better here; the newer form is negative",
            where,
        )
    if session.epochs:
        noticer.info(
            "epoch", "the rubric changed in between: losses before and after do not compare", where
        )
    duration_ms = _duration_ms(session)
    n_steps = len(session.steps)
    if n_steps >= _SCRIPTED_STEPS and duration_ms is not None and duration_ms < _SCRIPTED_MS:
        noticer.warn(
            "scripted",
            "all steps lie within milliseconds: written by a script, not by a run",
            where,
        )


def _duration_ms(session: Session) -> float | None:
    try:
        start = datetime.fromisoformat(session.started_at)
        end = datetime.fromisoformat(session.ended_at)
        seconds = (end - start).total_seconds()
    except (ValueError, TypeError, OverflowError):
        return None
    return 1000.0 * seconds if seconds >= 0 else None
