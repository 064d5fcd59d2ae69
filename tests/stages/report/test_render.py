"""The report as a whole: four files, the same bytes each time, every part in its order."""

import json
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest

from equipoise.records.codec import decode, encode
from equipoise.records.result import Result
from equipoise.stages.report import render
from stages.report.samples import helpdesk


def test_gives_the_four_files_and_the_same_bytes_each_time() -> None:
    first = render(helpdesk(), {})
    again = render(decode(encode(helpdesk()), Result), {})
    assert list(first) == ["index.html", "report.md", "report.json", "junit.xml"]
    assert first == again


class _Outline(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.targets: list[str] = []
        self.headings: list[int] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        held = dict(attrs)
        if held.get("id"):
            self.ids.append(str(held["id"]))
        if tag == "a" and str(held.get("href")).startswith("#"):
            self.targets.append(str(held["href"])[1:])
        if tag in {"h1", "h2", "h3", "h4"}:
            self.headings.append(int(tag[1]))


def test_ids_are_unique_links_resolve_and_headings_do_not_skip() -> None:
    outline = _Outline()
    outline.feed(render(helpdesk(), {})["index.html"].decode())
    assert len(outline.ids) == len(set(outline.ids))
    assert set(outline.targets) <= set(outline.ids)
    assert outline.headings[0] == 1
    assert outline.headings.count(1) == 1
    steps = zip(outline.headings, outline.headings[1:], strict=False)
    assert all(deeper - shallower <= 1 for shallower, deeper in steps)


def test_machine_report_counts_the_words() -> None:
    told = json.loads(render(helpdesk(), {})["report.json"])
    assert told["counts"]["all"] == {
        "better": 2,
        "worse": 2,
        "equivalent": 1,
        "cannot tell": 1,
        "not evaluable": 1,
    }
    assert told["counts"]["listed_regressions"] == 2


def test_junit_fails_what_is_worse_and_skips_what_is_undecided() -> None:
    root = ET.fromstring(render(helpdesk(), {})["junit.xml"])
    suite = root.find("testsuite")
    assert suite is not None
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("7", "2", "2")
    assert len(root.findall(".//failure")) == 2
    assert {s.get("type") for s in root.iter("skipped")} == {"cannot tell", "not evaluable"}


@pytest.mark.requirement("E2E-46")
def test_regressions_are_sorted_by_their_lower_bound_not_by_the_difference() -> None:
    told = json.loads(render(helpdesk(), {})["report.json"])
    cells = [c["cell"]["value"] for c in told["comparisons"] if c["word"] == "worse"]
    assert cells == ["refund", "return"]
