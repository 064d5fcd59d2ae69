"""The report of one comparison, word for word.

After a wanted change, write the golden files anew and read the difference before committing it::

    EQUIPOISE_WRITE_GOLDEN=1 python -m pytest tests/stages/report/test_golden.py
"""

import os
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from equipoise.stages.report import render
from stages.report.samples import helpdesk

_GOLDEN = Path(__file__).parent / "golden"
_BLOCKS = {"p", "tr", "h1", "h2", "h3", "li", "caption", "dt", "dd", "summary", "section", "pre"}


class _Text(HTMLParser):
    """The words of a page, one block a line: what a reader sees, without the markup."""

    def __init__(self) -> None:
        super().__init__()
        self.lines = [""]
        self.is_silent = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.is_silent = tag in {"style", "script"}
        target = dict(attrs).get("href")
        if tag in _BLOCKS:
            self.lines.append("")
        elif tag in {"td", "th"}:
            self.lines[-1] += " | "
        elif tag == "a" and target:
            self.lines[-1] += f"({target}) "

    def handle_data(self, data: str) -> None:
        if not self.is_silent:
            self.lines[-1] += re.sub(r"\s+", " ", data)


def _words(page: bytes) -> bytes:
    text = _Text()
    text.feed(page.decode())
    lines = (line.strip() for line in text.lines)
    return ("\n".join(line for line in lines if line) + "\n").encode()


@pytest.mark.parametrize("name", ["index.txt", "report.md", "report.json", "junit.xml"])
def test_is_word_for_word_what_was_accepted(name: str) -> None:
    files = render(helpdesk(), {})
    made = _words(files["index.html"]) if name == "index.txt" else files[name]
    golden = _GOLDEN / name
    if os.environ.get("EQUIPOISE_WRITE_GOLDEN"):
        _GOLDEN.mkdir(exist_ok=True)
        golden.write_bytes(made)
    assert made.decode() == golden.read_text(encoding="utf-8")
