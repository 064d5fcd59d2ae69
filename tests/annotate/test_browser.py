"""A real browser judges a whole campaign by keyboard, and axe-core finds nothing on any page."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

import pytest

from annotate.campaigns import DOC, WORDS, Made, campaign, packet, served, started
from equipoise.annotate.answers import answers
from equipoise.records.answer import standing
from machine.accessible import accessible

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PHONE = {"width": 390, "height": 800}
DESK = {"width": 1280, "height": 860}


@pytest.fixture(scope="module")
def browser(chromium: str) -> "Iterator[Browser]":
    from playwright.sync_api import sync_playwright  # noqa: PLC0415  after the fixture's skip

    with sync_playwright() as driver:
        found = driver.chromium.launch(
            executable_path=chromium,
            args=["--no-sandbox", "--in-process-gpu", "--disable-gpu", "--disable-quic"],
        )
        yield found
        found.close()


Opened = Callable[..., "Page"]


@pytest.fixture
def opened(browser: "Browser") -> Iterator[Opened]:
    """Opens a page that counts what goes wrong in it."""
    with ExitStack() as stack:

        def new(size: dict[str, int], *, is_dark: bool = False) -> "Page":
            context = browser.new_context(
                viewport={"width": size["width"], "height": size["height"]},
                color_scheme="dark" if is_dark else "light",
            )
            stack.callback(context.close)
            page = context.new_page()
            faults: list[str] = []
            page.on("pageerror", lambda error: faults.append(str(error)))
            page.on("console", lambda told: faults.append(told.text))
            stack.callback(lambda: _no_faults(faults))
            return page

        yield new


def _no_faults(faults: list[str]) -> None:
    """Of what a page may complain, only a server that was killed or refuses is meant."""
    meant = ("ERR_CONNECTION_REFUSED", "409 (Conflict)")
    assert [one for one in faults if not any(words in one for words in meant)] == []


def press(page: "Page", *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def hand(page: "Page", *keys: str) -> None:
    """Presses keys, of which the last one leads to the next page."""
    press(page, *keys[:-1])
    with page.expect_navigation():
        page.keyboard.press(keys[-1])


def pressed(page: "Page") -> list[str]:
    return [
        str(one.get_attribute("value")) for one in page.query_selector_all('[aria-pressed="true"]')
    ]


@pytest.mark.requirement("PIL-22")
def test_a_whole_campaign_by_keyboard_on_a_phone(tmp_path: Path, opened: Opened) -> None:
    sets = [packet(lang, lang=lang, docs=(DOC,)) for lang in ("zh", "ja", "ru", "ar")]
    lists = {"ann": [packet("practice"), packet("loud"), *sets, packet("pair", "one", "two")]}
    checks = {
        "p-practice": {"kind": "tutorial", "best": 0, "warning": "One is complete."},
        "p-loud": {"kind": "loud", "worst": 3, "warning": "Four is cut short."},
    }
    made = campaign(tmp_path / "s", lists, checks)
    with served(made.study) as address:
        page = opened(PHONE)
        page.goto(address + made.path("ann"))
        accessible(page)
        hand(page, "Enter")
        accessible(page)
        press(page, "Enter")
        assert page.inner_text("#says") == "Choose the best and the worst text first."
        press(page, "2", "Shift+Digit2")
        assert pressed(page) == ["worst:1"]
        hand(page, "4", "Enter")
        assert page.inner_text(".told >> visible=true") == "One is complete."
        accessible(page)
        hand(page, "1", "w", "Enter")
        assert "Right" in page.inner_text(".praise")
        hand(page, "1", "q", "2", "Enter")
        assert "Four is cut short." in page.content()
        hand(page, "1", "r", "Enter")
        for lang in ("zh", "ja", "ru", "ar"):
            text = page.locator("#o1 .text")
            assert text.inner_text() == WORDS[lang][0]
            assert text.get_attribute("lang") == lang
            assert text.get_attribute("dir") == ("rtl" if lang == "ar" else "ltr")
            press(page, "3", "Shift+Digit1")
            assert pressed(page) == ["worst:0", "best:2"]
            accessible(page)
            hand(page, "Enter")
        assert page.locator(".pick").count() == 2
        press(page, "Shift+Digit1", "q")
        assert pressed(page) == []
        hand(page, "Backspace")
        assert page.title() == "Set 6 of 7"
        assert pressed(page) == ["worst:0", "best:2"]
        hand(page, "Enter")
        hand(page, "2", "Enter")
        accessible(page)
        hand(page, "ArrowUp", "Enter")
        assert page.url.endswith("/done")
        for path in (made.path("ann") + "/done", made.path("ann") + "/review/3", made.path("")):
            page.goto(address + path)
            accessible(page)
    held = standing(answers(made.study))
    places = [(held["ann", one.id].best, held["ann", one.id].worst) for one in sets]
    assert places == [(2, 0)] * 4
    assert held["ann", "p-pair"].best == 1
    assert answers(made.study)[-1].guess == "same"
    assert all((one.n_actions or 0) > 0 for one in held.values())


def test_what_was_chosen_is_there_after_a_crash_and_is_handed_in_when_the_server_is_back(
    tmp_path: Path, opened: Opened
) -> None:
    made = campaign(tmp_path / "s", {"ann": [packet("1"), packet("2")]})
    server, address = started(made.study, "--port", "0")
    page = opened(DESK)
    page.goto(f"{address}{made.path('ann')}/set")
    with page.expect_response("**/draft"):
        press(page, "3", "q")
    page.reload()
    assert pressed(page) == ["worst:0", "best:2"]
    server.kill()
    server.communicate()
    press(page, "Enter")
    page.wait_for_selector("#says:not([hidden])")
    assert "Not saved yet" in page.inner_text("#says")
    again, _ = started(made.study, "--port", address.rpartition(":")[2])
    try:
        page.wait_for_url("**/set")
        page.locator("h1").wait_for()
        page.wait_for_selector("text=Set 2 of 2")
    finally:
        again.terminate()
        again.communicate(timeout=20)
    assert [(one.best, one.worst) for one in answers(made.study)] == [(2, 0)]


@pytest.fixture(scope="module")
def long_texts(tmp_path_factory: pytest.TempPathFactory) -> Made:
    texts = [
        "\n\n".join([word * 20] * n) for word, n in zip(WORDS["ru"], (9, 12, 8, 60), strict=True)
    ]
    lists = {"ann": [packet("1", *texts, lang="ru"), packet("2")]}
    return campaign(tmp_path_factory.mktemp("study"), lists)


@pytest.mark.slow
def test_long_texts_scroll_in_step_and_single_keys_can_be_switched_off(
    long_texts: Made, opened: Opened
) -> None:
    with served(long_texts.study) as address:
        page = opened(DESK, is_dark=True)
        page.goto(f"{address}{long_texts.path('ann')}/set")
        accessible(page)
        page.locator("#o1 .pane").focus()
        press(page, "End")
        page.locator("#o1 .pane").evaluate("it => it.scrollTo(0, it.scrollHeight)")
        page.locator("#o2 .pane").evaluate("it => new Promise(done => setTimeout(done, 300))")
        share = "it => it.scrollTop / (it.scrollHeight - it.clientHeight)"
        assert all(page.locator(f"#o{n} .pane").evaluate(share) > 0.97 for n in (1, 2, 3))
        press(page, "?")
        assert page.locator("#help").get_attribute("open") is not None
        assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
        accessible(page)
        page.get_by_label("use single keys").uncheck()
        page.locator("#main").focus()
        press(page, "1", "w")
        assert pressed(page) == []
        order = ["#o1 .pane", "#o1 .best", "#o1 .worst", "#o2 .pane"]
        for at in order:
            press(page, "Tab")
            assert page.locator(at).evaluate("it => it === document.activeElement")
        page.locator("#o2 .best").focus()
        press(page, "Space")
        assert pressed(page) == ["best:1"]
        press(page, "Space")
        assert pressed(page) == []


@pytest.mark.slow
def test_a_coffee_break_is_no_work(tmp_path: Path, opened: Opened) -> None:
    made = campaign(tmp_path / "s", {"ann": [packet("1")]})
    with served(made.study) as address:
        page = opened(DESK)
        page.clock.install()
        page.goto(f"{address}{made.path('ann')}/set")
        page.clock.run_for(5_000)
        press(page, "1")
        page.clock.run_for(600_000)
        with page.expect_request("**/draft") as sent:
            press(page, "q")
            page.clock.run_for(1_000)
        told = parse_qs(sent.value.post_data or "")
        assert told["n_actions"] == ["2"]
        assert 65 <= float(told["seconds"][0]) <= 68


@pytest.mark.slow
def test_a_second_tab_is_told_that_it_came_too_late(tmp_path: Path, opened: Opened) -> None:
    made = campaign(tmp_path / "s", {"ann": [packet("1"), packet("2")]})
    with served(made.study) as address:
        tabs = [opened(DESK) for _ in range(2)]
        for tab in tabs:
            tab.goto(f"{address}{made.path('ann')}/set")
        hand(tabs[0], "1", "w", "Enter")
        tabs[1].wait_for_timeout(100)
        press(tabs[1], "2", "q")
        tabs[1].wait_for_url("**/set")
        tabs[1].wait_for_selector("text=Set 2 of 2")
        assert "answered already" in tabs[1].inner_text("#says")
        assert pressed(tabs[1]) == []
    assert [(one.best, one.worst) for one in made.kept()] == [(0, 1)]
