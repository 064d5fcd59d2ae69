"""The triage queue of a study: what waits, and labels as lines that can only be appended to."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from equipoise.archive.chain import Break, ChainWriter, walk
from equipoise.archive.durable import sync_folder
from equipoise.archive.manifest import ChainHead
from equipoise.errors import Blocked, InputError, Tampered, as_word, nearest
from equipoise.pipeline.study_files import PLAN
from equipoise.records.codec import decode, digest, encode
from equipoise.records.outcome import OutcomeResult
from equipoise.records.triage import TRIAGE, Flagged, Label, Triaged
from equipoise.stages.decide.triage import label_of, waiting
from equipoise.stages.estimate.outcome.flags import flagged_of
from equipoise.stages.estimate.outcome.items import items_of
from equipoise.studies.loss.scoring import LossRun, runs_of
from equipoise.studies.loss.sealed import refuse_edited_study
from equipoise.studies.outcome.results import results_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """What is flagged in a study, every label that was given, and every cell that was looked at."""

    flagged: tuple[Flagged, ...]
    labels: tuple[Triaged, ...]
    cells: tuple[OutcomeResult, ...] = ()

    @property
    def waiting(self) -> tuple[Flagged, ...]:
        """Gives what no label covers yet."""
        return waiting(self.flagged, self.labels)


def queue_of(study: Path) -> Queue:
    """Gives what is flagged in the last graded run of each arm, and the labels.

    Raises:
        Blocked: nothing was run or graded.
        Tampered: the study, an archive or a label was altered.
    """
    refuse_edited_study(study)
    runs: dict[str, LossRun] = {}
    for run in runs_of(study):
        if run.versions:
            runs[run.facts.arm] = run
    if not runs:
        word = as_word(study)
        mend = f"equipoise grade {word}"
        if not runs_of(study):
            mend = f"equipoise run {word}, then {mend}"
        raise Blocked(f"{study} has no graded run; mend: {mend}")
    results = [one for run in runs.values() for one in results_of(run, _version(run))]
    plan = next(iter(runs.values())).plan
    items = items_of(results, {}, ("", ""))
    flagged = flagged_of(results, items, plan.limits.cell_timeout_s * 1000)
    return Queue(flagged=flagged, labels=read_labels(study), cells=tuple(results))


def _version(run: LossRun) -> str:
    return run.versions[-1]


def read_labels(study: Path, n_first: int | None = None) -> tuple[Triaged, ...]:
    """Gives the labels of a study in order; none where there is no file.

    Args:
        study: the study's folder.
        n_first: so many of them, from the first; null = all.

    Raises:
        Tampered: a line does not follow from the one before, the first from the plan's hash.
    """
    return tuple(label for label, _ in _walked(study))[:n_first]


def label_it(
    study: Path, name: str, label: Label, *, note: str, by: str, now: datetime
) -> tuple[Triaged, ...]:
    """Appends a label for a flagged cell, or for everything flagged of a scenario that waits.

    Args:
        study: the study's folder.
        name: id of a cell, as `equipoise triage` lists it, or of a scenario.
        label: what it was found to be.
        note: what was seen, in a sentence.
        by: who looked.
        now: the time.

    Raises:
        InputError: there is no note, or nothing of that name is flagged.
        Tampered: what stands there was altered.
        StorageFull: the disk took no more; what stood there is kept.
    """
    if not note.strip():
        raise InputError("a label without a note", wanted="--note with what was seen, a sentence")
    queue = queue_of(study)
    chosen = [one for one in queue.flagged if one.id == name]
    if not chosen or any(one.id == one.scenario for one in chosen):
        chosen += [one for one in queue.waiting if one.scenario == name and one not in chosen]
    if not chosen:
        known = [*(one.id for one in queue.flagged), *(one.scenario for one in queue.flagged)]
        raise InputError(
            f"nothing of the name {name!r} is flagged",
            wanted="the id of a flagged cell, or a scenario with one",
            mend=nearest(name, known) or f"equipoise triage {as_word(study)} lists them",
            code="not_flagged",
        )
    at = now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    given = tuple(
        _labelled(one, label, at=at, by=by, note=" ".join(note.split())) for one in chosen
    )
    _append(study, given)
    return given


def told_before(one: Flagged, labels: Iterable[Triaged]) -> Triaged | None:
    """Gives the label that stands for something flagged; null = it waits for its first."""
    return label_of(one, tuple(labels))


def _labelled(one: Flagged, label: Label, *, at: str, by: str, note: str) -> Triaged:
    return Triaged(
        at=at,
        by=by,
        label=label,
        note=note,
        id=one.id,
        scenario=one.scenario,
        flags=one.flags,
        arm=one.arm,
        repetition=one.repetition,
        run_id=one.run_id,
        trial=one.trial,
        evidence=one.evidence,
        oracle=one.oracle,
    )


def _append(study: Path, labels: Iterable[Triaged]) -> None:
    heads = [_start(study), *(head for _, head in _walked(study))]
    writer = ChainWriter(study / TRIAGE, heads[-1])
    try:
        for label in labels:
            writer.append(encode(label))
        writer.sync()
    finally:
        writer.close()
    sync_folder(study)


def _start(study: Path) -> ChainHead:
    return ChainHead(n_lines=0, n_bytes=0, last=digest(study.joinpath(PLAN).read_bytes()))


def _walked(study: Path) -> Iterator[tuple[Triaged, ChainHead]]:
    if not study.joinpath(TRIAGE).is_file():
        return
    for step in walk(study / TRIAGE, _start(study).last):
        if isinstance(step, Break):
            raise Tampered(
                f"{TRIAGE}:{step.accused}: {step.what}; expected {step.expected}, found "
                f"{step.found}; mend: put the lines back that stood there"
            )
        where = f"{TRIAGE}:{step.number}"
        head = ChainHead(n_lines=step.number, n_bytes=step.end, last=step.sha256)
        yield decode(step.body, Triaged, where=where), head
