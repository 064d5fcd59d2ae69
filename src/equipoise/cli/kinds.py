"""Which kind of study stands in a folder; several verbs do another thing for each kind."""

import json
from pathlib import Path

from equipoise.errors import InputError, as_word

RATING = "rating"
OUTCOME = "outcome"

_FILES = ("plan.json", "ranking.json", "archive.json")


def kind_of(path: Path) -> str:
    """Gives the kind of what is at the path: ``rating``, ``loss``, ``run``, …; "" = none is told.

    A study file is asked first, then the plan, then the file of a comparison or an archive. What
    is wrong in such a file is told by whoever reads it whole.
    """
    study = path / "study.yaml"
    if study.is_file():
        from equipoise.pipeline.study_files import kind_in

        return kind_in(_bytes(study))
    return next((kind for name in _FILES if (kind := _told(path / name))), "")


def is_rating(path: Path) -> bool:
    """Says whether the path is a rating study, or the folder of a comparison of one."""
    return kind_of(path) == RATING


def refuse_rating(study: Path) -> None:
    """Does nothing where the study is one that is executed.

    Raises:
        InputError: it is a rating study, which has its outputs already.
    """
    if is_rating(study):
        raise InputError(
            f"{study} is a rating study: nothing is executed for it",
            wanted="a study of another kind",
            mend=(
                f"equipoise annotate make {as_word(study)} asks "
                f"people, equipoise grade {as_word(study)} judges"
            ),
            code="kind",
        )


def refuse_unrated(study: Path) -> None:
    """Does nothing where the study is one that people can rate, or tells no kind.

    Raises:
        InputError: it is a study of another kind: nobody is asked in it.
    """
    if (kind := kind_of(study)) and kind != RATING:
        raise InputError(
            f"{study} is a {kind} study: people rate nothing in it",
            wanted="a rating study",
            mend="equipoise init rating NEW --from STUDY begins one with the outputs of STUDY",
            code="kind",
        )


def _told(path: Path) -> str:
    try:
        read = json.loads(_bytes(path))
    except ValueError:
        return ""
    kind = read.get("kind") if isinstance(read, dict) else None
    return kind if isinstance(kind, str) else ""


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
