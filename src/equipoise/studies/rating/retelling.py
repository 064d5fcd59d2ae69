"""Writes the pages of a ranking again from `ranking.json`, with no estimate made anew."""

from pathlib import Path

from equipoise.archive.durable import replace_file, storage_errors
from equipoise.errors import InputError, as_word
from equipoise.records.codec import decode
from equipoise.records.ranking import RANKING, Ranking
from equipoise.studies.rating.comparing import COMPARISONS, files_of


def found_in(path: Path) -> list[Path]:
    """Gives the folders of rankings at a path: the folder itself, or those of the study.

    Raises:
        InputError: there is none.
    """
    if path.joinpath(RANKING).is_file():
        return [path]
    folders = sorted(file.parent for file in path.glob(f"{COMPARISONS}/*/{RANKING}"))
    if not folders:
        raise InputError(
            f"{path} has no ranking",
            wanted="a rating study that was compared",
            mend=f"equipoise compare {as_word(path)}",
            code="no_comparison",
        )
    return folders


def retell(folder: Path, *, is_written: bool = True) -> dict[str, bytes]:
    """Gives every file of a comparison from its ranking, and writes the pages.

    Raises:
        InputError: the ranking cannot be read.
        StorageFull: the disk took no more.
    """
    ranking = decode(folder.joinpath(RANKING).read_bytes(), Ranking, where=str(folder / RANKING))
    files = files_of(ranking)
    for name, content in files.items():
        if is_written and name != RANKING:
            with storage_errors(f"writing {name}"):
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
            replace_file(folder / name, content)
    return files
