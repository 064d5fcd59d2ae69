"""What model judges said, vote by vote, as tables: blind, or with arms once keys were joined."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from equipoise.archive.manifest import MANIFEST
from equipoise.archive.store import Archive
from equipoise.blind.keys import join, read_keys
from equipoise.errors import Blocked, InputError, as_word
from equipoise.records.codec import digest, encode
from equipoise.records.judgement import Judgement, ReadState
from equipoise.studies.rating.exchange_tables import as_csv, cell, letter, plain
from equipoise.studies.rating.exchanging import write_files
from equipoise.studies.rating.joined import shown_with_twins
from equipoise.studies.rating.judging import ARCHIVES, JUDGE_KEYS
from equipoise.studies.rating.made import CAMPAIGN
from equipoise.studies.rating.sealing import sealed_rating
from equipoise.studies.rating.unblinding import is_unblinded

_ASKED = ("model_asked", "model_answered", "family", "at", "is_cached", "is_simulated", "why")
BLIND = (
    *("judge", "packet", "repeat", "order", "template", "attempts", "state", "best", "worst"),
    *("is_tie", *_ASKED),
)
"""Columns of the blind table: one row an attempt."""
OPEN = (
    *("judge", "set", "axis", "unit", "packet", "repeat", "order", "template", "attempts"),
    *("state", "label", "place", "arm", "answer", *_ASKED),
)
"""Columns of the table with arms: one row for each text of a question, by its last attempt."""


def export_votes(study: Path, form: str, out: Path, *, with_arms: bool = False) -> list[Path]:
    """Writes what the judges of a study said and gives the paths.

    Blind, every attempt is a row and names packets and places only. With arms, each question gives
    one row a text, by its last attempt; that waits until a comparison has joined the keys, so that
    nobody who may still rate sees which arm is ahead.

    Raises:
        Blocked: the study is not sealed, no judge was asked yet, or arms are wanted before a
            comparison.
        InputError: the form has no such table, a judgement fits no key, or a file stands there
            already.
        Tampered: the plan or the archive of the judges was changed.
    """
    if form not in {"csv", "jsonl"}:
        raise InputError(f"--format {form} of judgements", wanted="csv or jsonl", code="no_form")
    plan, content, _ = sealed_rating(study)
    if with_arms and not is_unblinded(study, digest(content)):
        raise Blocked(
            "keys were not joined yet: whoever reads which arm judges prefer is not blind any "
            f"more; mend: equipoise compare {as_word(study)}, or export --what judgements"
        )
    place = study / ARCHIVES / f"judges-{digest(content)[:8]}"
    if not place.joinpath(MANIFEST).is_file():
        raise Blocked(f"no judge was asked yet; mend: equipoise grade {as_word(study)}")
    said = list(Archive.open(place).read(Judgement))
    if not with_arms:
        return write_files({out: _table(BLIND, map(_vote, said), form)})
    sets = {one.id: one for one in plan.sets}
    found = join(said, read_keys(study / CAMPAIGN / JUDGE_KEYS), is_complete=False)
    rows: list[dict[str, Any]] = []
    for one, key in sorted(found.pairs, key=lambda pair: _order(pair[0], pair[1].set)):
        asked = sets[key.set]
        head = _vote(one) | {"set": key.set, "axis": asked.axis, "unit": asked.unit}
        for number, arm in shown_with_twins(asked, key):
            shown = {"label": letter(number), "place": number + 1, "arm": arm}
            rows.append(head | shown | {"answer": _answer(one, number)})
    return write_files({out: _table(OPEN, iter(rows), form)})


def _order(one: Judgement, name: str) -> tuple[str, str, int, int]:
    return one.judge, name, one.repeat, one.order


def _vote(one: Judgement) -> dict[str, Any]:
    told = {key: getattr(one, key) for key in BLIND}
    return told | {"state": one.state.value, "best": letter(one.best), "worst": letter(one.worst)}


def _answer(one: Judgement, place: int) -> str:
    if one.state is not ReadState.READ:
        return ""
    if one.is_tie:
        return "tie"
    return "best" if place == one.best else "worst" if place == one.worst else ""


def _table(columns: tuple[str, ...], rows: Iterator[dict[str, Any]], form: str) -> bytes:
    chosen = ({key: row[key] for key in columns} for row in rows)
    if form == "jsonl":
        return b"".join(encode(row) + b"\n" for row in chosen)
    return as_csv(list(columns), ([plain(cell(value)) for value in row.values()] for row in chosen))
