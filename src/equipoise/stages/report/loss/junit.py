"""A loss comparison for continuous integration: one JUnit test case per registered cell."""

from xml.etree import ElementTree as ET

from equipoise.records.suite import LossRow
from equipoise.records.verdict import Word
from equipoise.stages.report.loss.cells import shown
from equipoise.stages.report.loss.reading import LossReading, name, word
from equipoise.stages.report.numbers import plain
from equipoise.stages.report.text import label, quotation, xml_text

_MOST = 600


def to_loss_junit(reading: LossReading) -> bytes:
    """Gives junit.xml: a listed regression fails, a cell that could not be judged is skipped.

    A cell passes where nothing is listed and both arms have the units they need: no demonstrable
    regression. Runs that are unusable give one error and no cells; a run that stopped early has a
    case for the whole change beside those of its cells.
    """
    comparison = reading.comparison
    root = ET.Element("testsuites", {"name": "equipoise"})
    suite = ET.SubElement(root, "testsuite", {"name": xml_text(label(reading.plan.title, _MOST))})
    properties = ET.SubElement(suite, "properties")
    for key, value in (
        ("verdict", comparison.verdict),
        ("baseline", comparison.base_run_id),
        ("run", comparison.run_id),
        ("catalog", comparison.catalog_version),
        ("mode", comparison.mode.value),
        ("provenance", comparison.provenance.value),
        ("mde", repr(comparison.mde)),
        ("k", str(comparison.k)),
        ("tags", ", ".join(comparison.tags)),
    ):
        ET.SubElement(properties, "property", {"name": key, "value": xml_text(label(value, _MOST))})
    for row in comparison.rows:
        _case(reading, row, suite)
    if not comparison.rows:
        case = _new_case(suite, "the whole change", reading.new.arm)
        ET.SubElement(
            case, "error", {"type": "void", "message": xml_text(label(comparison.why, _MOST))}
        )
    elif comparison.look is not None and comparison.look.word:
        case = _new_case(suite, "the whole change", reading.new.arm)
        said = xml_text(label(comparison.why, _MOST))
        if comparison.verdict == Word.WORSE.value:
            ET.SubElement(case, "failure", {"type": "worse", "message": said})
        else:
            ET.SubElement(case, "system-out").text = said
    counts = {
        "tests": str(len(suite.findall("testcase"))),
        "failures": str(len(suite.findall("testcase/failure"))),
        "errors": str(len(suite.findall("testcase/error"))),
        "skipped": str(len(suite.findall("testcase/skipped"))),
    }
    suite.attrib |= counts
    root.attrib |= {key: counts[key] for key in ("tests", "failures", "errors")}
    ET.indent(root, space=" ")
    body = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'.encode()


def _case(reading: LossReading, row: LossRow, suite: ET.Element) -> None:
    case = _new_case(suite, name(row), reading.new.arm)
    found = word(row)
    span = shown(reading, row)
    said = f"difference {span.value} {span.brackets}" if row.delta is not None else row.status
    counts = f"{row.n_base} and {row.n_new} units, {row.n_min} needed"
    if found is Word.WORSE:
        failure = ET.SubElement(case, "failure", {"type": "worse", "message": xml_text(said)})
        quote = quotation(row.citation.quote, _MOST) if row.citation else ""
        failure.text = xml_text("\n".join(filter(None, (counts, quote))))
    elif row.failed == ("citation",):
        _skip(case, "missing evidence", f"{said}; no valid citation stands behind it")
    elif found is Word.NOT_EVALUABLE or "n_min" in row.failed:
        _skip(case, row.status, f"{said}; {counts}")
    else:
        listed = "demonstrable improvement" if found is Word.BETTER else "no finding"
        margin = plain(reading.comparison.mde)
        ET.SubElement(case, "system-out").text = xml_text(
            f"{listed}: {said}; margin {margin}; {counts}"
        )


def _skip(case: ET.Element, kind: str, message: str) -> None:
    ET.SubElement(case, "skipped", {"type": kind, "message": xml_text(message)})


def _new_case(suite: ET.Element, name_: str, arm: str) -> ET.Element:
    fields = {
        "name": xml_text(label(name_, _MOST)),
        "classname": xml_text(f"equipoise.{label(arm)}"),
    }
    return ET.SubElement(suite, "testcase", fields)
