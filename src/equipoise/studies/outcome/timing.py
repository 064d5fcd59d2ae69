"""Reads of each trial which limits it had and what it took, and says what of that cannot be."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from equipoise.archive.manifest import Document
from equipoise.errors import InputError
from equipoise.pipeline.faults import Check, Fault
from equipoise.records.catalog import Catalog
from equipoise.records.counted import counted
from equipoise.records.suite_run import SuiteRun, SuiteStatus, TestResult
from equipoise.records.trial import EndingKind, Trial
from equipoise.stages.estimate.outcome.times import Timed, contradictions
from equipoise.stages.grade.left_behind import SESSION
from equipoise.stages.grade.material import read_lines
from equipoise.stages.grade.suite_specs import SuiteSpec
from equipoise.studies.loss.scoring import ARCHIVES, LossRun, catalog_of

_TIMED_OUT = "timed_out"
_CPU = "cpu_s"


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """The limits that were declared: of a session, and of each group of tests, with amendments."""

    sessions_s: tuple[float, ...]
    suites_s: frozenset[float]


def declared_by(run: LossRun, versions: Iterable[str]) -> Declared:
    """Gives what the plan, its amendments and these catalogs declare for the cells of a run."""
    limits = [run.plan.limits.cell_timeout_s]
    for one in run.amendments:
        if one.field == "limits":
            limits += [found for text in (one.was, one.now) if (found := _timeout(text))]
    bound = _wall_s(run)
    sessions = [limit if bound is None else min(limit, bound) for limit in limits]
    suites = {
        _suite_s(category.check)
        for version in versions
        for category in _catalog(run, version).categories
        if isinstance(category.check, Mapping) and "suite" in category.check
    }
    return Declared(sessions_s=tuple(dict.fromkeys(sessions)), suites_s=frozenset(suites))


def times_amiss(
    trial: Trial, documents: Mapping[str, bytes], declared: Declared
) -> tuple[str, ...]:
    """Gives what of a trial's times cannot be, each in a sentence.

    Args:
        trial: the trial's record.
        documents: its ``session.json`` and ``suite-<hash>.jsonl`` by name, as far as it has them.
        declared: the limits that were declared for it.
    """
    found: list[str] = []
    if SESSION in documents:
        found += _session(trial, documents[SESSION], declared)
    for name in sorted(documents):
        if name.startswith("suite-") and name.endswith(".jsonl"):
            found += contradictions(_of_suite(name, documents[name], declared))
    return tuple(dict.fromkeys(found))


def check_times(run: LossRun, name: str) -> Check:
    """Gives a check of an archive: whether any trial's times contradict its limits.

    Args:
        run: whose archive it is.
        name: of the archive, as it is told.
    """
    declared = declared_by(run, run.versions)
    named = documents_of(run)
    faults, n, n_unknown = [], 0, 0
    for trial in run.archive.read(Trial):
        documents = read(run, named.get(trial.id, {}))
        n += 1
        n_unknown += not _has_limit(documents.get(SESSION, b""))
        for told in times_amiss(trial, documents, declared):
            cell = f"{trial.unit}, {trial.arm}, repetition {trial.repetition}"
            what = f"the times of {cell} cannot be: {told}"
            faults.append(Fault(file=f"{name}/trials.jsonl", what=what))
    says = f"of {counted(n, 'trial')} against their limits"
    if n_unknown:
        says += f"; {n_unknown} do not say which limit they had"
    return Check(thing=f"{name}: times", says=says, faults=tuple(faults))


def documents_of(run: LossRun) -> dict[str, dict[str, str]]:
    """Gives the documents that times are read from: trial -> name -> sha256."""
    found: dict[str, dict[str, str]] = {}
    for document in run.archive.read(Document):
        owner, _, name = document.name.partition("/")
        if tells_times(name):
            found.setdefault(owner, {})[name] = document.sha256
    return found


def tells_times(name: str) -> bool:
    """Says whether a document of a trial tells limits and times."""
    return name == SESSION or (name.startswith("suite-") and name.endswith(".jsonl"))


def read(run: LossRun, named: Mapping[str, str]) -> dict[str, bytes]:
    """Reads documents by their names."""
    return {name: b"".join(run.archive.blobs.chunks(sha256)) for name, sha256 in named.items()}


def archive_name(run: LossRun) -> str:
    """Gives the name of a run's archive within its study."""
    return f"{ARCHIVES}/{run.run_id}"


def _session(trial: Trial, content: bytes, declared: Declared) -> Iterator[str]:
    session = _json(content)
    is_cut = session.get("how") == _TIMED_OUT
    if trial.ending.kind is EndingKind.TIMED_OUT and "how" in session and not is_cut:
        yield f"the session ended as timed out, and its sandbox says {session['how']!r}"
    took_s = _number(session.get("ran_s"))
    if took_s is not None and trial.duration_ms is not None:
        yield from _same_time(took_s, trial.duration_ms / 1000)
    if session.get("exceeded") == _CPU:
        return  # it was ended for another bound than the one that is looked at here
    steps = session.get("steps")
    clocks = [
        _number(step.get("took_s"))
        for step in (steps if isinstance(steps, list) else [])
        if isinstance(step, dict) and step.get("name") == "session"
    ]
    yield from contradictions(
        Timed(
            what="the session",
            limit_s=_number(session.get("limit_s")),
            took_s=took_s if took_s is not None else _seconds(trial.duration_ms),
            is_cut=is_cut,
            declared_s=declared.sessions_s,
            clock_s=next(iter(clocks), None),
        )
    )


def _same_time(took_s: float, told_s: float) -> Iterator[str]:
    if abs(took_s - told_s) > 1.0:
        yield f"the session took {took_s:.1f} s, and its trial says {told_s:.1f} s"


def _of_suite(name: str, content: bytes, declared: Declared) -> Timed:
    run, tests = read_lines(name, content, SuiteRun, TestResult)
    known = [one.duration_ms for one in tests if one.duration_ms is not None]
    return Timed(
        what=f"the run of {run.suite.rpartition('/')[2]} tests",
        limit_s=run.limit_s,
        took_s=_seconds(run.ran_ms),
        is_cut=run.status is SuiteStatus.TIMED_OUT,
        declared_s=tuple(sorted(declared.suites_s)),
        clock_s=None if run.ran_ms is None else max(run.duration_ms, run.ran_ms) / 1000,
        parts_s=sum(known) / 1000 if known and run.ran_ms is not None else None,
    )


def _has_limit(content: bytes) -> bool:
    return _number(_json(content).get("limit_s")) is not None


def _wall_s(run: LossRun) -> float | None:
    """Gives the bound that the arm's own agent has beside the limit of a cell."""
    arm = next((one for one in run.plan.arms if one.name == run.facts.arm), None)
    agent = arm.system.get("agent") if arm else None
    bounds = agent.get("bounds") if isinstance(agent, dict) else None
    return _number(bounds.get("wall_s")) if isinstance(bounds, dict) else None


def _suite_s(check: Mapping[str, Any]) -> float:
    spec = check["suite"]
    asked = _number(spec.get("timeout_s")) if isinstance(spec, Mapping) else None
    default: float = SuiteSpec.model_fields["timeout_s"].default
    return default if asked is None else asked


def _catalog(run: LossRun, version: str) -> Catalog:
    try:
        return catalog_of(run, version)[0]
    except InputError:
        return Catalog(version=version, categories=())


def _timeout(text: str | None) -> float | None:
    return _number(_json((text or "").encode()).get("cell_timeout_s"))


def _json(content: bytes) -> dict[str, Any]:
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _number(value: object) -> float | None:
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number else None  # type: ignore[arg-type]  # seen to be a number


def _seconds(ms: float | None) -> float | None:
    return None if ms is None else ms / 1000
