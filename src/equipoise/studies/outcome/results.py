"""Reads what came of each planned cell of a run: tests, process, cost, and what was amiss."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import msgspec

from equipoise.archive.manifest import Document
from equipoise.records.catalog import MODEL_JUDGED
from equipoise.records.cell import Cell
from equipoise.records.conduct import Conduct
from equipoise.records.grade import Grade, How
from equipoise.records.outcome import GroupResult, Kept, OutcomeResult, TokenSource
from equipoise.records.outcome_plan import OutcomePlan
from equipoise.records.plan import Plan
from equipoise.records.suite_run import SuiteRun, TestOutcome, TestResult
from equipoise.records.trial import EndingKind, Trial, Usage
from equipoise.stages.estimate.outcome.scenarios import NOT_APPLICABLE, main_of
from equipoise.stages.grade.material import read_lines
from equipoise.stages.grade.unit_loss import LOSS
from equipoise.studies.loss.scoring import LossRun, catalog_of
from equipoise.studies.loss.voided import is_cut
from equipoise.studies.outcome.conducting import conducts
from equipoise.studies.outcome.judged_lists import lists_of
from equipoise.studies.outcome.timing import (
    Declared,
    declared_by,
    read,
    tells_times,
    times_amiss,
)

_LOOKED_AT = frozenset({"diff.patch", "output", "session.json", "acts.jsonl", "witness.jsonl"})
_CARRIES = frozenset({EndingKind.COMPLETED, EndingKind.BUDGET})
_GROUPS = {"explicit": "hidden_explicit", "implicit": "hidden_implicit", "seed tests": "regression"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Criterion:
    name: str
    is_soft: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """What an archive holds of its trials, under one catalog."""

    criteria: tuple[_Criterion, ...]
    trials: dict[tuple[str, int], list[Trial]]
    grades: dict[str, dict[str, Grade]]
    documents: dict[str, dict[str, str]]
    conduct: dict[str, Conduct]
    metrics: dict[str, frozenset[str]]
    mains: dict[str, str]
    declared: Declared


def results_of(run: LossRun, version: str) -> tuple[OutcomeResult, ...]:
    """Gives a line for each planned cell of a run, in the plan's order; nothing is left out.

    Args:
        run: the archive of one arm, graded.
        version: of the catalog under which its grades are read.

    Raises:
        InputError: the catalog is not there, or a document is not what it has to be.
        Tampered: a line of the archive was altered.
    """
    held = _read(run, version)
    return tuple(_results(run, held))


def _read(run: LossRun, version: str) -> _Read:
    catalog, _ = catalog_of(run, version)
    names = {catalog.criterion(one.id): one.id for one in catalog.categories}
    names[catalog.criterion(LOSS)] = LOSS
    trials: dict[tuple[str, int], list[Trial]] = {}
    for trial in run.archive.read(Trial):
        if trial.arm == run.facts.arm:
            trials.setdefault((trial.unit, trial.repetition), []).append(trial)
    grades: dict[str, dict[str, Grade]] = {}
    for grade in run.archive.read(Grade):
        if name := names.get(grade.criterion):
            held = grades.setdefault(grade.trial, {})
            if name not in held or grade.round > held[name].round:
                held[name] = grade
    return _Read(
        criteria=(
            *(
                _Criterion(name=one.id, is_soft=one.type == MODEL_JUDGED)
                for one in catalog.categories
            ),
            _Criterion(name=LOSS, is_soft=False),
        ),
        trials=trials,
        grades=grades,
        documents=_documents(run, version),
        conduct={one.trial: one for one in conducts(run.archive)},
        metrics=_metrics(run.plan),
        mains=_mains(run.plan),
        declared=declared_by(run, [version]),
    )


def _documents(run: LossRun, version: str) -> dict[str, dict[str, str]]:
    """Gives the documents of each trial, as they were once a version of the catalog was graded.

    Grading begins with storing its catalog: what stands after that of another version was found out
    for that one, perhaps by other tests.
    """
    found: dict[str, dict[str, str]] = {}
    own, is_graded = f"loss-catalog.{version}.json", False
    for document in run.archive.read(Document):
        trial, slash, name = document.name.partition("/")
        if not slash and trial.startswith("loss-catalog."):
            if is_graded and trial != own:
                break
            is_graded = is_graded or trial == own
        if slash:
            found.setdefault(trial, {})[name] = document.sha256
    return found


def _metrics(plan: Plan) -> dict[str, frozenset[str]]:
    """Gives what each scenario can be scored by; nothing where the plan does not say."""
    if not isinstance(plan.outcome, OutcomePlan):
        return {}
    return {one.id: frozenset(one.metrics) for one in plan.outcome.scenarios}


def _mains(plan: Plan) -> dict[str, str]:
    """Gives what decides about each scenario, where that is not what its kind says."""
    if not isinstance(plan.outcome, OutcomePlan):
        return {}
    named = {one.id: one.main for one in plan.outcome.scenarios}
    kinds = {one.id: one.kind for one in plan.outcome.scenarios}
    return {unit: name for unit, name in named.items() if name != main_of(kinds[unit])}


def _results(run: LossRun, held: _Read) -> Iterator[OutcomeResult]:
    labels = {one.text: one.labels for one in run.plan.partitions}
    for unit in run.plan.units:
        for repetition in range(1, unit.repetitions + 1):
            cell = Cell(unit=unit.id, arm=run.facts.arm, repetition=repetition)
            trial = _chosen(held.trials.get((unit.id, repetition), []))
            found = (
                _unexecuted(run, cell, labels.get(unit.partition, {}))
                if trial is None
                else _result(run, held, cell, trial)
            )
            yield msgspec.structs.replace(found, main=held.mains.get(unit.id, ""))


def _chosen(trials: list[Trial]) -> Trial | None:
    """Gives the first attempt that carries an outcome, else the last one."""
    ordered = sorted(trials, key=lambda one: one.attempt)
    carried = [one for one in ordered if one.ending.kind in _CARRIES]
    return next(iter(carried or ordered[-1:]), None)


def _unexecuted(run: LossRun, cell: Cell, labels: Mapping[str, str]) -> OutcomeResult:
    return OutcomeResult(
        scenario=cell.unit,
        arm=cell.arm,
        run_id=run.run_id,
        cell=cell.id,
        repetition=cell.repetition,
        kind=labels.get("kind", ""),
        tier=labels.get("tier", ""),
        trial="",
        ending="not executed",
        hidden_explicit=None,
        hidden_implicit=None,
        regression=Kept.UNBEWERTBAR,
        artifact=Kept.UNBEWERTBAR,
        checkpoint=Kept.UNBEWERTBAR,
        tokens_in=None,
        tokens_out=None,
        tokens_source=None,
        turns=None,
        wall_ms=None,
        usd=None,
        truncated=None,
        tag=How.MEASURED.value,
        why="not executed",
    )


def _result(run: LossRun, held: _Read, cell: Cell, trial: Trial) -> OutcomeResult:
    grades = held.grades.get(trial.id, {})
    documents = held.documents.get(trial.id, {})
    groups = _groups(run, documents)
    timed = {name: sha256 for name, sha256 in documents.items() if tells_times(name)}
    rates = {
        one.name: 1.0 - grade.value
        for one in held.criteria
        if (grade := grades.get(one.name)) is not None and grade.value is not None
    }
    asked = held.metrics.get(trial.unit)
    missing = {
        one.name: _why(grades.get(one.name), trial)
        if asked is None or one.name in asked or one.name == LOSS
        else f"{NOT_APPLICABLE}: the scenario does not ask for it"
        for one in held.criteria
        if one.name not in rates
    }
    conduct = held.conduct.get(trial.id)
    soft = tuple(
        one.name
        for one in held.criteria
        if one.name in rates and (one.is_soft or grades[one.name].how is How.SOFT)
    )
    blank = _unexecuted(run, cell, trial.labels)
    return msgspec.structs.replace(
        _with_cost(blank, trial),
        trial=trial.id,
        ending=trial.ending.kind.value,
        hidden_explicit=groups.get("hidden_explicit"),
        hidden_implicit=groups.get("hidden_implicit"),
        regression=_kept("regression", rates, missing),
        artifact=_kept("artifact", rates, missing),
        checkpoint=_kept("checkpoint", rates, missing),
        tag=(How.SOFT if soft else How.MEASURED).value,
        why=trial.ending.detail if trial.ending.kind not in _CARRIES else "",
        own_suite=groups.get("regression"),
        rates=rates,
        missing=missing,
        soft=soft,
        model=trial.model_answered or trial.model or "",
        is_simulated=trial.is_simulated,
        documents=_looked_at(documents),
        found=conduct.findings if conduct else (),
        unseen=conduct.unseen if conduct else (),
        lists=lists_of(run.archive, documents),
        times=times_amiss(trial, read(run, timed), held.declared),
    )


def _looked_at(documents: Mapping[str, str]) -> dict[str, str]:
    """Gives those that somebody looks at who wants to see what happened."""
    return {
        name: sha256
        for name, sha256 in documents.items()
        if name in _LOOKED_AT or name.startswith("transcript")
    }


def _with_cost(blank: OutcomeResult, trial: Trial) -> OutcomeResult:
    return msgspec.structs.replace(
        blank,
        tokens_in=_tokens_in(trial.usage),
        tokens_out=trial.usage.output_tokens if trial.usage else None,
        tokens_source=_source(trial.usage),
        turns=trial.counts.get("turns"),
        wall_ms=trial.duration_ms,
        usd=trial.cost_usd,
        truncated=_truncated(trial),
    )


def _groups(run: LossRun, documents: Mapping[str, str]) -> dict[str, GroupResult]:
    """Gives the last run of each group of tests; an earlier one was of other test files."""
    found: dict[str, GroupResult] = {}
    for name, sha256 in documents.items():
        if name.startswith("suite-") and name.endswith(".jsonl"):
            content = b"".join(run.archive.blobs.chunks(sha256))
            suite, tests = read_lines(name, content, SuiteRun, TestResult)
            group = _GROUPS.get(suite.suite.rpartition("/")[2])
            if group:
                found[group] = _group(suite, tests, sha256)
    return found


def _group(suite: SuiteRun, tests: tuple[TestResult, ...], document: str) -> GroupResult:
    files: dict[str, tuple[int, int]] = {}
    for one in tests:
        file = one.id.partition("::")[0]
        passed, total = files.get(file, (0, 0))
        files[file] = (passed + (one.outcome is TestOutcome.PASSED), total + 1)
    return GroupResult(
        passed=suite.n_passed if suite.is_scored else 0,
        total=suite.n_expected,
        per_test=tests,
        per_file=files,
        status=suite.status,
        suite_sha256=suite.suite_sha256,
        document=document,
        diff_sha256=suite.diff_sha256,
        seed_sha256=suite.seed_sha256,
        why=suite.why,
        left_out=suite.left_out,
        tampered=suite.tampered,
    )


def _why(grade: Grade | None, trial: Trial) -> str:
    if grade is not None:
        return grade.not_evaluable
    if is_cut(trial):
        return "an answer met its token limit"
    if trial.ending.kind not in _CARRIES:
        return f"{trial.ending.kind.value}: {trial.ending.detail or 'no detail'}"
    return "not graded"


def _kept(name: str, rates: Mapping[str, float], missing: Mapping[str, str]) -> Kept:
    if name in rates:
        return Kept.PASS if rates[name] >= 1.0 else Kept.FAIL
    if name not in missing or missing[name].startswith(NOT_APPLICABLE):
        return Kept.NOT_APPLICABLE
    return Kept.UNBEWERTBAR


def _tokens_in(usage: Usage | None) -> int | None:
    if usage is None:
        return None
    given = (usage.input_tokens, usage.cache_read_tokens, usage.cache_write_tokens)
    known = [one for one in given if one is not None]
    return sum(known) if known else None


def _source(usage: Usage | None) -> TokenSource | None:
    if usage is None:
        return None
    return TokenSource.ESTIMATED if usage.is_estimated else TokenSource.MEASURED


def _truncated(trial: Trial) -> bool | None:
    """Says whether an answer met its limit; null where the harness told no stop reason."""
    if is_cut(trial):
        return True
    return None if trial.stop_reason is None else False
