"""JUnit for continuous integration: valid by the common schema, whatever the names hold."""

from xml.etree import ElementTree as ET

import pytest

from equipoise.records.result import Result
from equipoise.stages.report import render
from every import for_every
from stages.report.extremes import HOSTILE, hostile, large
from stages.report.samples import helpdesk

_ATTRIBUTES: dict[str, tuple[set[str], set[str]]] = {
    "testsuites": (set(), {"name", "time", "tests", "failures", "errors"}),
    "testsuite": (
        {"name", "tests", "failures", "errors"},
        {
            "group",
            "time",
            "skipped",
            "timestamp",
            "hostname",
            "id",
            "package",
            "file",
            "log",
            "url",
        },
    ),
    "properties": (set(), set()),
    "property": ({"name", "value"}, set()),
    "testcase": ({"name"}, {"time", "classname", "group"}),
    "failure": (set(), {"type", "message"}),
    "skipped": (set(), {"type", "message"}),
    "system-out": (set(), set()),
}
"""Element -> required and allowed attributes, as the junit-10 schema of Jenkins' xUnit has them."""

_CHILDREN: dict[str, set[str]] = {
    "testsuites": {"testsuite"},
    "testsuite": {"testsuite", "properties", "testcase", "system-out", "system-err"},
    "properties": {"property"},
    "testcase": {"skipped", "error", "failure", "system-out", "system-err"},
}


def _root(data: bytes) -> ET.Element:
    return ET.fromstring(data)


def assert_valid(root: ET.Element) -> None:
    """Holds a document against the schema."""
    for element in root.iter():
        required, allowed = _ATTRIBUTES[element.tag]
        assert required <= set(element.attrib) <= required | allowed, element.tag
        assert {child.tag for child in element} <= _CHILDREN.get(element.tag, set())


@pytest.mark.parametrize("result", [helpdesk(), large(30, 2)], ids=["helpdesk", "large"])
def test_follows_the_common_schema(result: Result) -> None:
    assert_valid(_root(render(result, {})["junit.xml"]))


@for_every("name", sorted(HOSTILE))
def test_hostile_names_stay_text(name: str) -> None:
    data = render(hostile(HOSTILE[name]), {})["junit.xml"]
    root = _root(data)
    assert_valid(root)
    assert len(root.findall(".//testcase")) == 1
    assert "\x00" not in data.decode()
    assert len(data) < 20_000


def test_each_word_has_its_fate() -> None:
    root = _root(render(helpdesk(), {})["junit.xml"])
    fates = {
        str(case.get("name")).split(":")[0]: {child.tag for child in case}
        for case in root.iter("testcase")
    }
    assert fates == {
        "release-2 against release-1": {"system-out"},
        "intent=refund": {"failure"},
        "intent=return": {"failure"},
        "intent=cancel": {"system-out"},
        "intent=address": {"skipped"},
        "intent=invoice": {"system-out"},
        "intent=greeting": {"skipped"},
    }


def test_what_is_skipped_says_why_and_what_would_tell() -> None:
    root = _root(render(helpdesk(), {})["junit.xml"])
    messages = [str(skipped.get("message")) for skipped in root.iter("skipped")]
    assert any("more units would show a difference" in message for message in messages)
    assert any("one unit has no spread" in message for message in messages)
