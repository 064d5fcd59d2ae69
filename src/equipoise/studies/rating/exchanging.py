"""Takes answers that were given elsewhere, and gives tasks and answers to other tools."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import msgspec

from equipoise.annotate.answers import answers as answers_of
from equipoise.annotate.answers import open_store
from equipoise.annotate.campaign import Campaign, read_campaign
from equipoise.annotate.store import Database, Overtaken
from equipoise.archive.durable import replace_file, storage_errors
from equipoise.errors import Blocked, InputError
from equipoise.pipeline.study_files import read_needed
from equipoise.records.answer import Answer, AnswerKind
from equipoise.records.codec import digest
from equipoise.studies.rating.exchange_rows import (
    Row,
    Sorted,
    refuse_rows,
    sorted_rows,
    without_known,
)
from equipoise.studies.rating.exchange_tables import (
    answers_as_csv,
    answers_as_jsonl,
    rows_of_csv,
    rows_of_jsonl,
    tasks_as_csv,
    tasks_as_jsonl,
)
from equipoise.studies.rating.exchange_tools import (
    label_studio_files,
    potato_files,
    rows_of_label_studio,
    rows_of_potato,
)
from equipoise.studies.rating.made import refuse_stale

FORMATS = ("csv", "jsonl", "potato", "label-studio")
_STATE = "user_state.json"

_READERS: dict[str, Callable[[bytes, str], Iterator[Row]]] = {
    "csv": rows_of_csv,
    "jsonl": rows_of_jsonl,
    "potato": rows_of_potato,
    "label-studio": rows_of_label_studio,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What an import came to.

    Attributes:
        n_rows: answers in the files.
        n_new: those that were added.
        n_known: those that the campaign had already.
        found: how rows were told apart.
    """

    n_rows: int
    n_new: int
    n_known: int
    found: Sorted


def export_tasks(study: Path, form: str, out: Path) -> list[Path]:
    """Writes what annotators are asked; no arm, no key, no check is in it.

    Raises:
        Blocked: there is no campaign.
        InputError: a file stands there already.
    """
    refuse_stale(study)
    campaign = read_campaign(study)
    if form == "csv":
        return write_files({out: tasks_as_csv(campaign)})
    if form == "jsonl":
        return write_files({out: tasks_as_jsonl(campaign)})
    files = potato_files(campaign) if form == "potato" else label_studio_files(campaign)
    return write_files({out / name: content for name, content in files.items()})


def export_answers(
    study: Path, form: str, out: Path, *, database: Database | None = None
) -> list[Path]:
    """Writes what was answered, all of it and in order, so that it can be taken again.

    Raises:
        Blocked: there is no campaign, or nobody has answered.
        InputError: a file stands there already, or the form has none for answers.
    """
    if form not in {"csv", "jsonl"}:
        raise InputError(f"--format {form} of answers", wanted="csv or jsonl", code="no_form")
    read_campaign(study)
    answers = answers_of(study, database)
    return write_files({out: (answers_as_csv if form == "csv" else answers_as_jsonl)(answers)})


def import_answers(
    study: Path,
    paths: Sequence[Path],
    form: str,
    *,
    now: datetime,
    drops_faulty: bool = False,
    database: Database | None = None,
) -> Taken:
    """Takes the answers of some files into the campaign.

    The same file taken again changes nothing. A packet belongs to one annotator, so that a tool
    need not know who he is.

    Args:
        study: the folder of a study with its campaign.
        paths: files, or folders of Potato's answers.
        form: one of `FORMATS`.
        now: the time, for the audit log and where a file tells none.
        drops_faulty: take the sound answers and only count the others.
        database: where answers are kept, if not in the campaign's own file.

    Raises:
        Blocked: there is no campaign, or somebody answered meanwhile.
        InputError: a file cannot be read, or answers in it are refused: how many, and why.
    """
    refuse_stale(study)
    campaign = read_campaign(study)
    files = [file for path in paths for file in _files(path, form)]
    contents = [read_needed(file, "the answers") for file in files]
    rows = [
        row
        for file, content in zip(files, contents, strict=True)
        for row in _READERS[form](content, file.name)
    ]
    found = sorted_rows(rows, campaign, source=f"import:{form}")
    store = open_store(study, database)
    try:
        kept = {name: store.of(name) for name in campaign.lists}
        answers, n_known = without_known(found.answers, kept)
        answers, twice = _once(answers, campaign, kept)
        found = Sorted(answers=answers, refused=(*found.refused, *twice))
        if not drops_faulty:
            refuse_rows(found, len(rows))
        turns = {name: len(answers) for name, answers in kept.items()}
        for one in answers:
            at = one.at or now.isoformat(timespec="milliseconds")
            try:
                store.append(turns[one.annotator], msgspec.structs.replace(one, at=at))
            except Overtaken:
                raise Blocked(
                    f"{one.annotator} answered meanwhile; mend: import the file again when nobody "
                    "is rating: what was taken is not taken twice"
                ) from None
            turns[one.annotator] += 1
        hashes = ", ".join(digest(content)[:16] for content in contents)
        store.note(
            now, "import", f"{len(answers)} answers from {hashes}; {len(found.refused)} refused"
        )
    finally:
        store.close()
    return Taken(n_rows=len(rows), n_new=len(answers), n_known=n_known, found=found)


def _once(
    answers: Sequence[Answer], campaign: Campaign, kept: dict[str, list[Answer]]
) -> tuple[tuple[Answer, ...], list[tuple[str, str]]]:
    """Leaves out second answers to a packet, but for those to a check that is told and asked again.

    Gives the others with the numbers of their attempts, and the refusals.
    """
    tries: Counter[str] = Counter()
    stands: dict[str, Answer] = {}
    for one in (answer for answers in kept.values() for answer in answers):
        _note(one, tries, stands)
    sound: list[Answer] = []
    refused: list[tuple[str, str]] = []
    for one in answers:
        before = stands.get(one.packet)
        check = campaign.checks.get(one.packet)
        is_told = check is not None and check.kind != "silent"
        asked_again = before is not None and is_told and check and not check.is_right(before)
        if one.kind in {AnswerKind.GIVEN, AnswerKind.SKIPPED} and before and not asked_again:
            refused.append(("answered_twice", f"packet {one.packet}"))
            continue
        is_given = one.kind is AnswerKind.GIVEN
        attempt = tries[one.packet] + 1 if is_given else one.attempt
        counted = msgspec.structs.replace(one, attempt=attempt)
        _note(counted, tries, stands)
        sound.append(counted)
    return tuple(sound), refused


def _note(one: Answer, tries: Counter[str], stands: dict[str, Answer]) -> None:
    if one.kind is AnswerKind.UNDONE:
        stands.pop(one.packet, None)
    elif one.kind is not AnswerKind.GUESSED:
        stands[one.packet] = one
        tries[one.packet] += one.kind is AnswerKind.GIVEN


def _files(path: Path, form: str) -> list[Path]:
    if form == "potato" and path.is_dir():
        found = sorted(path.rglob(_STATE))
        if not found:
            raise InputError(
                f"{path} has no {_STATE}", wanted="the folder of Potato's answers", code="no_potato"
            )
        return found
    return [path]


def write_files(contents: dict[Path, bytes]) -> list[Path]:
    """Writes new files and gives their paths.

    Raises:
        InputError: one of them stands there already.
    """
    if taken := [str(path) for path in contents if path.exists() or path.is_symlink()]:
        raise InputError(
            f"{', '.join(taken[:3])} stands there already",
            wanted="a new place",
            mend="name another with -o; nothing is ever overwritten",
            code="exists",
        )
    for path, content in contents.items():
        with storage_errors(f"writing {path}"):
            path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, content)
    return list(contents)
