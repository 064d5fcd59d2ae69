"""The page of a loss comparison: complete, escaped, usable without eyes, mouse or network."""

import re
from dataclasses import replace

import msgspec
import pytest

from equipoise.records.suite import SuiteFlaky
from equipoise.stages.report.loss.page import to_loss_page
from house.documents import ROOT
from stages.report.extremes import HOSTILE
from stages.report.loss.readings import ordinary
from stages.report.pages import Node, page_of

_PAGES = {"ordinary": ordinary(), **{f"hostile {k}": ordinary(v) for k, v in HOSTILE.items()}}


@pytest.fixture(params=sorted(_PAGES), scope="module")
def page(request: pytest.FixtureRequest) -> Node:
    return page_of(to_loss_page(_PAGES[request.param]))


def _walk(node: Node) -> list[Node]:
    return [node, *(found for child in node.children for found in _walk(child))]


def test_ids_are_unique_and_every_link_leads_somewhere(page: Node) -> None:
    ids = [node.attrs["id"] for node in _walk(page) if "id" in node.attrs]
    assert len(ids) == len(set(ids))
    hrefs = {node.attrs["href"] for node in _walk(page) if "href" in node.attrs}
    assert {href[:1] for href in hrefs} == {"#"}
    assert {href[1:] for href in hrefs} <= set(ids)


def test_it_loads_nothing_and_runs_one_script(page: Node) -> None:
    assert len(page.all("script")) == 1
    assert not page.all("img", "link", "iframe", "object", "form")


def test_the_surest_regression_comes_first_with_its_quote() -> None:
    text = to_loss_page(ordinary()).decode()
    findings = text[text.index('id="findings"') :]
    assert findings.index("intent=") < findings.index("Improvements, surest first")
    assert "125000" in findings
    assert "141 further citations" in findings


def test_differences_that_are_no_findings_stand_apart_with_their_reasons() -> None:
    text = to_loss_page(ordinary()).decode()
    unlisted = text[text.index('id="unlisted"') : text.index('id="suites"')]
    assert unlisted.count("fewer units than n_") == 3
    assert unlisted.count("not evaluable") >= 2
    assert "of 576 needed" in unlisted
    findings = text[text.index('id="findings"') : text.index('id="unlisted"')]
    assert "greeting" not in findings


def test_the_three_reaches_are_never_mixed() -> None:
    text = to_loss_page(ordinary()).decode()
    text = text[: text.index('id="forest"')]
    terms = re.findall(r"<dt>(\w+)</dt>", text)
    assert terms == ["margin", "reportable", "excludable"]


def test_simulated_runs_are_marked_where_nobody_can_miss_it() -> None:
    reading = ordinary()
    marked = msgspec.structs.replace(reading.new, is_simulated=True)
    text = to_loss_page(replace(reading, new=marked)).decode()
    assert "Nothing here speaks of real systems" in text
    assert "Nothing here speaks of real systems" not in to_loss_page(reading).decode()


def test_each_flaky_unit_has_its_reason_and_many_are_cut_with_their_number() -> None:
    reading = ordinary()
    many = tuple(
        SuiteFlaky(unit=f"u{n:02}", rate=0.5, n=2, categories=("tone", "late") if n else ())
        for n in range(33)
    )
    new = msgspec.structs.replace(reading.new, flaky=many, anchors_differing=("u00",))
    text = to_loss_page(replace(reading, new=new)).decode()
    shown = text[text.index(f"<caption>Flaky units of {new.arm}") :]
    shown = shown[: shown.index("</table>") + 200]
    assert shown.count("tone, late wavers") == 19
    assert "deterministic, and lost otherwise when executed again" in shown
    assert "13 more" in shown


def test_every_term_of_the_page_stands_among_its_words_and_in_the_glossary() -> None:
    text = to_loss_page(ordinary()).decode()
    words = text.partition('id="words"')[2]
    defined = " ".join(re.findall(r"<dt>(.*?)</dt>", words)).lower()
    glossary = ROOT.joinpath("docs/glossary.md").read_text("utf-8").lower()
    terms = (
        *("loss", "suite score", "literal", "guarded", "reportable", "excludable", "coverage"),
        *("margin", "completed", "weight scored", "spread", "within", "unterbelegt", "flaky"),
        *("adversarial", "citation", "partition", "mode", "provenance", "catalog", "cell"),
    )
    for term in terms:
        assert term in defined, f"the page does not say what {term} means"
        if term != "completed":
            assert term in glossary, term
