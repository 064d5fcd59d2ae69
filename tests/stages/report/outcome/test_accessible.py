"""Pages of an outcome comparison at phone and desk width: axe-core finds nothing amiss."""

from pathlib import Path

import pytest

from machine.accessible import accessible
from studies.loss.compared_loss_runs import called
from studies.loss.made_agents import NEEDS_BWRAP
from studies.outcome.outcome_studies import FIX, comparison, graded, made, scripted

pytestmark = [pytest.mark.slow, NEEDS_BWRAP]

CLAIM = {
    "id": "H1",
    "statement": "Reading first mends more",
    "metric": "hidden",
    "direction": "better",
    "primary": "true",
}
ENDS = {
    "idle": "All fixed, all tests pass. " + "word " * 200,
    "reads": "https://example.org/" + "a" * 300,
}


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    arms = [
        scripted(name, {"cases": [{"do": [{"run": "git log -p"}, {"print": said}]}]})
        for name, said in ENDS.items()
    ]
    study = tmp_path_factory.mktemp("pages") / "study"
    graded(made(study, arms, scenarios=[FIX], hypotheses=[CLAIM]))
    assert called("compare", study).exit_code == 0
    assert called("report", study).exit_code == 0
    return [*sorted(comparison(study).glob("report/*.html")), study / "history.html"]


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_of_an_outcome_study_shuts_anybody_out(
    pages: list[Path], chromium: str, width: int, scheme: str
) -> None:
    from playwright.sync_api import sync_playwright  # noqa: PLC0415  after the fixture's skip

    assert {path.name for path in pages} == {"index.html", "losses.html", "history.html"}
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=chromium,
            args=["--no-sandbox", "--in-process-gpu", "--disable-gpu", "--disable-quic"],
        )
        context = browser.new_context(
            viewport={"width": width, "height": 860},
            color_scheme="dark" if scheme == "dark" else "light",
        )
        page = context.new_page()
        for path in pages:
            page.goto(path.as_uri())
            accessible(page)
        browser.close()
