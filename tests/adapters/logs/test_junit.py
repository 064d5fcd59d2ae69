from pathlib import Path
from typing import Any

import pytest

from adapters.logs.readings import Readings
from equipoise.adapters.logs.junit import JUnitReader
from equipoise.errors import InputError, UnreadableSource
from equipoise.records.trial import EndingKind
from equipoise.wiring import reader
from every import for_every

REPORT = """<?xml version="1.0" encoding="utf-8"?>
<testsuites tests="5" failures="1" errors="1" skipped="1">
 <testsuite name="pay" tests="5">
  <testcase classname="t.Pay" name="ok" time="0.25"/>
  <testcase classname="t.Pay" name="wrong" time="1,000.5"><failure message="2 != 3">x</failure>
  </testcase>
  <testcase classname="t.Pay" name="broken"><error message="no connection"/></testcase>
  <testcase classname="t.Pay" name="later"><skipped message="not now"/></testcase>
  <testcase name="größer 漢字"><flakyFailure message="once"/><flakyFailure/></testcase>
 </testsuite>
</testsuites>
"""


def read(path: Path, content: str | bytes = REPORT, **options: Any) -> Readings:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return Readings(JUnitReader().read(path, options))


def test_a_case_is_a_trial_and_an_error_or_skip_is_no_outcome(tmp_path: Path) -> None:
    found = read(tmp_path / "base.xml")
    values = found.values()
    assert [(t.unit, values.get(t.id)) for t in found.trials] == [
        ("t.Pay::ok", 1.0),
        ("t.Pay::wrong", 0.0),
        ("t.Pay::broken", None),
        ("t.Pay::later", None),
        ("größer 漢字", 1.0),
    ]
    assert {t.arm for t in found.trials} == {"base"}
    assert [t.ending.kind for t in found.trials[2:4]] == [
        EndingKind.HARNESS_ERROR,
        EndingKind.CANCELLED,
    ]
    assert found.trials[3].ending.detail == "skipped: not now"
    assert [t.duration_ms for t in found.trials[:3]] == [250.0, 1_000_500.0, None]
    assert found.trials[4].counts == {"reruns": 2}
    assert found.trials[1].source == "base.xml:5"
    assert {t.labels["suite"] for t in found.trials} == {"pay"}
    assert not found.notices
    assert {h.metric: h.value for h in found.headlines} == {
        "n_tests": 5,
        "n_failed": 1,
        "n_errors": 1,
        "n_skipped": 1,
    }


def test_errors_may_be_chosen_to_count_as_failures(tmp_path: Path) -> None:
    found = read(tmp_path / "base.xml", errors="failed", arm="x")
    assert len(found.grades) == 4
    assert {t.arm for t in found.trials} == {"x"}
    with pytest.raises(InputError, match="missing or failed"):
        read(tmp_path / "base.xml", errors="ignored")


def test_totals_that_do_not_follow_are_told(tmp_path: Path) -> None:
    found = read(tmp_path / "a.xml", REPORT.replace('failures="1"', 'failures="0"'))
    assert (
        "declares failures=0, its cases give 1" in found.notice("headline_does_not_follow").message
    )


@pytest.mark.parametrize(
    "doctype",
    [
        '<!DOCTYPE t [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>',
        '<!DOCTYPE t SYSTEM "file:///etc/passwd">',
        '<!DOCTYPE t [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
        "<!DOCTYPE html>",
    ],
)
def test_a_document_type_is_refused_before_any_entity(tmp_path: Path, doctype: str) -> None:
    with pytest.raises(UnreadableSource, match="document type"):
        read(tmp_path / "a.xml", f"{doctype}<testsuites><testcase name='&b;'/></testsuites>")


@for_every("content", ["", "no xml", "<html/>", "<a", '{"a": 1}'])
def test_what_is_no_junit_is_refused(tmp_path: Path, content: str) -> None:
    with pytest.raises(UnreadableSource):
        read(tmp_path / "a.xml", content)


def test_cases_before_a_break_are_kept(tmp_path: Path) -> None:
    found = read(tmp_path / "a.xml", REPORT[: REPORT.index("<error")])
    assert len(found.trials) == 2
    assert found.codes["bad_xml"] == 1


def test_deep_nesting_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableSource, match="nested"):
        read(tmp_path / "a.xml", "<testsuite>" + "<x>" * 100_000)


def test_the_same_case_again_is_a_further_repetition(tmp_path: Path) -> None:
    case = '<testcase classname="c" name="n"/>'
    found = read(tmp_path / "a.xml", f"<testsuite>{case}{case}</testsuite>")
    assert [t.repetition for t in found.trials] == [1, 2]
    assert found.codes == {"repetitions_numbered": 1}


def test_a_folder_holds_one_arm_per_file(tmp_path: Path) -> None:
    (tmp_path / "new.xml").write_text(REPORT)
    (tmp_path / "broken.xml").write_text("<")
    read(tmp_path / "base.xml")
    found = Readings(JUnitReader().read(tmp_path, {}))
    assert {t.arm for t in found.trials} == {"base", "new"}
    assert found.notice("unreadable_file").where == "broken.xml"


def test_the_reader_is_wired_by_name() -> None:
    assert reader("junit").name == "junit"
