"""Compares two runs of a loss study by the plan's rule, and writes everything that follows."""

import os
from dataclasses import dataclass
from pathlib import Path

import duckdb
import msgspec

from equipoise import __version__
from equipoise.archive.columns import Columns
from equipoise.archive.durable import replace_file, storage_errors
from equipoise.records.codec import pretty
from equipoise.records.judge_held import JudgeHeld
from equipoise.records.plan import Plan
from equipoise.records.suite import (
    HistoryRow,
    LossCitation,
    LossComparison,
    LossRow,
    Suite,
    SuiteLook,
)
from equipoise.stages.decide.loss import ceiling, concluded, judged, looked, verdict, void
from equipoise.stages.estimate.loss.citing import candidates
from equipoise.stages.estimate.loss.contrast import contrast
from equipoise.stages.estimate.loss.scoring import Scored
from equipoise.stages.report.loss.files import (
    IMPROVEMENTS,
    REGRESSIONS,
    to_improvements,
    to_regressions,
)
from equipoise.stages.report.loss.junit import to_loss_junit
from equipoise.stages.report.loss.page import to_loss_page
from equipoise.stages.report.loss.reading import LossReading
from equipoise.studies.loss.history import read_history, remember, row_of
from equipoise.studies.loss.judges_held import judges_held, told_of_judges, trusted
from equipoise.studies.loss.looked import look_at
from equipoise.studies.loss.looks import looks_of
from equipoise.studies.loss.pairing import Pair
from equipoise.studies.loss.quoting import first_valid, permissions
from equipoise.studies.loss.scoring import (
    catalog_of,
    is_judged_by_stand_ins,
    score_run,
    trials_of,
    write_suite,
)

RESULT = "regressions.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """What follows from a pair: the suites, the comparison, and its files' bytes."""

    new: Suite
    base: Suite
    comparison: LossComparison
    files: dict[str, bytes]


def derive(
    pair: Pair,
    looks: int,
    fresh: tuple[Columns, Columns] | None = None,
    made_by: str = __version__,
) -> Compared:
    """Derives everything of a comparison from the two archives and the plan.

    Args:
        pair: the runs and the catalog.
        looks: comparisons made so far in the study, this one included.
        fresh: columns of the new and the base run that no cache was trusted for.
        made_by: the version that the files name as their maker.

    Raises:
        InputError: a run was not graded under the catalog, or the catalog is not there.
        Tampered: an archive, a plan or the units are not what they were.
    """
    with duckdb.connect() as con:
        new, base = (
            score_run(
                con,
                run,
                pair.version,
                name,
                columns=fresh[i] if fresh else None,
                made_by=made_by,
            )
            for i, (run, name) in enumerate(((pair.new, "new"), (pair.base, "base")))
        )
        comparison = _decided(con, pair, (new, base), looks, fresh)
    comparison = ceiling(comparison, (new.suite, base.suite), pair.new.plan)
    comparison = msgspec.structs.replace(comparison, derived_by=made_by)
    return Compared(
        new=new.suite,
        base=base.suite,
        comparison=comparison,
        files=_files(pair, comparison, new.suite, base.suite),
    )


def _decided(
    con: duckdb.DuckDBPyConnection,
    pair: Pair,
    scored: tuple[Scored, Scored],
    looks: int,
    fresh: tuple[Columns, Columns] | None,
) -> LossComparison:
    plan, (new, base) = pair.new.plan, scored
    suites = (new.suite, base.suite)
    held, of_judges = _of_judges(pair)
    is_void = _is_void(suites)
    planned = looks_of(plan)
    seen = None if is_void else look_at(con, pair, scored, fresh)
    found = contrast(
        con,
        plan,
        new,
        base,
        seed=plan.seed & (2**63 - 1),
        seen=seen,
        fractions=planned.fractions if planned else (),
    )
    blank = _blank(pair, suites, found.z, seen)
    blank = msgspec.structs.replace(
        blank,
        looks=looks,
        judges=held,
        notes=(*found.notes, *of_judges, *_notes(pair, *suites, looks), *looked(seen)),
    )
    if is_void:
        return void(blank, suites)
    rows = judged(found.rows, plan.mde)
    rows = concluded(rows, _citations(con, pair, scored, rows, fresh))
    soft = _soft(plan, scored, trusted(plan, held))
    return verdict(msgspec.structs.replace(blank, rows=rows), found.score, suites, soft=soft)


def _blank(
    pair: Pair, suites: tuple[Suite, Suite], z: float, seen: SuiteLook | None
) -> LossComparison:
    """Gives a comparison of which nothing is decided yet: what was compared, by what plan."""
    plan, (new, base) = pair.new.plan, suites
    return LossComparison(
        run_id=pair.new.run_id,
        base_run_id=pair.base.run_id,
        catalog_version=pair.version,
        mode=new.mode,
        provenance=new.provenance,
        mde=plan.mde,
        k=plan.k,
        z=z,
        paired=plan.paired,
        rows=(),
        verdict="",
        why="",
        base_arm=pair.base.facts.arm,
        new_arm=pair.new.facts.arm,
        plan_sha256=pair.new.facts.plan_sha256,
        base_archive=Path(os.path.relpath(pair.base.path, pair.home)).as_posix(),
        look=seen,
        n_saved=seen.n_planned - seen.n_executed if seen is not None and seen.word else 0,
        n_saved_base=base.n_not_executed,
        n_amendments=len(pair.new.amendments),
    )


def _is_void(suites: tuple[Suite, Suite]) -> bool:
    """Says whether a suite has no score for its aborts, and not only for want of units."""
    return any(s.suite_score is None and s.completion_rate < _LEAST_COMPLETED for s in suites)


_LEAST_COMPLETED = 0.9


def _of_judges(pair: Pair) -> tuple[tuple[JudgeHeld, ...], list[str]]:
    """Gives the judges held against people, and what has to stand of them on every page."""
    plan, runs = pair.new.plan, (pair.new, pair.base)
    catalogs = [catalog_of(run, pair.version)[0] for run in runs]
    held = judges_held(plan, catalogs[0], runs)
    is_simulated = any(map(is_judged_by_stand_ins, runs, catalogs))
    return held, list(told_of_judges(plan, catalogs[0], held, is_simulated=is_simulated))


def _soft(
    plan: Plan, scored: tuple[Scored, Scored], known: frozenset[str]
) -> frozenset[tuple[str, str]]:
    """Gives the cells in which a model or a person judged a unit of either side.

    The loss of a partition is one of them where any of its categories is. `known` are categories
    whose judges were found to agree with people.
    """
    found = set()
    for one in scored:
        for place, part in enumerate(plan.partitions[: len(one.table.parts)]):
            for category in one.table.categories:
                is_soft = category.is_judged and category.id not in known
                if is_soft and one.moments.n[place, 1 + category.place] > 0:
                    found |= {(part.text, category.id), (part.text, "")}
    return frozenset(found)


def _citations(
    con: duckdb.DuckDBPyConnection,
    pair: Pair,
    scored: tuple[Scored, Scored],
    rows: tuple[LossRow, ...],
    fresh: tuple[Columns, Columns] | None,
) -> dict[tuple[str, str], LossCitation]:
    """Finds a quote for every row that meets the rule: of the side that lost more."""
    found = {}
    for is_gain, run, one in ((False, pair.new, scored[0]), (True, pair.base, scored[1])):
        wanted = [row for row in rows if not row.failed and row.is_improvement is is_gain]
        if not wanted:
            continue
        allowed = permissions(run)
        columns = fresh[int(is_gain)] if fresh else run.archive.columns()
        trials = trials_of(run, catalog_of(run, pair.version)[0], columns)
        for row in wanted:
            cell = (row.partition, row.category)
            quotes = candidates(con, trials, one.table, cell, allowed.quotable)
            if citation := first_valid(run, list(quotes), allowed):
                found[cell] = citation
    return found


def _notes(pair: Pair, new: Suite, base: Suite, looks: int) -> list[str]:
    notes = []
    one, two = pair.new.plan, pair.base.plan
    for what, ours, theirs in (
        ("partitions", [p.text for p in one.partitions], [p.text for p in two.partitions]),
        ("mde", one.mde, two.mde),
        ("harness versions", new.harness_version, base.harness_version),
        ("plans", new.plan_sha256[:16], base.plan_sha256[:16]),
    ):
        if ours != theirs:
            notes.append(f"the runs have other {what}: {_text(ours)} here, {_text(theirs)} there")
    if looks > 1:
        notes.append(
            f"this is comparison {looks} of the study: k covers the cells of one comparison, not "
            "the looks"
        )
    notes += [
        f"amended {one_more.at[:10]}: {one_more.field or 'remark'}: {one_more.reason}"
        for one_more in pair.new.amendments
    ]
    return notes


def _text(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _files(pair: Pair, comparison: LossComparison, new: Suite, base: Suite) -> dict[str, bytes]:
    reading = LossReading(
        comparison=comparison,
        base=base,
        new=new,
        plan=pair.new.plan,
        amendments=pair.new.amendments,
    )
    files = {
        RESULT: pretty(comparison),
        REGRESSIONS: to_regressions(comparison),
        IMPROVEMENTS: to_improvements(comparison),
        page_of(pair.new.plan): to_loss_page(reading),
    }
    if pair.new.plan.kind != "outcome":  # which tells pipelines of outcomes, in words of its own
        files["report/junit.xml"] = to_loss_junit(reading)
    return files


def page_of(plan: Plan) -> str:
    """Gives the file of the page about losses; an outcome study has another page in front."""
    return "report/losses.html" if plan.kind == "outcome" else "report/index.html"


def compare(pair: Pair, made_by: str = __version__) -> Compared:
    """Compares, writes suites, comparison and history, and gives what was found.

    `made_by` is the version that the files name as their maker.

    Raises:
        InputError, Tampered: as `derive`; a suite or the history was edited.
        StorageFull: the disk took no more.
    """
    looks = read_history(pair.home).looks(pair.name)
    found = derive(pair, looks, made_by=made_by)
    places = {}
    for run, suite in ((pair.base, found.base), (pair.new, found.new)):
        path = write_suite(run, suite)
        places[run.run_id] = Path(os.path.relpath(path, pair.home)).as_posix()
    folder = pair.home / pair.name
    for name, content in found.files.items():
        with storage_errors(f"writing {name}"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
        replace_file(folder / name, content)
    remember(pair.home, _rows(pair, found, places))
    return found


def _rows(pair: Pair, found: Compared, places: dict[str, str]) -> list[HistoryRow]:
    """Gives the rows of both suites; a baseline that was a new side before has its row already."""
    base_path = places[pair.base.run_id]
    known = {(row.suite, row.suite_sha256) for row in read_history(pair.home).rows}
    base = row_of(found.base, base_path)
    rows = [] if (base.suite, base.suite_sha256) in known else [base]
    return [*rows, row_of(found.new, places[pair.new.run_id], found.comparison, pair.name)]
