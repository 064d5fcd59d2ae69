"""A loss comparison as JUnit: what is listed fails, what could not be judged is skipped."""

from dataclasses import replace
from xml.etree import ElementTree as ET

import msgspec

from equipoise.stages.report.loss.junit import to_loss_junit
from equipoise.stages.report.loss.reading import LossReading, name
from stages.report.loss.readings import ordinary


def suite_of(reading: LossReading) -> ET.Element:
    root = ET.fromstring(to_loss_junit(reading).decode())
    (suite,) = root.findall("testsuite")
    assert {key: root.get(key) for key in ("tests", "failures", "errors")} == {
        key: suite.get(key) for key in ("tests", "failures", "errors")
    }
    return suite


def test_every_registered_cell_is_a_case_and_every_regression_a_failure() -> None:
    reading = ordinary()
    suite = suite_of(reading)
    cases = suite.findall("testcase")
    assert [case.get("name") for case in cases] == [name(row) for row in reading.comparison.rows]
    failed = [case.get("name") for case in cases if case.find("failure") is not None]
    assert failed == [name(row) for row in reading.regressions]
    assert suite.get("failures") == str(len(failed)) != "0"
    for improved in reading.improvements:
        (case,) = (case for case in cases if case.get("name") == name(improved))
        assert (case.findtext("system-out") or "").startswith("demonstrable improvement")


def test_a_failure_has_its_interval_and_its_quote() -> None:
    reading = ordinary()
    failure = suite_of(reading).find("testcase/failure")
    citation = reading.regressions[0].citation
    assert failure is not None
    assert citation is not None
    assert "[" in (failure.get("message") or "")
    assert citation.quote in (failure.text or "")


def test_too_few_units_and_missing_evidence_are_skipped_with_their_reason() -> None:
    reading = ordinary()
    first, second, *others = reading.comparison.rows
    rows = (
        msgspec.structs.replace(first, is_listed=False, failed=("n_min",), status="unterbelegt"),
        msgspec.structs.replace(second, is_listed=False, failed=("citation",)),
        *others,
    )
    turned = replace(reading, comparison=msgspec.structs.replace(reading.comparison, rows=rows))
    kinds = [skipped.get("type") for skipped in suite_of(turned).findall("testcase/skipped")]
    assert kinds[:2] == ["unterbelegt", "missing evidence"]


def test_unusable_runs_are_one_error() -> None:
    reading = ordinary()
    void = msgspec.structs.replace(reading.comparison, rows=(), why="11 % did not complete")
    suite = suite_of(replace(reading, comparison=void))
    assert (suite.get("tests"), suite.get("errors"), suite.get("failures")) == ("1", "1", "0")
    error = suite.find("testcase/error")
    assert error is not None
    assert error.get("message") == "11 % did not complete"


def test_what_is_no_xml_is_shown_and_breaks_nothing() -> None:
    suite = suite_of(ordinary(' <&"\x00\ud800]]>'))
    assert len(suite.findall("testcase")) == len(ordinary().comparison.rows)
