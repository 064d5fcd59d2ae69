"""Finds the files of a source: one file, or those of a folder, never outside it."""

from collections.abc import Iterator
from pathlib import Path

from equipoise.adapters.logs.noticing import Noticer
from equipoise.errors import UnreadableSource

MAX_FILES = 100_000


def files_of(source: Path, suffixes: tuple[str, ...], noticer: Noticer) -> Iterator[Path]:
    """Yields the files of the source in the order of their names.

    A file is taken whatever its name. Of a folder those with one of the suffixes are taken, also
    in folders below; links that lead out of it are left out and told.

    Raises:
        UnreadableSource: there is no such file or folder, or it holds no such file.
    """
    if source.is_file():
        yield source
        return
    if not source.is_dir():
        raise UnreadableSource(
            f"{source.name} is no file and no folder", wanted="a path that exists", code="missing"
        )
    root = source.resolve()
    n_files = 0
    for path in sorted(source.rglob("*")):
        if path.suffix.lower() not in suffixes or not path.is_file():
            continue
        if not path.resolve().is_relative_to(root):
            noticer.refused("outside_link", "a link that leads out of the folder", path.name)
            continue
        n_files += 1
        if n_files > MAX_FILES:
            noticer.lost("too_many_files", f"only the first {MAX_FILES} files were read")
            return
        yield path
    if not n_files:
        raise UnreadableSource(
            f"{source.name} holds no file ending in {' or '.join(suffixes)}",
            wanted="at least one",
            code="empty",
        )
