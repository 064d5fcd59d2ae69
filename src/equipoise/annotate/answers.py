"""Reads what annotators answered, while the app runs or after it."""

from pathlib import Path

from equipoise.annotate.sqlite import SqliteFile
from equipoise.annotate.store import Database, Store, check_belong
from equipoise.errors import Blocked, as_word
from equipoise.records.answer import Answer

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


__all__ = ["ANSWERS", "answers", "answers_file", "check_belong", "open_store"]
