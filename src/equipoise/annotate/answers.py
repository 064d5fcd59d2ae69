"""Reads what annotators answered, while the app runs or after it."""

import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from equipoise.annotate.sqlite import SqliteFile
from equipoise.annotate.store import Database, Store, check_belong
from equipoise.errors import Blocked, as_word
from equipoise.records.answer import Answer
from equipoise.records.codec import decode

ANSWERS = "answers.sqlite"
"""The file in the folder of a campaign."""


def answers_file(study: Path) -> Path:
    """Gives where a study's answers are when no other database was named."""
    return study / "campaign" / ANSWERS


def open_store(study: Path, database: Database | None = None) -> Store:
    """Opens where answers go: `database`, or the file in the study's campaign.

    Raises:
        Blocked: it cannot be opened.
    """
    return Store(database or SqliteFile(answers_file(study)))


def answers(study: Path, database: Database | None = None) -> list[Answer]:
    """Gives all answers in the order in which they were acknowledged, their `seq` from 1.

    What was undone is in it, with what undid it; `equipoise.records.answer.standing` gives what
    holds.

    Raises:
        Blocked: nobody has answered anything yet.
    """
    if database is None and not answers_file(study).is_file():
        raise Blocked(
            f"there is no {answers_file(study)}: nobody has answered anything yet; "
            f"mend: equipoise annotate serve {as_word(study)}"
        )
    store = open_store(study, database)
    try:
        return store.all()
    finally:
        store.close()


def answers_at_rest(path: Path) -> list[Answer]:
    """Gives all answers in a database file in their order, and writes nothing, no log either.

    Raises:
        Blocked: it cannot be read, or is no such database.
        InputError: a row holds no answer.
    """
    has_log = path.with_name(f"{path.name}-wal").is_file()
    where = f"file:{quote(str(path.absolute()))}?mode=ro{'' if has_log else '&immutable=1'}"
    try:
        with closing(sqlite3.connect(where, uri=True)) as database:
            rows = database.execute("SELECT seq, annotator, body FROM answers ORDER BY seq")
            found = [(seq, who, decode(str(body).encode(), Answer)) for seq, who, body in rows]
    except sqlite3.Error as error:
        raise Blocked(f"{path} cannot be read: {error}; mend: put it back as it was") from error
    for number, (seq, who, answer) in enumerate(found, start=1):
        if (number, number, who) != (seq, answer.seq, answer.annotator):
            raise Blocked(f"{path}: row {number} holds answer {answer.seq} of {answer.annotator}")
    return [answer for _, _, answer in found]


__all__ = ["ANSWERS", "answers", "answers_at_rest", "answers_file", "check_belong", "open_store"]
