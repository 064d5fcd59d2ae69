"""Has model judges look at the trials of a loss study: blind packets, judgements, findings."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from equipoise import __version__
from equipoise.archive.blobs import Blobs
from equipoise.archive.manifest import BLOBS, MANIFEST, Manifest
from equipoise.archive.store import Archive
from equipoise.blind.hidden import HiddenName
from equipoise.blind.leak_report import mask_outputs
from equipoise.blind.leaks import MASK
from equipoise.blind.packets import make_packet
from equipoise.blind.private_files import kept_secret, study_secret
from equipoise.errors import Blocked
from equipoise.pipeline.judging import appending, ask_judges
from equipoise.pipeline.judging_terms import Means, Told, spent
from equipoise.pipeline.staging import publish, staged
from equipoise.records.catalog import MODEL_JUDGED, Catalog, Category
from equipoise.records.judgement import Judgement, ReadState, standing
from equipoise.records.packet import Asked, Doc
from equipoise.records.rating_plan import AxisPlan, Output, PanelPlan, Policy, RatingSet
from equipoise.stages.grade.findings import Finding
from equipoise.stages.grade.judges.asking import Question
from equipoise.stages.grade.judges.policies import doubling_order, n_doubled
from equipoise.stages.grade.judges.usable import Readability, readability
from equipoise.stages.grade.material import OUTPUT
from equipoise.studies.loss.blinding import as_written, names_hidden
from equipoise.studies.loss.grading_work import Work
from equipoise.studies.loss.sealed import Sealed

JUDGEMENTS = "judgements"
"""Folder beside `archive` with an archive of judgements for each run that was judged."""

SECRET = "secret"  # noqa: S105  the name of a file
ASK = "The text answers the prompt, if one is shown. How far is each criterion true of the text?"
_MET = 0.5
"""From this score on a criterion that is wanted is met."""

_LONGEST_LINE = 200
_PROMPTS = ("prompt", "text", "message", "question")
_FIXTURES = "fixtures"


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run: its archive's folder, and its trials that ended with an outcome.

    Judges are asked about it now where it is due.
    """

    path: Path
    arm: str
    work: Sequence[Work]
    is_due: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What judges said of all runs of a study.

    Args:
        findings: what they found, as any rater's findings are.
        unread: trial and category -> why there is no verdict of any judge.
        readable: what became of each judge's answers.
        told: run id -> what came of asking now.
        is_simulated: a judge was a stand-in.
    """

    findings: tuple[Finding, ...] = ()
    unread: Mapping[tuple[str, str], str] = field(default_factory=dict)
    readable: tuple[Readability, ...] = ()
    told: Mapping[str, Told] = field(default_factory=dict)
    is_simulated: bool = False

    @property
    def stopped(self) -> str:
        """Says why asking stopped before its end; "" where it did not."""
        return next((told.stopped for told in self.told.values() if told.stopped), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bench:
    """What all questions of a study share."""

    sealed: Sealed
    panel: PanelPlan
    catalog: Catalog
    axis: AxisPlan
    secret: bytes
    names: tuple[HiddenName, ...]


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
        return Judged()
    folder = sealed.root / JUDGEMENTS
    if means is None and not folder.is_dir():
        return Judged()
    folder.mkdir(exist_ok=True)
    bench = _bench(sealed, panel, catalog, study_secret(folder / SECRET))
    told: dict[str, Told] = {}
    if means is not None:
        for run in (run for run in runs if run.is_due):
            told[run.path.name] = _ask(bench, run, replace(means, spent_usd=_spent(folder, run)))
            if told[run.path.name].stopped:
                break
    return _gathered(bench, runs, told)


def questions_of(sealed: Sealed, catalog: Catalog, run: Run) -> dict[str, tuple[Question, Work]]:
    """Gives every question there can be about a run, by packet; for who checks what was answered.

    Raises:
        InputError: the secret of the study is not there, is none, or others can read it.
    """
    panel = sealed.plan.judges
    assert isinstance(panel, PanelPlan)
    secret = kept_secret(sealed.root / JUDGEMENTS / SECRET)
    bench = _bench(sealed, panel, catalog, secret)
    units = frozenset(work.trial.unit for work in run.work)
    return {
        question.packet.id: (question, work) for question, work in _questions(bench, run, units)
    }


def _bench(sealed: Sealed, panel: PanelPlan, catalog: Catalog, secret: bytes) -> _Bench:
    judged = [one for one in catalog.categories if one.type == MODEL_JUDGED]
    axis = AxisPlan(
        name=catalog.version,
        ask=ASK,
        shows=(_FIXTURES,),
        shows_prompt=True,
        criteria=tuple(Asked(id=one.id, text=one.about) for one in judged),
    )
    return _Bench(
        sealed=sealed,
        panel=panel,
        catalog=catalog,
        axis=axis,
        secret=secret,
        names=names_hidden(sealed.plan, sealed.root),
    )


def archive_of(sealed: Sealed, run: Path) -> Path:
    """Gives where the judgements of a run stand."""
    return sealed.root / JUDGEMENTS / run.name


def _spent(folder: Path, run: Run) -> float:
    """Gives what judging the other runs of the study cost: the limit is for all of them."""
    others = [path for path in folder.iterdir() if path.name != run.path.name]
    whole = [path for path in others if path.joinpath(MANIFEST).is_file()]
    return sum(spent(Archive.open(path).read(Judgement))[0] or 0.0 for path in whole)


def _ask(bench: _Bench, run: Run, means: Means) -> Told:
    """Asks about the trials of a run: each once, and as many units as promised a second time."""
    place = archive_of(bench.sealed, run.path)
    _begin(place, run.path.name, is_simulated=bench.sealed.plan.is_simulated)
    ordered = doubling_order((w.trial.unit for w in run.work), bench.sealed.plan.seed)
    questions = list(_questions(bench, run, frozenset()))
    first = {question.packet.id for question, _ in questions}
    with appending(place) as archive:
        told = ask_judges(archive, bench.panel, [q for q, _ in questions], means)
        if bench.panel.policy is not Policy.DOUBLE:
            return told
        n = 0
        while not told.stopped:
            rated, doubly = _rated(archive, questions, first)
            lacking = n_doubled(len(rated), bench.panel.double_rating_share) - len(rated & doubly)
            left = [unit for unit in ordered[n:] if unit in rated]
            if lacking <= 0 or not left:
                return told
            n = ordered.index(left[min(lacking, len(left)) - 1]) + 1
            questions = list(_questions(bench, run, frozenset(ordered[:n])))
            before = told.n_new
            told = ask_judges(archive, bench.panel, [q for q, _ in questions], means)
            told = replace(told, n_new=told.n_new + before)
    return told


def _rated(
    archive: Archive, questions: Sequence[tuple[Question, Work]], first: set[str]
) -> tuple[set[str], set[str]]:
    """Gives the units with a verdict, and those with a second one."""
    units = {question.packet.id: work.trial.unit for question, work in questions}
    read = {one.packet for one in archive.read(Judgement) if one.state is ReadState.READ}
    rated = {unit for packet, unit in units.items() if packet in read and packet in first}
    doubly = {unit for packet, unit in units.items() if packet in read and packet not in first}
    return rated, doubly


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


def _questions(bench: _Bench, run: Run, doubled: frozenset[str]) -> Iterator[tuple[Question, Work]]:
    """Yields what is asked: of every trial once, of the doubled units by another or once more."""
    blobs = Blobs(run.path / BLOBS)
    judges = bench.panel.judges
    for work in run.work:
        if work.barred or OUTPUT not in work.documents:
            continue
        output = _output(bench, work, blobs)
        yield _question(bench, output, judges[0].name, 1), work
        if work.trial.unit in doubled:
            again = (judges[1].name, 1) if len(judges) > 1 else (judges[0].name, 2)
            yield _question(bench, output, *again), work


def _question(bench: _Bench, output: Output, judge: str, repeat: int) -> Question:
    packet, _ = make_packet(
        RatingSet(id=output.trial, axis=bench.axis.name, unit=output.unit, arms=("",)),
        {"": output},
        bench.axis,
        (0,),
        who=judge,
        repeat=repeat,
        secret=bench.secret,
    )
    return Question(packet=packet, judge=judge, repeat=repeat, template=bench.panel.templates[0])


def _output(bench: _Bench, work: Work, blobs: Blobs) -> Output:
    """Gives what a packet may show of a trial: prompt, fixtures and output, and nothing else.

    Where they name an arm or its model, the name is masked.
    """
    prompt, docs = "", tuple[Doc, ...]()
    if work.brief is not None:
        brief = dict(work.brief.content)
        key = next((k for k in _PROMPTS if isinstance(brief.get(k), str)), "")
        prompt = str(brief.pop(key)) if key else ""
        if brief:
            text = msgspec.json.format(msgspec.json.encode(brief), indent=1).decode()
            docs = (Doc(name=_FIXTURES, text=text),)
    bare = Output(
        unit=work.trial.unit,
        arm="",
        text=_content(work, blobs),
        prompt=prompt,
        docs=docs,
        trial=work.trial.id,
    )
    (masked,), _ = mask_outputs([bare], bench.names)
    return masked


def _content(work: Work, blobs: Blobs) -> str:
    return b"".join(blobs.chunks(work.documents[OUTPUT])).decode("utf-8", "replace")


def _gathered(bench: _Bench, runs: Sequence[Run], told: Mapping[str, Told]) -> Judged:
    every: list[tuple[Run, Work, int, Judgement]] = []
    for run in runs:
        place = archive_of(bench.sealed, run.path)
        if not place.joinpath(MANIFEST).is_file():
            continue
        units = frozenset(work.trial.unit for work in run.work)
        asked = {q.packet.id: work for q, work in _questions(bench, run, units)}
        lines = list(Archive.open(place).read(Judgement))
        numbers = {id(one): number for number, one in enumerate(lines, start=1)}
        every += [
            (run, asked[one.packet], numbers[id(one)], one)
            for one in standing(lines)
            if one.packet in asked
        ]
    readable = tuple(
        readability(
            judge.name,
            (((run.arm,), one) for run, _, _, one in every if one.judge == judge.name),
            bench.panel.max_unreadable,
        )
        for judge in bench.panel.judges
    )
    unusable = {one.judge: one.text for one in readable if not one.is_usable}
    return Judged(
        findings=tuple(_findings(bench, every, unusable)),
        unread=_unread(bench, every, unusable),
        readable=readable,
        told=told,
        is_simulated=any(one.is_simulated for *_, one in every),
    )


def _findings(
    bench: _Bench, every: Iterable[tuple[Run, Work, int, Judgement]], unusable: Mapping[str, str]
) -> Iterator[Finding]:
    known = {category.id: category for category in bench.catalog.categories}
    for run, work, number, one in every:
        if one.state is not ReadState.READ or one.judge in unusable:
            continue
        again = f"#{one.repeat}" if one.repeat > 1 else ""
        for name, score in one.scores.items():
            category, quote = known[name], one.quotes.get(name, "")
            raw = raw_of(category, score)
            if category.is_wanted and raw and not quote:
                quote = _last_line(bench, run, work)
            if MASK in quote:
                quote = as_written(quote, _content(work, Blobs(run.path / BLOBS)))
            yield Finding(
                trial=work.trial.id,
                category=name,
                raw=raw,
                rater=f"judge:{one.judge}{again}",
                where=f"{JUDGEMENTS}/{run.path.name}/judgements.jsonl:{number} {name}",
                log=OUTPUT,
                quote=quote,
            )


def raw_of(category: Category, score: float) -> float:
    """Gives the raw value of a category from a judge's score of how far its criterion is true."""
    if category.is_wanted:
        return 0.0 if score >= _MET else category.max
    return score * category.max


def _last_line(bench: _Bench, run: Run, work: Work) -> str:
    """Gives what is quoted where something wanted is absent: the last line with anything in it."""
    text = _output(bench, work, Blobs(run.path / BLOBS)).text
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip()[:_LONGEST_LINE] if lines else ""


def _unread(
    bench: _Bench, every: Iterable[tuple[Run, Work, int, Judgement]], unusable: Mapping[str, str]
) -> dict[tuple[str, str], str]:
    found = {}
    for _, work, _, one in every:
        why = unusable.get(one.judge, "")
        if one.state is not ReadState.READ:
            times = f" {one.attempts} times" if one.attempts > 1 else ""
            why = f"judge {one.judge}: {one.state.value}{times}: {one.why}"
        if why:
            found.update({(work.trial.id, asked.id): why for asked in bench.axis.criteria})
    return found
