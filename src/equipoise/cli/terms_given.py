"""The files that the studies of translation are given, as bytes with a name for messages."""

from pathlib import Path
from typing import TYPE_CHECKING

from equipoise.cli.terms_texts import read_bytes

if TYPE_CHECKING:
    from equipoise.studies.translation.reading import Given


def given(path: Path) -> "Given":
    """Gives a file, or stdin as ``-``.

    Raises:
        InputError: it cannot be read, or has more than 256 MB.
    """
    from equipoise.studies.translation.reading import Given

    return Given(where=str(path), data=read_bytes(path))


def example(name: str) -> "Given":
    """Gives a file of the built-in text."""
    from importlib.resources import files

    from equipoise.studies.translation.reading import Given

    data = files("equipoise.examples").joinpath("terminology", name).read_bytes()
    return Given(where=f"example:{name}", data=data)
