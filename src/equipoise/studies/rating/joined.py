"""Answers joined with the key, as a long table: one row for each text that somebody saw."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from equipoise.annotate.answers import answers as answers_of
from equipoise.annotate.answers import open_store
from equipoise.annotate.store import Database
from equipoise.blind.keys import join, read_keys
from equipoise.errors import InputError
from equipoise.records.answer import AnswerKind
from equipoise.records.codec import digest, encode
from equipoise.records.packet import PacketKey
from equipoise.records.rating_plan import RatingSet
from equipoise.studies.rating.exchange_tables import as_csv, cell, letter
from equipoise.studies.rating.exchanging import write_files
from equipoise.studies.rating.made import CAMPAIGN, refuse_other_plan
from equipoise.studies.rating.making import KEYS
from equipoise.studies.rating.sealing import sealed_rating

COLUMNS = (
    *("annotator", "set", "kind", "axis", "unit", "packet", "label", "place", "arm", "answer"),
    *("seconds", "at", "is_simulated", "source"),
)


def export_joined(
    study: Path, form: str, out: Path, *, now: datetime, database: Database | None = None
) -> list[Path]:
    """Writes what was answered with the arms that it was about; whoever reads it is not blind.

    Of a packet the answer counts that holds. That the key was read is written to the audit log.

    Raises:
        Blocked: the study is not sealed, or nobody has answered.
        InputError: the key is not there, an answer does not fit it, the form has no such table, or
            a file stands there already.
    """
    if form not in {"csv", "jsonl"}:
        raise InputError(f"--format {form} of joined answers", wanted="csv or jsonl", code="form")
    rows = list(_rows(study, database))
    if form == "jsonl":
        content = b"".join(encode(dict(zip(COLUMNS, row, strict=True))) + b"\n" for row in rows)
    else:
        content = as_csv(list(COLUMNS), ([cell(value) for value in row] for row in rows))
    paths = write_files({out: content})
    store = open_store(study, database)
    try:
        store.note(now, "key", f"read for a joined table, sha256 {digest(content)[:16]}")
    finally:
        store.close()
    return paths


def _rows(study: Path, database: Database | None) -> Iterator[tuple[Any, ...]]:
    """Yields the rows in the order of annotators, sets and places."""
    plan, content, _ = sealed_rating(study)
    refuse_other_plan(study, content)
    sets = {one.id: one for one in plan.sets}
    keys = read_keys(study / CAMPAIGN / KEYS)
    answers = [one for one in answers_of(study, database) if one.kind is not AnswerKind.GUESSED]
    found = join(answers, keys, is_complete=False)
    for one, key in sorted(found.pairs, key=lambda pair: (pair[1].who, pair[1].set)):
        shown = sets[key.set]
        for place, arm in shown_with_twins(shown, key):
            said = "skipped" if one.kind is AnswerKind.SKIPPED else ""
            said = "best" if place == one.best else "worst" if place == one.worst else said
            yield (
                *(one.annotator, key.set, shown.kind.value, shown.axis, shown.unit, one.packet),
                *(letter(place), place + 1, arm, said, one.seconds, one.at),
                *(one.is_simulated, one.source),
            )


def shown_with_twins(one: RatingSet, key: PacketKey) -> Iterator[tuple[int, str]]:
    """Yields each place with its arm; a text of several arms once for each of them."""
    groups = {group[0]: group for group in one.same}
    for place, arm in enumerate(key.arms):
        for twin in groups.get(arm, (arm,)):
            yield place, twin
