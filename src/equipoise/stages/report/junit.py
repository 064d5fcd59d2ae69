"""The report for continuous integration: one JUnit test case per comparison."""

from xml.etree import ElementTree as ET

from equipoise.records.verdict import Word
from equipoise.stages.report.reading import Reading, Row
from equipoise.stages.report.sentences import missing_beside, needed, sentence, subject
from equipoise.stages.report.text import label, xml_text

_SKIPPED = {Word.CANNOT_TELL: "cannot tell", Word.NOT_EVALUABLE: "not evaluable"}
_MOST = 600


def to_junit(reading: Reading) -> bytes:
    """Gives junit.xml: worse is a failure; not evaluable and cannot tell are skipped with reason.

    Better and equivalent pass. No time and no timestamp is written: none was measured here, and the
    bytes depend on the result alone.
    """
    words = [row.verdict.word for row in reading.rows]
    n_failed = sum(word is Word.WORSE for word in words)
    n_skipped = sum(word in _SKIPPED for word in words)
    counts = {"tests": str(len(words)), "failures": str(n_failed), "errors": "0"}
    root = ET.Element("testsuites", {"name": "equipoise", **counts})
    title = reading.result.file.title or f"against {reading.terms.baseline}"
    suite = ET.SubElement(
        root,
        "testsuite",
        {"name": xml_text(label(title, _MOST)), **counts, "skipped": str(n_skipped)},
    )
    _properties(reading, suite)
    for row in reading.rows:
        _case(reading, row, suite)
    ET.indent(root, space=" ")
    body = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'.encode()


def _properties(reading: Reading, suite: ET.Element) -> None:
    terms = reading.terms
    properties = ET.SubElement(suite, "properties")
    for name, value in (
        ("baseline", terms.baseline),
        ("criterion", terms.criterion),
        ("direction", terms.direction),
        ("margin", repr(terms.margin)),
        ("equivalence", repr(terms.equivalence)),
        ("rule", terms.rule),
        ("level", repr(terms.level)),
        ("tool_version", reading.result.file.tool_version),
        ("is_exploratory", str(reading.is_exploratory).lower()),
    ):
        ET.SubElement(
            properties, "property", {"name": name, "value": xml_text(label(str(value), _MOST))}
        )


def _case(reading: Reading, row: Row, suite: ET.Element) -> None:
    comparison, word = row.comparison, row.verdict.word
    case = ET.SubElement(
        suite,
        "testcase",
        {
            "name": xml_text(subject(row)),
            "classname": xml_text(f"equipoise.{label(comparison.arm)}"),
        },
    )
    said = xml_text(sentence(reading, row))
    body = xml_text("\n".join(filter(None, _body(row))))
    if word is Word.WORSE:
        ET.SubElement(case, "failure", {"type": "worse", "message": said}).text = body
    elif word in _SKIPPED:
        message = xml_text(" ".join(filter(None, (said, needed(row)))))
        ET.SubElement(case, "skipped", {"type": _SKIPPED[word], "message": message}).text = body
    else:
        ET.SubElement(case, "system-out").text = f"{said}\n{body}"


def _body(row: Row) -> list[str]:
    tags = " ".join(f"[{tag}]" for tag in row.verdict.tags)
    why = f"Why: {label(row.verdict.why, _MOST)}" if row.verdict.why else ""
    return [why, needed(row), missing_beside(row), tags]
