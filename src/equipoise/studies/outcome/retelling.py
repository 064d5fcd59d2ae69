"""Derives what an outcome comparison said once more, from its archives and its pack."""

import tempfile
from contextlib import ExitStack
from pathlib import Path

from equipoise.errors import InputError
from equipoise.pipeline.study_files import STUDY, read_needed
from equipoise.records.codec import decode
from equipoise.records.outcome_report import OUTCOME, OutcomeFile
from equipoise.records.suite import LossComparison
from equipoise.records.yaml_text import parse
from equipoise.studies.loss.comparing import RESULT, derive
from equipoise.studies.loss.history import read_history
from equipoise.studies.loss.pairing import pair_of
from equipoise.studies.outcome.packs import ReadPack, read_pack
from equipoise.studies.outcome.telling import Told, tell


def pack_of(study: Path) -> ReadPack:
    """Gives the pack of an outcome study.

    Raises:
        InputError: the study names none, or it has faults.
    """
    read = parse(read_needed(study / STUDY, "the study file"), name=STUDY).value
    pack = read.get("pack") if isinstance(read, dict) else None
    if not isinstance(pack, str):
        raise InputError(
            "the study names no pack", wanted="`pack:` with a folder of the study", where=STUDY
        )
    return read_pack(study / pack)


def stored_in(folder: Path) -> OutcomeFile:
    """Gives the outcome file of a comparison as it was written.

    Raises:
        InputError: it is gone, or no such file.
    """
    path = folder / OUTCOME
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(
            f"{path} cannot be read: {error.strerror}",
            wanted="the outcome of this comparison",
            mend="equipoise compare makes it again",
            code="no_outcome",
        ) from error
    return decode(content, OutcomeFile, where=str(path))


def retold(study: Path, folder: Path, *, is_fresh: bool = False) -> Told:
    """Derives the outcome files of a comparison from what its stored file names.

    Args:
        study: the study's folder.
        folder: the comparison's.
        is_fresh: trust no cache of columns.

    Raises:
        InputError: the folder holds no comparison, or an archive or the pack is gone.
        Tampered: an archive, a plan or the history was altered.
    """
    stored = stored_in(folder)
    told = decode(folder.joinpath(RESULT).read_bytes(), LossComparison, where=str(folder / RESULT))
    pair = pair_of(study, told)
    with ExitStack() as stack:
        fresh = None
        if is_fresh:
            places = [
                Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="equipoise-")))
                for _ in range(2)
            ]
            fresh = (
                pair.new.archive.derive_columns(places[0]),
                pair.base.archive.derive_columns(places[1]),
            )
        compared = derive(pair, read_history(study).looks(pair.name), fresh)
    return tell(pair, compared, pack_of(study), stored, made_by=stored.derived_by)
