"""Holds a page in a browser against the rules of axe-core and the width of the screen."""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

_LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def accessible(page: "Page") -> None:
    """Holds a page against axe-core's rules, and the width of the screen."""
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright",
        reason="no axe-core: pip install axe-playwright-python",
    )
    seen = axe.Axe().run(page, options={"runOnly": _LEVELS, "resultTypes": ["violations"]})
    found = [
        (one["id"], one["impact"], [node["html"] for node in one["nodes"]])
        for one in seen.response["violations"]
    ]
    assert found == []
    width = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    assert width <= 0, "the page is wider than the screen"
