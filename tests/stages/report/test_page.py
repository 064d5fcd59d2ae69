"""The page: one file that loads nothing, says every part, and can be used without eyes or mouse."""

import base64
import hashlib
import re
from itertools import pairwise

import msgspec
import pytest

from equipoise.records.result import Result
from equipoise.stages.report import render
from every import for_every
from stages.report.extremes import HOSTILE, bare, hostile, large
from stages.report.pages import Node, page_of
from stages.report.samples import helpdesk

_PAGES = {
    "helpdesk": helpdesk(),
    "bare": bare(),
    "large": large(),
    **{f"hostile {name}": hostile(text) for name, text in HOSTILE.items()},
}


@pytest.fixture(params=sorted(_PAGES), scope="module")
def page(request: pytest.FixtureRequest) -> Node:
    return page_of(render(_PAGES[request.param], {})["index.html"])


def test_ids_are_unique_and_every_link_leads_somewhere(page: Node) -> None:
    nodes = page.all(*{"a", "svg", "use", "title", "desc", "g", "symbol"})
    every = [n for n in _walk(page) if "id" in n.attrs]
    ids = [node.attrs["id"] for node in every]
    assert len(ids) == len(set(ids))
    hrefs = [node.attrs["href"] for node in nodes if "href" in node.attrs]
    assert hrefs
    assert {href[:1] for href in hrefs} == {"#"}
    assert {href[1:] for href in hrefs} <= set(ids)
    labels = {n for node in _walk(page) for n in node.attrs.get("aria-labelledby", "").split()}
    assert labels <= set(ids)


def _walk(node: Node) -> list[Node]:
    return [node, *(found for child in node.children for found in _walk(child))]


def test_headings_stand_in_order(page: Node) -> None:
    levels = [int(node.tag[1]) for node in page.all("h1", "h2", "h3", "h4")]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))


def test_landmarks_language_and_skip_link(page: Node) -> None:
    assert page.all("html")[0].attrs["lang"] == "en"
    for landmark in ("header", "nav", "main", "footer"):
        assert len(page.all(landmark)) == 1
    assert page.all("a")[0].attrs == {"class": "skip", "href": "#main"}
    assert page.all("main")[0].attrs["id"] == "main"


def test_every_drawing_has_a_name_or_is_hidden(page: Node) -> None:
    for svg in page.all("svg"):
        if svg.parent is not None and svg.parent.tag == "svg":
            continue
        if svg.attrs.get("aria-hidden") == "true":
            continue
        assert svg.attrs["role"] == "img"
        assert svg.all("title")[0].words().strip()


def test_every_table_has_a_caption_and_heads_with_scope(page: Node) -> None:
    for table in page.all("table"):
        assert table.all("caption")[0].words().strip()
        assert all(th.attrs.get("scope") in {"col", "row"} for th in table.all("th"))
        n_columns = len(table.all("thead")[0].all("th"))
        for row in table.all("tbody")[0].all("tr"):
            assert len(row.all("th", "td")) == n_columns
            assert row.children[0].tag == "th" or row.all("th")
            assert all(cell.words().strip() or cell.all("svg") for cell in row.all("th", "td"))


def test_what_scrolls_can_be_reached_by_keyboard_and_has_a_name(page: Node) -> None:
    for node in _walk(page):
        if "scroll" in node.attrs.get("class", "").split():
            assert node.attrs["tabindex"] == "0"
            assert node.attrs["role"] == "region"
            assert node.attrs["aria-label"]


def test_loads_nothing_and_runs_only_its_own_script(page: Node) -> None:
    assert not page.all("link", "img", "iframe", "object", "embed", "form", "base")
    policy = next(
        node.attrs["content"]
        for node in page.all("meta")
        if node.attrs.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy.startswith("default-src 'none'")
    (script,) = page.all("script")
    digest = hashlib.sha256(script.words().encode()).digest()
    assert f"script-src 'sha256-{base64.b64encode(digest).decode()}'" in policy
    for node in _walk(page):
        assert not any(name.startswith("on") for name in node.attrs)
        assert "src" not in node.attrs
        assert "style" not in node.attrs


@for_every("name", sorted(HOSTILE))
def test_hostile_text_is_shown_and_never_acts(name: str) -> None:
    text = HOSTILE[name]
    data = render(hostile(text), {})["index.html"].decode()
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u200b\u202e\u2066]", data)
    shown = page_of(data.encode()).words()
    expected = {
        "script": "<script>alert(1)</script>",
        "attribute": '" onmouseover="alert(1)',
        "override": "safe⟨U+202E⟩gnp.exe",
        "null": "nul⟨U+0000⟩l ⟨U+001B⟩[31mred⟨U+0007⟩",
        "zero width": "ad⟨U+200B⟩min⟨U+FEFF⟩⟨U+2066⟩",
        "template": "{{ 7 * 7 }}{% raw %}",
        "cdata": "]]></failure><x/>&amp;",
        "empty": "(empty name)",
    }
    assert expected.get(name, "") in shown


def test_a_long_name_is_short_to_see_and_whole_on_hovering() -> None:
    text = HOSTILE["long"]
    page = page_of(render(hostile(text), {})["index.html"])
    assert text not in page.words()
    assert any(node.attrs.get("title") == text for node in _walk(page))


@pytest.mark.parametrize("result", [large(), large(2000, 1), large(20, 500)])
def test_stays_below_a_megabyte_and_counts_what_it_leaves_out(result: Result) -> None:
    data = render(result, {})["index.html"]
    assert len(data) < 1_000_000
    text = page_of(data).words()
    assert re.search(r"\d more in estimates\.json", text)
    assert re.search(
        r"\d more (units moved and are not shown|comparisons in estimates\.json)", text
    )


def test_the_verdict_comes_first_and_the_parts_in_their_order() -> None:
    page = page_of(render(helpdesk(), {})["index.html"])
    sections = [node.attrs["id"] for node in page.all("section")]
    assert sections == [
        "verdict",
        "forest",
        "findings",
        "partitions",
        "estimands",
        "unit-sets",
        "missing",
        "flaky",
        "resources",
        "declared",
        "notices",
        "units",
        "verify",
        "method",
        "words",
    ]
    verdict = page.all("article")[0].words()
    assert "release-2 is better than release-1: loss is 0.031 lower" in verdict
    assert "[exploratory]" in verdict
    assert "Outcomes missing" in verdict


def test_each_mean_and_difference_leads_to_the_units_behind_it() -> None:
    page = page_of(render(helpdesk(), {})["index.html"])
    parts = {node.attrs["id"]: node for node in page.all("section", "details") if node.attrs}
    for name in ("findings", "partitions"):
        links = parts[name].all("a")
        assert links
        for link in links:
            behind = parts[link.attrs["href"][1:]]
            assert behind.tag == "details"
    words = parts["comparison-1"].words()
    assert "u-0001" in words
    assert "0000000000000001" in words
    assert "refund 1 rejected" in words
    assert "35 more units moved and are not shown" in words
    assert "columns/results.parquet" in words


def test_what_is_not_recorded_is_said_and_never_a_zero() -> None:
    page = page_of(render(helpdesk(), {})["index.html"])
    resources = next(s for s in page.all("section") if s.attrs["id"] == "resources")
    cost = next(row for row in resources.all("tr") if "cost (USD)" in row.words()).words()
    assert "not recorded" in cost
    assert "not compared" in cost
    assert "no price is recorded for 6,000 of 6,000 trials" in cost


def test_a_simulated_comparison_says_so_before_anything_else() -> None:
    made = helpdesk()
    file = msgspec.structs.replace(made.file, is_simulated=True)
    result = Result(file=file, estimates=made.estimates, verdicts=made.verdicts)
    page = page_of(render(result, {})["index.html"])
    assert "Nothing here speaks of real systems" in page.all("header")[0].words()


def test_an_archive_that_has_changed_since_is_named() -> None:
    data = render(helpdesk(), {"20261130-b": "f" * 64})["index.html"].decode()
    assert "it has grown or was altered since this comparison" in data
    same = render(helpdesk(), {})["index.html"].decode()
    assert "it has grown or was altered" not in same


def test_where_nothing_is_evaluable_no_absence_of_regressions_is_claimed() -> None:
    made = helpdesk()
    result = Result(file=made.file, estimates=made.estimates, verdicts=())
    for name, data in render(result, {}).items():
        assert b"No demonstrable" not in data, name
    page = page_of(render(result, {})["index.html"])
    assert "nothing can be said of any change" in page.words()


def test_many_arms_are_summed_up_first() -> None:
    made = helpdesk()
    whole = made.estimates.comparisons[0]
    arms = [f"arm-{i}" for i in range(6)]
    comparisons = tuple(msgspec.structs.replace(whole, id=name, arm=name) for name in arms)
    verdicts = tuple(
        msgspec.structs.replace(made.verdicts[0], comparison=c.id) for c in comparisons
    )
    terms = msgspec.structs.replace(made.file.terms, arms=tuple(arms))
    result = Result(
        file=msgspec.structs.replace(made.file, terms=terms, title=""),
        estimates=msgspec.structs.replace(made.estimates, comparisons=comparisons),
        verdicts=verdicts,
    )
    page = page_of(render(result, {})["index.html"])
    assert page.all("h1")[0].words() == "6 arms against release-1"
    assert "Over all units: 6 better" in " ".join(page.all("section")[0].words().split())
    assert len(page.all("article")) == 6
