"""Has model judges look at the trials of a loss study: blind packets, judgements, findings."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from equipoise import __version__
from equipoise.archive.blobs import Blobs
from equipoise.archive.manifest import BLOBS, MANIFEST, Manifest
from equipoise.archive.store import Archive
from equipoise.blind.leaks import MASK
from equipoise.blind.private_files import kept_secret, study_secret
from equipoise.errors import Blocked
from equipoise.pipeline.judging import appending, ask_judges
from equipoise.pipeline.judging_terms import Means, Told, spent
from equipoise.pipeline.staging import publish, staged
from equipoise.records.catalog import MODEL_JUDGED, Catalog
from equipoise.records.codec import pretty
from equipoise.records.decomposition import COVERAGE
from equipoise.records.judgement import Judgement, ReadState, standing
from equipoise.records.rating_plan import PanelPlan, Policy
from equipoise.stages.grade.findings import Finding
from equipoise.stages.grade.judges.answers import coverage_of
from equipoise.stages.grade.judges.inquiries import inquire, is_inquired
from equipoise.stages.grade.judges.policies import doubling_order, n_doubled
from equipoise.stages.grade.judges.usable import Readability, readability
from equipoise.stages.grade.material import OUTPUT
from equipoise.studies.loss.blinding import as_written
from equipoise.studies.loss.grading_work import material_of
from equipoise.studies.loss.judging_questions import (
    Bench,
    Posed,
    Run,
    bench_of,
    content_of,
    output_of,
    questions,
)
from equipoise.studies.loss.sealed import Sealed

JUDGEMENTS = "judgements"
"""Folder beside `archive` with an archive of judgements for each run that was judged."""

SECRET = "secret"  # noqa: S105  the name of a file
NO_JUDGES = "the study names no judges; `judges` in study.yaml does"
_LONGEST_LINE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What judges said of all runs of a study.

    Args:
        findings: what they found, as any rater's findings are.
        unread: trial and category -> why there is no verdict of any judge.
        settled: trial and category -> why it is lost in full without a judge.
        made: trial -> name -> a document that says more of what judges found.
        readable: what became of each judge's answers.
        told: run id -> what came of asking now.
        is_simulated: a judge was a stand-in.
    """

    findings: tuple[Finding, ...] = ()
    unread: Mapping[tuple[str, str], str] = field(default_factory=dict)
    settled: Mapping[tuple[str, str], str] = field(default_factory=dict)
    made: Mapping[str, Mapping[str, bytes]] = field(default_factory=dict)
    readable: tuple[Readability, ...] = ()
    told: Mapping[str, Told] = field(default_factory=dict)
    is_simulated: bool = False

    @property
    def stopped(self) -> str:
        """Says why asking stopped before its end; "" where it did not."""
        return next((told.stopped for told in self.told.values() if told.stopped), "")


def judge_runs(
    sealed: Sealed, catalog: Catalog, runs: Sequence[Run], means: Means | None
) -> Judged:
    """Asks what is not answered yet, and gives all that judges have said so far.

    Args:
        sealed: the study.
        catalog: the catalog whose model-judged categories are asked about.
        runs: the runs.
        means: what asking works with; null = nobody is asked, and what stands is read.

    Raises:
        Blocked: a judge cannot be asked, or another model than before answers under its name.
    """
    panel = sealed.plan.judges
    is_asked = any(one.type == MODEL_JUDGED for one in catalog.categories)
    if not isinstance(panel, PanelPlan) or not is_asked:
        return Judged(unread=_missing(catalog, runs, NO_JUDGES))
    folder = sealed.root / JUDGEMENTS
    if means is None and not folder.is_dir():
        return Judged(unread=_missing(catalog, runs, "no judge was asked"))
    folder.mkdir(exist_ok=True)
    bench = bench_of(sealed, panel, catalog, study_secret(folder / SECRET))
    told: dict[str, Told] = {}
    if means is not None:
        for run in (run for run in runs if run.is_due):
            told[run.path.name] = _ask(bench, run, replace(means, spent_usd=_spent(folder, run)))
            if told[run.path.name].stopped:
                break
    return _gathered(bench, runs, told)


def questions_of(sealed: Sealed, catalog: Catalog, run: Run) -> dict[str, Posed]:
    """Gives every question there can be about a run, by packet; for who checks what was answered.

    Raises:
        InputError: the secret of the study is not there, is none, or others can read it.
    """
    panel = sealed.plan.judges
    assert isinstance(panel, PanelPlan)
    secret = kept_secret(sealed.root / JUDGEMENTS / SECRET)
    bench = bench_of(sealed, panel, catalog, secret)
    return {posed.question.packet.id: posed for posed in questions(bench, run, _units(run))}


def _units(run: Run) -> frozenset[str]:
    return frozenset(work.trial.unit for work in run.work)


def _missing(catalog: Catalog, runs: Sequence[Run], why: str) -> dict[tuple[str, str], str]:
    """Gives why nothing is said of what judges would be asked beside plain criteria."""
    if not is_inquired(catalog):
        return {}
    asked = [category.id for category in catalog.categories if category.asked]
    found = {}
    for run in runs:
        for work in run.work:
            known = inquire(catalog, material_of(work, Blobs(run.path / BLOBS))).missing
            found.update({(work.trial.id, name): known.get(name, why) for name in asked})
    return found


def archive_of(sealed: Sealed, run: Path) -> Path:
    """Gives where the judgements of a run stand."""
    return sealed.root / JUDGEMENTS / run.name


def _spent(folder: Path, run: Run) -> float:
    """Gives what judging the other runs of the study cost: the limit is for all of them."""
    others = [path for path in folder.iterdir() if path.name != run.path.name]
    whole = [path for path in others if path.joinpath(MANIFEST).is_file()]
    return sum(spent(Archive.open(path).read(Judgement))[0] or 0.0 for path in whole)


def _ask(bench: Bench, run: Run, means: Means) -> Told:
    """Asks about the trials of a run: each once, and as many units as promised a second time."""
    place = archive_of(bench.sealed, run.path)
    _begin(place, run.path.name, is_simulated=bench.sealed.plan.is_simulated)
    ordered = doubling_order((w.trial.unit for w in run.work), bench.sealed.plan.seed)
    posed = list(questions(bench, run, frozenset()))
    first = {one.question.packet.id for one in posed}
    with appending(place) as archive:
        told = ask_judges(archive, bench.panel, [one.question for one in posed], means)
        if bench.panel.policy is not Policy.DOUBLE:
            return told
        n = 0
        while not told.stopped:
            more = _lacking(archive, bench.panel, posed, first, ordered[n:])
            if not more:
                return told
            n += more
            posed = list(questions(bench, run, frozenset(ordered[:n])))
            before = told.n_new
            told = ask_judges(archive, bench.panel, [one.question for one in posed], means)
            told = replace(told, n_new=told.n_new + before)
    return told


def _lacking(
    archive: Archive,
    panel: PanelPlan,
    posed: Sequence[Posed],
    first: set[str],
    left: Sequence[str],
) -> int:
    """Gives how many of the units that are left have to be rated twice.

    What is asked apart (a list, a root cause) is of other units, and has its share of its own.
    """
    read = {one.packet for one in archive.read(Judgement) if one.state is ReadState.READ}
    rated: dict[str, set[str]] = {}
    doubly: dict[str, set[str]] = {}
    for one in posed:
        packet, unit = one.question.packet, one.work.trial.unit
        if packet.id in read:
            held = rated if packet.id in first else doubly
            held.setdefault(packet.axis, set()).add(unit)
    most = 0
    for axis, units in rated.items():
        n_wanted = n_doubled(len(units), panel.double_rating_share)
        lacking = n_wanted - len(units & doubly.get(axis, set()))
        places = [place for place, unit in enumerate(left, start=1) if unit in units]
        if lacking > 0 and places:
            most = max(most, places[min(lacking, len(places)) - 1])
    return most


def _begin(place: Path, run_id: str, *, is_simulated: bool) -> None:
    if place.joinpath(MANIFEST).is_file():
        return
    manifest = Manifest(
        run_id=f"{run_id}/judged",
        kind="rating",
        tool_version=__version__,
        is_simulated=is_simulated,
    )
    with staged(place) as folder:
        made = folder / "archive"
        with Archive.create(made, manifest, is_durable=False):
            pass
        if not publish(made, place):
            raise Blocked(f"{place} was made by another process; mend: wait for it")


def _gathered(bench: Bench, runs: Sequence[Run], told: Mapping[str, Told]) -> Judged:
    every: list[_Answered] = []
    for run in runs:
        place = archive_of(bench.sealed, run.path)
        if not place.joinpath(MANIFEST).is_file():
            continue
        asked = {one.question.packet.id: one for one in questions(bench, run, _units(run))}
        lines = list(Archive.open(place).read(Judgement))
        numbers = {id(one): number for number, one in enumerate(lines, start=1)}
        every += [
            _Answered(run=run, posed=asked[one.packet], number=numbers[id(one)], judgement=one)
            for one in standing(lines)
            if one.packet in asked
        ]
    readable = tuple(
        readability(
            judge.name,
            (((one.run.arm,), one.judgement) for one in every if one.judgement.judge == judge.name),
            bench.panel.max_unreadable,
        )
        for judge in bench.panel.judges
    )
    unusable = {one.judge: one.text for one in readable if not one.is_usable}
    unread = {
        **_missing(bench.catalog, runs, "no judge has been asked about it"),
        **_unread(bench, every, unusable),
    }
    is_any_usable = len(unusable) < len(bench.panel.judges)
    return Judged(
        findings=tuple(_findings(bench, every, unusable)),
        unread=unread,
        settled=_settled(bench.catalog, runs) if is_any_usable else {},
        made=_made(every, unusable),
        readable=readable,
        told=told,
        is_simulated=any(one.judgement.is_simulated for one in every),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answered:
    """A judgement with the question that it answers; `number` is its line, from 1."""

    run: Run
    posed: Posed
    number: int
    judgement: Judgement


def _settled(catalog: Catalog, runs: Sequence[Run]) -> dict[tuple[str, str], str]:
    if not is_inquired(catalog):
        return {}
    return {
        (work.trial.id, name): why
        for run in runs
        for work in run.work
        if not work.barred
        for name, why in inquire(
            catalog, material_of(work, Blobs(run.path / BLOBS))
        ).settled.items()
    }


def _findings(
    bench: Bench, every: Iterable[_Answered], unusable: Mapping[str, str]
) -> Iterator[Finding]:
    known = {category.id: category for category in bench.catalog.categories}
    for answered in every:
        one, posed, run = answered.judgement, answered.posed, answered.run
        if one.state is not ReadState.READ or one.judge in unusable:
            continue
        for name, said in posed.said(one, bench.catalog).items():
            if said.lost is None:
                continue
            log, quote = OUTPUT, said.quote
            if posed.inquiry is not None:
                log = said.log or posed.inquiry.seen[0].name
            else:
                quote = _plain_quote(
                    bench, answered, said.lost, quote, is_wanted=known[name].is_wanted
                )
            yield Finding(
                trial=posed.work.trial.id,
                category=name,
                raw=said.lost * known[name].max,
                rater=_rater(one),
                where=f"{JUDGEMENTS}/{run.path.name}/judgements.jsonl:{answered.number} {name}",
                log=log,
                quote=quote,
                note=said.note,
                is_simulated=one.is_simulated,
            )


def _rater(one: Judgement) -> str:
    """Gives the name under which a judgement is a rating."""
    return f"judge:{one.judge}" + (f"#{one.repeat}" if one.repeat > 1 else "")


def _made(every: Iterable[_Answered], unusable: Mapping[str, str]) -> dict[str, dict[str, bytes]]:
    """Gives the documents that say item by item what judges found in lists."""
    found: dict[str, dict[str, bytes]] = {}
    for answered in every:
        one, posed = answered.judgement, answered.posed
        made = None if one.judge in unusable else document_of(posed, one)
        if made is not None:
            found.setdefault(posed.work.trial.id, {})[made[0]] = made[1]
    return found


def document_of(posed: Posed, one: Judgement) -> tuple[str, bytes] | None:
    """Gives name and content of the document that says item by item what a judgement found.

    Null = it found nothing of the kind, or cannot be read.
    """
    if one.state is not ReadState.READ or posed.inquiry is None:
        return None
    told = coverage_of(posed.inquiry, one, posed.question.packet, _rater(one))
    return None if told is None else (f"{COVERAGE}{one.judge}-{one.repeat}.json", pretty(told))


def _plain_quote(
    bench: Bench, answered: _Answered, lost: float, quote: str, *, is_wanted: bool
) -> str:
    """Gives a quote as it stands in the output; the last line where something wanted is absent."""
    work, blobs = answered.posed.work, Blobs(answered.run.path / BLOBS)
    if is_wanted and lost and not quote:
        lines = [line for line in output_of(bench, work, blobs).text.splitlines() if line.strip()]
        quote = lines[-1].strip()[:_LONGEST_LINE] if lines else ""
    return as_written(quote, content_of(work, blobs)) if MASK in quote else quote


def _unread(
    bench: Bench, every: Iterable[_Answered], unusable: Mapping[str, str]
) -> dict[tuple[str, str], str]:
    found = {}
    for answered in every:
        one, posed = answered.judgement, answered.posed
        why = unusable.get(one.judge, "")
        trial = posed.work.trial.id
        if one.state is not ReadState.READ:
            times = f" {one.attempts} times" if one.attempts > 1 else ""
            why = f"judge {one.judge}: {one.state.value}{times}: {one.why}"
        elif not why:
            for name, said in posed.said(one, bench.catalog).items():
                if said.lost is None:
                    found[trial, name] = f"judge {one.judge}: {said.why}"
        if why:
            found.update({(trial, name): why for name in posed.asks})
    return found
