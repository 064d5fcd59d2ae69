"""The trials of an archive as work for grading, and the grades that processes make of it."""

import gc
import os
import signal
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from multiprocessing import get_context
from multiprocessing.synchronize import Event
from pathlib import Path

from equipoise.archive.blobs import Blobs
from equipoise.ports.suites import Suites
from equipoise.records.brief import Brief
from equipoise.records.catalog import Catalog
from equipoise.records.grade import Grade
from equipoise.records.holdout import Holdout
from equipoise.records.plan import Mode
from equipoise.records.trial import Trial
from equipoise.stages.grade.checking import Check, grade_trial, ready
from equipoise.stages.grade.material import Material, Stored
from equipoise.stages.grade.programs import Programs

SuitesMaker = Callable[[Path], AbstractContextManager[Suites]]
"""Gives what runs the hidden tests of the study in a folder; nothing is started before it must."""

_RUN = frozenset({"suite", "dod_gate"})
"""Kinds of checks that run what an agent left."""

_BATCH = 64
_MOST_SUITES = 4
"""Runs of hidden tests at once."""

_WORTH_PROCESSES = 1500
"""Fewer trials than this are graded before another process has even started."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """One trial to grade: its documents by name with their hashes, and what belongs to its unit.

    `barred` says why the trial may not be graded at all; its documents are not read then. Where it
    `is_void` for its batch, that also takes the place of what it was graded before.
    """

    trial: Trial
    documents: Mapping[str, str]
    brief: Brief | None
    holdout: Holdout | None
    outages: Mapping[str, str] = field(default_factory=dict)
    followed: frozenset[str] = frozenset()
    barred: str = ""
    is_void: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """What all the work of one archive shares.

    `root` is the study folder, where the study's own checks are found; `suites` makes what runs
    its hidden tests (null = nothing does).
    """

    blobs: Path
    catalog: Catalog
    mode: Mode
    root: Path
    suites: SuitesMaker | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """The grades of one trial by category, and the documents that its checks made, by name."""

    grades: Mapping[str, Grade] = field(default_factory=dict)
    made: Mapping[str, bytes] = field(default_factory=dict)


def material_of(
    work: Work, blobs: Blobs, programs: Programs | None = None, suites: Suites | None = None
) -> Material:
    """Gives the trial as its checks see it; documents are read when a check wants them."""
    return Material(
        trial=work.trial,
        documents={
            name: Stored(name=name, sha256=sha256, read=partial(_read, blobs, sha256))
            for name, sha256 in work.documents.items()
        },
        brief=work.brief,
        holdout=work.holdout,
        outages=work.outages,
        followed=work.followed,
        programs=programs,
        suites=suites,
    )


def has_suites(catalog: Catalog) -> bool:
    """Says whether hidden tests, or commands, are run for a category."""
    return any(_RUN & category.check.keys() for category in catalog.categories)


def in_suite_order(work: Sequence[Work]) -> list[Work]:
    """Gives the trials of a unit together: its hidden tests are made ready once for all of them."""
    return sorted(work, key=lambda one: one.trial.unit)


def grades_of(bench: Bench, work: Sequence[Work]) -> Iterator[Graded]:
    """Yields, in order, the grades of each trial in every category that has a check.

    Of a trial that is barred, in every category. Hidden tests are run from this process alone.

    Raises:
        Tampered: a document is not as it was stored.
    """
    n_processes = min(os.cpu_count() or 1, 8)
    if len(work) < _WORTH_PROCESSES or n_processes < 2 or has_suites(bench.catalog):
        grader = _Grader(bench)
        try:
            yield from grader.grades(work)
        finally:
            grader.close()
        return
    batches = [work[at : at + _BATCH] for at in range(0, len(work), _BATCH)]
    pending: deque[Future[list[Graded]]] = deque()
    context = get_context("spawn")
    ended = context.Event()
    with ProcessPoolExecutor(
        n_processes,
        mp_context=context,
        initializer=_begin,
        initargs=(replace(bench, suites=None), ended),
    ) as pool:
        try:
            for batch in batches:
                with _undisturbed():
                    pending.append(pool.submit(_grade, batch))
                if len(pending) > 4 * n_processes:
                    yield from pending.popleft().result()
            while pending:
                yield from pending.popleft().result()
        finally:
            ended.set()
            pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Has processes that are started meanwhile never hear Ctrl-C: they are told by this one."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Grader:
    """The checks of a catalog, ready to be executed on the trials of an archive."""

    def __init__(self, bench: Bench) -> None:
        self._checks: tuple[Check, ...] = ready(bench.catalog, bench.root)
        self._catalog = bench.catalog
        self._mode = bench.mode
        self._blobs = Blobs(bench.blobs)
        self._stack = ExitStack()
        self._programs = self._stack.enter_context(Programs(bench.root))
        self._suites: Suites | None = None
        if bench.suites is not None:
            self._suites = self._stack.enter_context(bench.suites(bench.root))

    def close(self) -> None:
        self._stack.close()

    def grades(self, work: Sequence[Work]) -> Iterator[Graded]:
        """Yields the grades of each trial, in order; hidden tests of a few are run at once."""
        kinds = {check.kind for check in self._checks}
        if not kinds & _RUN or kinds & {"callable", "command"}:
            yield from map(self._graded, work)
            return
        n_threads = min(_MOST_SUITES, os.cpu_count() or 1)
        pool = ThreadPoolExecutor(n_threads)
        pending: deque[Future[Graded]] = deque()
        try:
            for one in work:
                pending.append(pool.submit(self._graded, one))
                if len(pending) > 2 * n_threads:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        except BaseException:
            self.close()  # ends the tests that are under way: nobody waits for them any more
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def _graded(self, one: Work) -> Graded:
        if one.barred:
            return Graded(grades=self._barred(one))
        material = material_of(one, self._blobs, self._programs, self._suites)
        grades = grade_trial(self._checks, material, self._mode)
        made = {name: page.content for name, page in material.made.items()}
        return Graded(grades=grades, made=made)

    def _barred(self, one: Work) -> dict[str, Grade]:
        return {
            category.id: Grade(
                trial=one.trial.id, criterion=category.id, not_evaluable=one.barred, by="catalog"
            )
            for category in self._catalog.categories
        }


@dataclass(slots=True)
class _Here:
    """The grader of this process, where it is one that was started for grading."""

    grader: _Grader | None = None
    ended: Event | None = None


_HERE = _Here()


def _begin(bench: Bench, ended: Event) -> None:
    gc.set_threshold(50_000, 50, 50)  # next to nothing here is cyclic
    _HERE.grader, _HERE.ended = _Grader(bench), ended


def _grade(work: Sequence[Work]) -> list[Graded]:
    assert _HERE.grader is not None
    assert _HERE.ended is not None
    found = []
    for grades in _HERE.grader.grades(work):
        if _HERE.ended.is_set():
            break  # nobody waits for them any more
        found.append(grades)
    return found


def _read(blobs: Blobs, sha256: str) -> bytes:
    return b"".join(blobs.chunks(sha256))
