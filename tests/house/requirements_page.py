"""The table ``docs/requirements.md``: its rows, and the tests that `make pages` writes in them."""

import re
from dataclasses import dataclass
from pathlib import Path

from house.documents import ROOT
from house.requirement_marks import covered

PAGE = ROOT / "docs" / "requirements.md"

_ROW = re.compile(
    r"^\| (?P<id>[A-Z0-9]+(?:-\w+)?) \| (?P<says>.*?) \| (?P<tests>.*?) \|$", re.MULTILINE
)
_LINK = re.compile(r"\]\(\.\./(?P<path>[^)]+)\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One requirement: its id, the sentence about it, the test files that it names."""

    identity: str
    says: str
    tests: tuple[str, ...]


def rows() -> list[Row]:
    """The rows of the page in order."""
    return [
        Row(identity=row["id"], says=row["says"], tests=tuple(_LINK.findall(row["tests"])))
        for row in _ROW.finditer(PAGE.read_text(encoding="utf-8"))
    ]


def rewritten(page: str) -> str:
    """The page with the tests of each row as they are marked now."""
    return _ROW.sub(_with_tests, page)


def _with_tests(row: re.Match[str]) -> str:
    files = covered().get(row["id"], ())
    links = ", ".join(f"[{Path(name).stem}](../{name})" for name in files)
    return f"| {row['id']} | {row['says']} | {links} |"


if __name__ == "__main__":
    PAGE.write_text(rewritten(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
