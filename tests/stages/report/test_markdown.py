"""Markdown for a pull request: short, and no name can break out of its place."""

from html.parser import HTMLParser

from markdown_it import MarkdownIt

from equipoise.stages.report import render
from every import for_every
from stages.report.extremes import HOSTILE, hostile, large
from stages.report.samples import helpdesk


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.cells: list[int] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        self.tags.append(tag)
        if tag == "tr":
            self.cells.append(0)
        if tag in {"td", "th"}:
            self.cells[-1] += 1

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def _seen(data: bytes) -> _Tags:
    html = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    seen = _Tags()
    seen.feed(html.render(data.decode()))
    return seen


@for_every("name", sorted(HOSTILE))
def test_hostile_names_open_no_tag_and_end_no_cell(name: str) -> None:
    seen = _seen(render(hostile(HOSTILE[name]), {})["report.md"])
    harmless = {"h1", "h2", "p", "blockquote", "strong", "code", "ul", "li"}
    assert set(seen.tags) <= harmless | {"table", "thead", "tbody", "tr", "th", "td"}
    assert set(seen.cells) == {6}
    assert seen.tags.count("h1") == 1


def test_what_is_shown_is_what_was_named() -> None:
    seen = _seen(render(hostile("a|b*c_d`e[f](g)<h>"), {})["report.md"])
    assert "a|b*c_d`e[f](g)<h>" in "".join(seen.text)


def test_nobody_is_mentioned_and_no_issue_is_linked() -> None:
    text = render(hostile(HOSTILE["mention"]), {})["report.md"].decode()
    for live in ("@everyone", "#12", "https://evil", "www.evil"):
        assert live not in text


def test_every_verdict_and_its_tags_are_told() -> None:
    text = render(helpdesk(), {})["report.md"].decode()
    assert "**▲ better**: release-2 is better than release-1" in text
    assert "`[exploratory]`" in text
    for word in ("worse", "cannot tell", "equivalent", "not evaluable"):
        assert f" {word} |" in text


def test_stays_short_enough_for_a_comment() -> None:
    assert len(render(large(), {})["report.md"]) < 30_000
