"""Reads a file of JSON objects line by line; what is none of them is told and left out."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from equipoise.adapters.logs.json_text import BadJson, decode
from equipoise.adapters.logs.noticing import Noticer
from equipoise.adapters.logs.opened import lines


def objects(path: Path, noticer: Noticer) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yields (line number from 1, object); a line that holds no JSON object is told as lost."""
    for number, line in lines(path, noticer):
        where = f"{path.name}:{number}"
        try:
            value = decode(line).value
        except BadJson as error:
            fault = str(error).split(":", maxsplit=1)[0].split(" at byte", maxsplit=1)[0]
            noticer.lost("bad_json", f"no JSON: {fault}", where)
            continue
        if isinstance(value, dict):
            yield number, value
        else:
            noticer.lost("no_object", "the line is no JSON object", where)
