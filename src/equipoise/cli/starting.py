"""Writes the study that ``equipoise init`` begins with, and never over anything."""

from pathlib import Path

from equipoise import examples
from equipoise.errors import InputError

_FILES = {
    "loss": ("study.yaml", "units.jsonl", "catalogs/loss-catalog.v1.json", "desk.py"),
    "rating": ("study.yaml", "outputs.jsonl"),
    "outcome": ("study.yaml", "model.yaml"),
    "questionnaire": ("rubric.komissarov.json",),
}
_EMPTY = {"loss": ("state/.keep", "logs/.keep")}
_FOLDERS = {
    "loss": "starter",
    "rating": "starter_rating",
    "outcome": "starter_outcome",
    "questionnaire": "starter_questionnaire",
}
_PACK = "workshop"


def write_starter(folder: Path, kind: str = "loss", phase: str = "") -> list[Path]:
    """Writes the files of the study and gives their paths, the one to read first at the front.

    Args:
        folder: where.
        kind: of study.
        phase: of an outcome study; empty = none.

    Raises:
        InputError: one of them stands there already, or cannot be written.
    """
    source = Path(examples.__file__).parent / _FOLDERS[kind]
    contents = {name: source.joinpath(name).read_bytes() for name in _FILES[kind]}
    contents |= dict.fromkeys(_EMPTY.get(kind, ()), b"")
    if kind == "outcome":
        contents |= _pack(source.parent / _PACK)
    if phase:
        from equipoise.cli.starting_outcome import of_phase

        contents["study.yaml"] = of_phase(contents["study.yaml"], phase)
    write_new(folder, contents)
    return [folder / name for name in _FILES[kind]]


def write_new(folder: Path, contents: dict[str, bytes]) -> None:
    """Writes files into a folder, and none where one of them stands there.

    Raises:
        InputError: one of them stands there already, or cannot be written.
    """
    if taken := [name for name in contents if _stands(folder / name)]:
        raise InputError(
            f"{folder} has {', '.join(taken[:8])} already",
            wanted="a folder without these",
            mend="name another folder; nothing is ever overwritten",
            code="exists",
        )
    for name, content in contents.items():
        path = folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as file:
                file.write(content)
        except OSError as error:
            raise InputError(
                f"{path} cannot be written: {error.strerror}", wanted="a folder of your own"
            ) from error


def _pack(source: Path) -> dict[str, bytes]:
    """Gives the built-in scenario pack, file by file, below `pack`."""
    paths = [path for path in sorted(source.rglob("*")) if path.is_file()]
    return {
        f"pack/{path.relative_to(source).as_posix()}": path.read_bytes()
        for path in paths
        if "__pycache__" not in path.parts
    }


def _stands(path: Path) -> bool:
    return path.exists() or path.is_symlink()
