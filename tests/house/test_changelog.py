"""Each fragment of the changelog is one sentence under a name that says its kind."""

import re
from pathlib import Path

from every import for_every
from house.documents import ROOT

_NAME = re.compile(r"\d{2,}\.(?:added|changed|fixed|removed)\.md")
_FRAGMENTS = sorted(ROOT.joinpath("changelog.d").glob("*.md"))


def test_there_are_fragments() -> None:
    assert _FRAGMENTS


@for_every("path", _FRAGMENTS, ids=lambda path: path.name)
def test_a_fragment_is_one_sentence(path: Path) -> None:
    assert _NAME.fullmatch(path.name)
    text = path.read_text(encoding="utf-8").strip()
    assert text.endswith(".")
    assert not re.search(r"\.\s+[A-Z]", text), "one sentence"
    assert text[0].isupper()
    assert len(text) <= 240


def test_numbers_are_used_once() -> None:
    numbers = [path.name.partition(".")[0] for path in _FRAGMENTS]
    assert len(set(numbers)) == len(numbers)
