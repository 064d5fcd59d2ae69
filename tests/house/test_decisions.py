"""Decisions are numbered without gaps, listed, and say what was chosen and what was given up."""

from pathlib import Path

from every import for_every
from house.documents import ROOT

_FOLDER = ROOT / "docs" / "decisions"
_DECISIONS = sorted(_FOLDER.glob("[0-9]*.md"))


def test_they_are_numbered_without_gaps() -> None:
    assert [int(path.name[:4]) for path in _DECISIONS] == list(range(1, len(_DECISIONS) + 1))


@for_every("path", _DECISIONS, ids=lambda path: path.name)
def test_a_decision_has_its_parts_and_is_listed(path: Path) -> None:
    name = path.name
    text = _FOLDER.joinpath(name).read_text(encoding="utf-8")
    assert text.startswith(f"# {int(name[:4])}. ")
    for part in ("**Question.**", "**Choice.**", "**Given up.**"):
        assert part in text, f"{name} lacks {part}"
    listed = _FOLDER.joinpath("README.md").read_text(encoding="utf-8")
    assert f"({name})" in listed
