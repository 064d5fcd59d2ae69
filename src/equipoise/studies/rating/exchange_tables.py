"""Tasks and answers as CSV and JSONL of our own: nothing in them names an arm."""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from equipoise.annotate.campaign import Campaign
from equipoise.errors import InputError
from equipoise.records.answer import Answer
from equipoise.records.codec import encode
from equipoise.studies.rating.exchange_rows import Row

ANSWER_COLUMNS = (
    *("seq", "annotator", "packet", "kind", "best", "worst", "at", "seconds", "n_actions"),
    *("attempt", "is_fast", "guess", "is_simulated", "source"),
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_LISTED = "options"


def letter(place: int | None) -> str:
    """Gives the letter of a place; empty for none."""
    return "" if place is None else chr(ord("A") + place)


def tasks_as_csv(campaign: Campaign) -> bytes:
    """Gives one row a task: who, when, the question and the texts.

    A text that a spreadsheet would take for a formula stands behind an apostrophe.
    """
    most = max(len(packet.options) for packet in campaign.packets.values())
    shown = list(
        dict.fromkeys(doc.name for packet in campaign.packets.values() for doc in packet.docs)
    )
    letters = [letter(place) for place in range(most)]
    head = ["annotator", "n", "packet", "axis", "ask", "prompt", *shown, *letters]
    rows: list[list[str]] = []
    for who, n, name in _tasks(campaign):
        packet = campaign.packets[name]
        docs = {doc.name: doc.text for doc in packet.docs}
        texts = [option.text for option in packet.options]
        rows.append(
            [
                *(who, str(n), name, packet.axis, packet.ask, packet.prompt),
                *(docs.get(key, "") for key in shown),
                *texts,
                *("" for _ in range(most - len(texts))),
            ]
        )
    return as_csv(head, ([plain(text) for text in row] for row in rows))


def tasks_as_jsonl(campaign: Campaign) -> bytes:
    """Gives one object a task: `annotator`, `n` and the packet."""
    tasks = (
        {"annotator": who, "n": n, "packet": campaign.packets[name]}
        for who, n, name in _tasks(campaign)
    )
    return b"".join(encode(task) + b"\n" for task in tasks)


def answers_as_csv(answers: Iterable[Answer]) -> bytes:
    """Gives one row an answer, in their order; the chosen texts by their letters."""
    rows = []
    for one in answers:
        told = _told(one)
        rows.append([cell(told[key]) for key in ANSWER_COLUMNS])
    return as_csv(list(ANSWER_COLUMNS), rows)


def answers_as_jsonl(answers: Iterable[Answer]) -> bytes:
    """Gives one object an answer, in their order; the chosen texts by their letters."""
    told = ({k: v for k, v in _told(one).items() if v is not None} for one in answers)
    return b"".join(encode(one) + b"\n" for one in told)


def as_csv(head: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    """Gives a table as CSV in UTF-8, its lines ended by a line feed."""
    out = io.StringIO(newline="")
    write = csv.writer(out, lineterminator="\n")
    write.writerow(head)
    write.writerows(rows)
    return out.getvalue().encode("utf-8", "surrogatepass")


def cell(value: Any) -> str:
    """Gives a value as it stands in a table; nothing for null."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else str(value)


def plain(text: str) -> str:
    """Gives a text so that no spreadsheet takes it for a formula: behind an apostrophe."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def rows_of_csv(content: bytes, name: str) -> Iterator[Row]:
    """Yields the rows of a CSV file of answers.

    Raises:
        InputError: it is no UTF-8, or lacks a column.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"no UTF-8 at byte {error.start}", wanted="UTF-8", where=name) from error
    read = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    missing = {"packet", "best"} - set(read.fieldnames or ())
    if missing:
        raise InputError(
            f"no column {', '.join(sorted(missing))}",
            wanted="packet, best and worst; annotator, at, seconds where they are known",
            where=name,
            code="no_column",
        )
    try:
        for line in read:
            known = {key: value for key, value in line.items() if key is not None and value}
            yield _row(known, f"{name}:{read.line_num}")
    except csv.Error as error:
        raise InputError(f"{error}", wanted="CSV", where=f"{name}:{read.line_num}") from error


def rows_of_jsonl(content: bytes, name: str) -> Iterator[Row]:
    """Yields the rows of a JSONL file of answers.

    Raises:
        InputError: a line is no JSON object.
    """
    for number, line in enumerate(content.split(b"\n"), start=1):
        if not line.strip():
            continue
        where = f"{name}:{number}"
        try:
            read = msgspec.json.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise InputError(f"{error}", wanted="one JSON object a line", where=where) from error
        if not isinstance(read, dict):
            raise InputError("no object", wanted="one JSON object a line", where=where)
        yield _row({key: value for key, value in read.items() if value is not None}, where)


def _row(read: Mapping[str, Any], where: str) -> Row:
    """Gives a row from named values; values of the wrong type make it a faulty one."""
    facts: dict[str, Any] = {}
    for key, kind in _FACTS.items():
        if key in read:
            try:
                facts[key] = kind(read[key])
            except (TypeError, ValueError):
                facts["kind"] = "unreadable"
    listed = read.get(_LISTED)
    return Row(
        where=where,
        packet=str(read.get("packet", "")),
        annotator=str(read.get("annotator", "")),
        best=str(read.get("best", "")),
        worst=str(read.get("worst", "")),
        options=tuple(str(one) for one in listed) if isinstance(listed, list | tuple) else None,
        facts=facts,
        raw=read,
    )


def _truth(value: Any) -> bool:
    told = str(value).lower()
    if told not in {"true", "false"}:
        raise ValueError(told)
    return told == "true"


def _seconds(value: Any) -> float:
    read = float(value)
    if not 0.0 <= read < 1e9:
        raise ValueError(value)
    return read


_FACTS: dict[str, Callable[[Any], Any]] = {
    "kind": str,
    "at": str,
    "seconds": _seconds,
    "n_actions": int,
    "attempt": int,
    "is_fast": _truth,
    "guess": str,
    "is_simulated": _truth,
    "source": str,
}
"""What a row may say of an answer -> how it is read."""


def _tasks(campaign: Campaign) -> Iterator[tuple[str, int, str]]:
    for who, names in campaign.lists.items():
        for n, name in enumerate(names, start=1):
            yield who, n, name


def _told(one: Answer) -> dict[str, Any]:
    told = {key: getattr(one, key) for key in ANSWER_COLUMNS}
    told |= {"kind": one.kind.value, "best": letter(one.best), "worst": letter(one.worst)}
    return told
