"""Scores the archives of a loss study: each suite follows from a run's lines and nothing else."""

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb
import msgspec

from equipoise import __version__
from equipoise.archive.columns import Columns
from equipoise.archive.durable import replace_file, storage_errors
from equipoise.archive.manifest import MANIFEST, Document, RunFacts
from equipoise.archive.store import Archive
from equipoise.errors import Blocked, InputError, Tampered
from equipoise.pipeline.amendments import read_amendments
from equipoise.pipeline.study_files import PLAN
from equipoise.records.catalog import MODEL_JUDGED, Catalog
from equipoise.records.codec import decode, digest, pretty
from equipoise.records.event import Amendment, Event, EventKind, Rating
from equipoise.records.judgement import JUDGE_SIMULATED
from equipoise.records.notice import Notice
from equipoise.records.plan import Mode, Plan, Provenance, Stopping
from equipoise.records.suite import Suite
from equipoise.stages.estimate.loss.raters import rater_spreads
from equipoise.stages.estimate.loss.scoring import RunNotes, Scored, score
from equipoise.stages.estimate.loss.units import LossTrials
from equipoise.stages.grade.rubrics import rubric_catalog
from equipoise.studies.loss.grading_told import CLIPPED
from equipoise.studies.loss.hops import undeclared_hops
from equipoise.studies.loss.isolation import weak_isolation
from equipoise.studies.loss.looks import last_look, looks_of, not_executed
from equipoise.studies.loss.promised import amended
from equipoise.studies.loss.quoting import told_failures
from equipoise.studies.loss.voided import cut_short

ARCHIVES = "archive"
SUITES = "suites"
SUITE = "suite.json"
_VERSION = re.compile(r"v\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class LossRun:
    """The archive of one run, with the plan it follows (amendments applied)."""

    path: Path
    archive: Archive
    facts: RunFacts
    plan: Plan
    amendments: tuple[Amendment, ...]
    study: Path | None

    @property
    def run_id(self) -> str:
        """Gives the run's id."""
        return self.archive.manifest.run_id

    @property
    def versions(self) -> tuple[str, ...]:
        """Gives the catalog versions that the run was graded under, the newest last."""
        criteria = self.archive.columns().facts.criteria
        found = {name.partition(":")[0] for name in criteria if ":" in name}
        return tuple(sorted(filter(_VERSION.fullmatch, found), key=lambda name: int(name[1:])))

    def folder(self, version: str) -> Path:
        """Gives the folder of the run's suite under a catalog."""
        name = f"{version}-{self.facts.mode}-{self.facts.provenance}"
        return self.path / SUITES / name


def open_run(path: Path, study: Path | None = None, *, n_amendments: int | None = None) -> LossRun:
    """Opens the archive of a run; its plan stands beside it, or in the study.

    `n_amendments` = only so many amendments are in force, from the first; null = all.

    Raises:
        InputError: there is no archive of a run at the path.
        Tampered: the plan is not the one that the run followed.
        Blocked: there is no plan.
    """
    archive = Archive.open(path)
    facts = archive.manifest.run
    if archive.manifest.kind != "run" or not isinstance(facts, RunFacts):
        raise InputError(
            f"{path} is the archive of an import, not of a run of a loss study",
            wanted="an archive made by `equipoise run`",
            mend="compare imports with each other: `equipoise compare BASE NEW`",
            code="no_run",
        )
    places = [path / PLAN, *([study / PLAN] if study else [])]
    contents = [place.read_bytes() for place in places if place.is_file()]
    if not contents:
        raise Blocked(f"{path} has no {PLAN} beside it; mend: take it from a copy of the study")
    if digest(contents[0]) != facts.plan_sha256:
        raise Tampered(
            f"{path / PLAN} has the hash {digest(contents[0])[:16]}…, the run followed "
            f"{facts.plan_sha256[:16]}…; mend: take plan.json from a copy"
        )
    plan = decode(contents[0], Plan, where=str(path / PLAN))
    amendments = read_amendments(study, facts.plan_sha256) if study else ()
    if n_amendments is not None and len(amendments) < n_amendments:
        raise Tampered(
            f"{study} has {len(amendments)} amendments, and a comparison rests on {n_amendments}; "
            "mend: take amendments.jsonl from a copy"
        )
    amendments = amendments[:n_amendments]
    return LossRun(
        path=path,
        archive=archive,
        facts=facts,
        plan=amended(plan, amendments),
        amendments=amendments,
        study=study,
    )


def runs_of(study: Path) -> list[LossRun]:
    """Opens every run of a study, in the order of their run ids' ordinals."""
    folder = study / ARCHIVES
    found = sorted(folder.iterdir(), key=_ordinal) if folder.is_dir() else []
    return [open_run(path, study) for path in found if path.joinpath(MANIFEST).is_file()]


def _ordinal(path: Path) -> tuple[int, str]:
    last = path.name.rpartition("-")[2]
    return (int(last) if last.isdigit() else 0, path.name)


def catalog_of(run: LossRun, version: str) -> tuple[Catalog, str]:
    """Gives a catalog and the sha256 of its file.

    The planned catalog is the study's file while its hash is the plan's; any other version is the
    one that the run was graded with, among its documents, else a file of the study.

    Raises:
        InputError: the catalog is nowhere, or its content is not what the plan names.
    """
    name = f"loss-catalog.{version}.json"
    is_planned = version == run.plan.catalog_version
    root, planned = run.study or run.path, run.plan.catalog_file
    folder = Path(planned).parent.as_posix()
    places = [*([planned] if is_planned else []), f"{folder}/{name}", f"catalogs/{name}", name]
    files = [root / place for place in places if root.joinpath(place).is_file()]
    if is_planned and files and digest(files[0].read_bytes()) == run.plan.catalog_sha256:
        return _read(files[0].read_bytes(), str(files[0])), run.plan.catalog_sha256
    for document in run.archive.read(Document):
        if document.name.rpartition("/")[2] == name:
            content = b"".join(run.archive.blobs.chunks(document.sha256))
            return _read(content, name), document.sha256
    if not files:
        raise InputError(
            f"the catalog {version} is not there",
            wanted=f"{name} in the study's catalogs or among the run's documents",
            mend="grade again with the catalog's file",
            code="no_catalog",
        )
    found = digest(files[0].read_bytes())
    if is_planned:
        raise InputError(
            f"{files[0]} has the hash {found[:16]}…, the plan names "
            f"{run.plan.catalog_sha256[:16]}…",
            wanted=f"the content of {version} as it was planned with",
            mend="changed content is a new version of the catalog",
            code="catalog_changed",
        )
    return _read(files[0].read_bytes(), str(files[0])), found


def _read(content: bytes, where: str) -> Catalog:
    """Reads a catalog that was checked when it was graded under; a rubric is read as one."""
    if b'"criteria"' in content:
        return rubric_catalog(decode(content, dict[str, Any], where=where), where)
    return decode(content, Catalog, where=where)


def score_run(
    con: duckdb.DuckDBPyConnection,
    run: LossRun,
    version: str,
    name: str = "run",
    *,
    columns: Columns | None = None,
    number: int | None = None,
    made_by: str = __version__,
) -> Scored:
    """Scores a run under a catalog, from the given columns or from its archive's cache.

    Of a run that tells of planned looks only the units up to the last one count: what it stopped
    before is not executed and lacks nowhere, and what came after waits for the next look.

    Args:
        con: gets the tables.
        run: whose trials they are.
        version: of the catalog.
        name: of the tables.
        columns: in place of the archive's cache.
        number: of an earlier look to score at.
        made_by: the version that the suite names as its maker.

    Raises:
        InputError: the run was not graded under this catalog, or the catalog is not there.
    """
    catalog, sha256 = catalog_of(run, version)
    read = columns or run.archive.columns()
    beside = _beside(run, sha256, catalog)
    scored = score(
        con,
        _at_look(trials_of(run, catalog, read), number or last_look(run.archive)),
        msgspec.structs.replace(
            beside,
            is_simulated=beside.is_simulated or read.facts.n_simulated > 0,
            derived_by=made_by,
        ),
        rater_spreads(catalog, run.archive.read(Rating)),
        name,
    )
    told = told_failures(run, scored.suite.harness_errors)
    return replace(scored, suite=msgspec.structs.replace(scored.suite, harness_errors=told))


def _at_look(trials: LossTrials, number: int) -> LossTrials:
    """Gives the trials under a plan that ends at a look; as they are where there was none."""
    looks = looks_of(trials.plan) if number else None
    return replace(trials, plan=looks.cut(number), is_cut=True) if looks else trials


def trials_of(run: LossRun, catalog: Catalog, columns: Columns) -> LossTrials:
    """Gives the run's trials as the estimating stage reads them."""
    return LossTrials(
        results=columns.results,
        evidence=columns.evidence,
        arm=run.facts.arm,
        plan=run.plan,
        catalog=catalog,
    )


def _beside(run: LossRun, catalog_sha256: str, catalog: Catalog) -> RunNotes:
    began = ""
    for event in run.archive.read(Event):
        if event.kind is EventKind.STARTED and not began:
            began = event.at
    manifest = run.archive.manifest
    look, n_left_out = not_executed(run.archive)
    left_out = (
        f"not executed: stopped at look {look} of {run.plan.looks}: {n_left_out} executions, which "
        "are in no count here"
    )
    return RunNotes(
        run_id=run.run_id,
        mode=Mode(run.facts.mode),
        provenance=Provenance(run.facts.provenance),
        began_at=began,
        plan_sha256=run.facts.plan_sha256,
        seal=run.facts.seal,
        catalog_sha256=catalog_sha256,
        harness_version=manifest.tool_version,
        is_simulated=manifest.is_simulated or is_judged_by_stand_ins(run, catalog),
        is_stopped_early=run.plan.stopping is not Stopping.NONE and not last_look(run.archive),
        notes=(
            *undeclared_hops(run.plan, run.archive),
            *([left_out] if look else []),
            *(
                note
                for arm in run.plan.arms
                if arm.name == run.facts.arm
                for note in weak_isolation(arm, run.archive)
            ),
            *cut_short(run.plan, run.facts.arm, run.archive),
        ),
        clipped=_clipped(run, catalog),
        n_not_executed=n_left_out,
    )


def is_judged_by_stand_ins(run: LossRun, catalog: Catalog) -> bool:
    """Says whether grades of the run under this catalog rest on simulated judges."""
    return any(one.type == MODEL_JUDGED for one in catalog.categories) and any(
        notice.code == JUDGE_SIMULATED for notice in run.archive.read(Notice)
    )


def _clipped(run: LossRun, catalog: Catalog) -> dict[str, int]:
    """Counts clipped raw values by category, from what the grading had to tell."""
    names = {catalog.criterion(one.id): one.id for one in catalog.categories}
    found: dict[str, int] = {}
    for notice in run.archive.read(Notice):
        if notice.code == CLIPPED and notice.where in names:
            name = names[notice.where]
            found[name] = max(found.get(name, 0), notice.count)
    return found


def write_suite(run: LossRun, suite: Suite) -> Path:
    """Writes a suite into its run's folder and gives its path.

    Raises:
        Tampered: the file there claims to come from the same lines and says something else.
        StorageFull: the disk took no more.
    """
    path = run.folder(suite.catalog_version) / SUITE
    content = pretty(suite)
    refuse_edited(path, suite)
    with storage_errors(f"writing {path}"):
        path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, content)
    return path


def refuse_edited(path: Path, suite: Suite) -> None:
    """Refuses a suite file that is not what its archive gives.

    A file made from other results (before more was graded), under other amendments or by another
    version is only old.

    Raises:
        InputError: the file is no suite, or has a score and no partitions.
        Tampered: it was edited.
    """
    if not path.is_file():
        return
    content = path.read_bytes()
    found = read_suite(content, str(path))
    if content != pretty(suite) and (found.results_sha256, found.mde, found.derived_by) == (
        suite.results_sha256,
        suite.mde,
        suite.derived_by,
    ):
        raise Tampered(
            f"{path} is not what its archive gives (sha256 {digest(content)[:16]}…, wanted "
            f"{digest(pretty(suite))[:16]}…); mend: delete it, it is derived again"
        )


def read_suite(content: bytes, where: str) -> Suite:
    """Reads the bytes of a suite file.

    Raises:
        InputError: they are no suite, or hold a score without partitions.
    """
    suite = decode(content, Suite, where=where)
    if not suite.partitions:
        raise InputError(
            f"{where} has no partitions",
            wanted="the table of partitions; the score alone is invalid",
            mend="score the archive again",
            code="empty_partitions",
        )
    return suite
