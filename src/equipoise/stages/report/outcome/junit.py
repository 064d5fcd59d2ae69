"""An outcome comparison for continuous integration: its headline, hypotheses and scenarios."""

from xml.etree import ElementTree as ET

from equipoise.records.outcome_report import CaseVerdict, HypothesisVerdict, Standing
from equipoise.records.verdict import Word
from equipoise.stages.report.numbers import fixed
from equipoise.stages.report.outcome.parts import tagged
from equipoise.stages.report.outcome.reading import CRITERIA, OutcomeReading
from equipoise.stages.report.text import label, xml_text

_MOST = 600
_SKIPPED = (Word.CANNOT_TELL, Word.NOT_EVALUABLE)


def to_outcome_junit(reading: OutcomeReading) -> bytes:
    """Gives junit.xml: worse is a failure; cannot tell and not evaluable are skipped with reason.

    Three suites: the headline, the registered hypotheses, and a case for each scenario and
    criterion. Where the headline may not be said (exploratory, blocked, stale, void), nothing is a
    failure. No time is written: the bytes depend on what was compared alone.
    """
    root = ET.Element("testsuites", {"name": "equipoise"})
    _headline(reading, _suite(root, reading, label(reading.plan.title, _MOST)))
    if reading.file.hypotheses:
        suite = _suite(root, reading, "hypotheses")
        for one in reading.file.hypotheses:
            _hypothesis(reading, one, suite)
    if reading.cases:
        suite = _suite(root, reading, "scenarios")
        for case in reading.cases:
            _scenario(reading, case, suite)
    total = dict.fromkeys(("tests", "failures", "errors"), 0)
    for suite in root:
        counts = {
            "tests": len(suite.findall("testcase")),
            "failures": len(suite.findall("testcase/failure")),
            "errors": 0,
            "skipped": len(suite.findall("testcase/skipped")),
        }
        suite.attrib |= {name: str(n) for name, n in counts.items()}
        total = {name: n + counts[name] for name, n in total.items()}
    root.attrib |= {name: str(n) for name, n in total.items()}
    ET.indent(root, space=" ")
    body = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'.encode()


def _suite(root: ET.Element, reading: OutcomeReading, name: str) -> ET.Element:
    file = reading.file
    suite = ET.SubElement(root, "testsuite", {"name": xml_text(name)})
    properties = ET.SubElement(suite, "properties")
    for key, value in (
        ("standing", file.verdict.standing.value),
        ("word", file.verdict.word.value),
        ("new", file.new_arm),
        ("baseline", file.base_arm),
        ("catalog", file.catalog_version),
        ("origin", file.origin),
        ("tags", ", ".join(file.verdict.tags)),
        ("is_simulated", str(reading.is_simulated).lower()),
    ):
        ET.SubElement(properties, "property", {"name": key, "value": xml_text(label(value, _MOST))})
    return suite


def _headline(reading: OutcomeReading, suite: ET.Element) -> None:
    verdict = reading.file.verdict
    case = _case(suite, "the whole change", reading.file.new_arm)
    needed = f"to tell: {verdict.needed}" if verdict.needed else ""
    _fate(case, verdict.word, verdict.why, needed)


def _hypothesis(reading: OutcomeReading, one: HypothesisVerdict, suite: ET.Element) -> None:
    """Adds a hypothesis; what the headline does not rest on is skipped, with what was seen."""
    file = reading.file
    metric = CRITERIA.get(one.metric, one.metric)
    case = _case(suite, f"{one.id}: {metric}, {one.new} against {one.base}", "hypotheses")
    limits = "" if one.lo is None or one.hi is None else f" [{one.lo:+.3f}, {one.hi:+.3f}]"
    gain = "" if one.gain is None else f"; gain {one.gain:+.3f}{limits} {tagged(one.tags)}"
    said = f"{one.answer.value}: {one.statement}{gain}"
    why = ""
    if {one.new, one.base} != {file.new_arm, file.base_arm}:
        why = "it is about other arms than those compared here"
    elif not one.primary:
        why = "secondary: it is told, and decides nothing"
    elif file.verdict.standing not in (Standing.DECIDED, Standing.CEILING):
        why = file.verdict.why
    word = Word.CANNOT_TELL if why else one.word_for(file.new_arm)
    _fate(case, word, said, "; ".join(filter(None, (why, one.why))))


def _scenario(reading: OutcomeReading, one: CaseVerdict, suite: ET.Element) -> None:
    """Adds what the cells of a scenario say of one criterion."""
    criterion = CRITERIA.get(one.criterion, one.criterion)
    case = _case(suite, f"{one.scenario}: {criterion}", reading.file.new_arm)
    if one.new is None or one.base is None:
        _fate(case, one.word, "no pass rate of both arms", one.why)
        return
    (ours, n_ours), (theirs, n_theirs) = one.passed
    said = f"pass rate {fixed(one.new, 3)} against {fixed(one.base, 3)} [{one.tag}]; "
    said += f"everything passed in {ours} of {n_ours} cells against {theirs} of {n_theirs}"
    if one.adjusted_p is not None:
        said += f"; p {one.adjusted_p:.3g} over all cases"
    is_open = reading.file.verdict.standing not in (Standing.DECIDED, Standing.CEILING)
    if is_open and one.word in (Word.WORSE, Word.BETTER):
        _fate(case, Word.CANNOT_TELL, said, reading.file.verdict.why)
        return
    _fate(case, one.word, said, one.why)


def _fate(case: ET.Element, word: Word | None, said: str, why: str) -> None:
    said, why = xml_text(label(said, _MOST)), xml_text(label(why, _MOST)) if why else ""
    if word is Word.WORSE:
        ET.SubElement(case, "failure", {"type": "worse", "message": said}).text = why
    elif word in _SKIPPED:
        message = "; ".join(filter(None, (said, why)))
        ET.SubElement(case, "skipped", {"type": word.value, "message": message})
    else:
        first = f"{word.value}: {said}" if word else f"nothing lower was seen: {said}"
        ET.SubElement(case, "system-out").text = "\n".join(filter(None, (first, why)))


def _case(suite: ET.Element, name: str, of: str) -> ET.Element:
    fields = {"name": xml_text(label(name, _MOST)), "classname": xml_text(f"equipoise.{label(of)}")}
    return ET.SubElement(suite, "testcase", fields)
