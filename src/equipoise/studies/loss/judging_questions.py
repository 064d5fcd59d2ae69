"""The questions that judges of a loss study are asked about its trials: blind packets."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from equipoise.archive.blobs import Blobs
from equipoise.archive.manifest import BLOBS
from equipoise.blind.hidden import HiddenName
from equipoise.blind.leak_report import mask_outputs
from equipoise.blind.packets import make_packet
from equipoise.records.catalog import MODEL_JUDGED, Catalog, Category
from equipoise.records.judgement import Judgement
from equipoise.records.packet import Asked, Doc
from equipoise.records.rating_plan import AxisPlan, Output, PanelPlan, RatingSet
from equipoise.stages.grade.judges.answers import Said, answers
from equipoise.stages.grade.judges.asking import Question
from equipoise.stages.grade.judges.inquiries import Inquiry, inquire, is_inquired
from equipoise.stages.grade.material import OUTPUT
from equipoise.studies.loss.blinding import names_hidden
from equipoise.studies.loss.grading_work import Work, material_of
from equipoise.studies.loss.sealed import Sealed

ASK = "The text answers the prompt, if one is shown. How far is each criterion true of the text?"
_MET = 0.5
"""From this score on a criterion that is wanted is met."""

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
class Bench:
    """What all questions of a study share; `axis` asks about the plain categories (null = none)."""

    sealed: Sealed
    panel: PanelPlan
    catalog: Catalog
    axis: AxisPlan | None
    secret: bytes
    names: tuple[HiddenName, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Posed:
    """A question about a trial; where it is no plain one, the inquiry that it puts."""

    question: Question
    work: Work
    inquiry: Inquiry | None = None

    @property
    def asks(self) -> tuple[str, ...]:
        """Gives the ids of the categories that an answer says something of."""
        if self.inquiry is not None:
            return tuple(category.id for category in self.inquiry.given)
        return tuple(one.id for one in self.question.packet.criteria)

    def said(self, one: Judgement, catalog: Catalog) -> dict[str, Said]:
        """Gives category id -> what a judgement that was read says of it."""
        packet = self.question.packet
        if self.inquiry is not None:
            return answers(self.inquiry, one, packet)
        known = {category.id: category for category in catalog.categories}
        return {
            name: Said(
                lost=raw_of(known[name], score) / known[name].max, quote=one.quotes.get(name, "")
            )
            for name, score in one.scores.items()
            if name in known
        }


def bench_of(sealed: Sealed, panel: PanelPlan, catalog: Catalog, secret: bytes) -> Bench:
    """Gives what all questions about the runs of a study share."""
    plain = [one for one in catalog.categories if one.type == MODEL_JUDGED and not one.asked]
    axis = AxisPlan(
        name=catalog.version,
        ask=ASK,
        shows=(_FIXTURES,),
        shows_prompt=True,
        criteria=tuple(Asked(id=one.id, text=one.about) for one in plain),
    )
    return Bench(
        sealed=sealed,
        panel=panel,
        catalog=catalog,
        axis=axis if plain else None,
        secret=secret,
        names=names_hidden(sealed.plan, sealed.root),
    )


def questions(bench: Bench, run: Run, doubled: frozenset[str]) -> Iterator[Posed]:
    """Yields what is asked: of every trial once, of the doubled units by another or once more."""
    blobs, has_more = Blobs(run.path / BLOBS), is_inquired(bench.catalog)
    for work in run.work:
        if work.barred:
            continue
        if bench.axis is not None and OUTPUT in work.documents:
            output = output_of(bench, work, blobs)
            yield from _posed(bench, work, output, bench.axis, doubled)
        if not has_more:
            continue
        for inquiry in inquire(bench.catalog, material_of(work, blobs)).asked:
            output = _masked(bench, work, _prompt(work)[0], inquiry.text)
            yield from _posed(bench, work, output, inquiry.axis, doubled, inquiry)


def raw_of(category: Category, score: float) -> float:
    """Gives the raw value of a category from a judge's score of how far its criterion is true."""
    if category.is_wanted:
        return 0.0 if score >= _MET else category.max
    return score * category.max


def output_of(bench: Bench, work: Work, blobs: Blobs) -> Output:
    """Gives what a plain packet shows of a trial: prompt, fixtures and output, and nothing else.

    Where they name an arm or its model, the name is masked.
    """
    prompt, docs = _prompt(work)
    return _masked(bench, work, prompt, content_of(work, blobs), docs)


def content_of(work: Work, blobs: Blobs) -> str:
    """Gives the trial's output as a text."""
    return b"".join(blobs.chunks(work.documents[OUTPUT])).decode("utf-8", "replace")


def _posed(
    bench: Bench,
    work: Work,
    output: Output,
    axis: AxisPlan,
    doubled: frozenset[str],
    inquiry: Inquiry | None = None,
) -> Iterator[Posed]:
    judges = bench.panel.judges
    whom = [(judges[0].name, 1)]
    if work.trial.unit in doubled:
        whom.append((judges[1].name, 1) if len(judges) > 1 else (judges[0].name, 2))
    for judge, repeat in whom:
        packet, _ = make_packet(
            RatingSet(id=output.trial, axis=axis.name, unit=output.unit, arms=("",)),
            {"": output},
            axis,
            (0,),
            who=judge,
            repeat=repeat,
            secret=bench.secret,
        )
        template = bench.panel.templates[0]
        question = Question(packet=packet, judge=judge, repeat=repeat, template=template)
        yield Posed(question=question, work=work, inquiry=inquiry)


def _prompt(work: Work) -> tuple[str, tuple[Doc, ...]]:
    """Gives the prompt of a trial, and the other fields of its brief."""
    if work.brief is None:
        return "", ()
    brief = dict(work.brief.content)
    key = next((k for k in _PROMPTS if isinstance(brief.get(k), str)), "")
    prompt = str(brief.pop(key)) if key else ""
    if not brief:
        return prompt, ()
    text = msgspec.json.format(msgspec.json.encode(brief), indent=1).decode()
    return prompt, (Doc(name=_FIXTURES, text=text),)


def _masked(bench: Bench, work: Work, prompt: str, text: str, docs: tuple[Doc, ...] = ()) -> Output:
    bare = Output(
        unit=work.trial.unit, arm="", text=text, prompt=prompt, docs=docs, trial=work.trial.id
    )
    (masked,), _ = mask_outputs([bare], bench.names)
    return masked
