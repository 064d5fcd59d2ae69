"""A Chromium of the system, driven by Playwright: found, started, started anew when it died."""

import os
import shutil
from typing import TYPE_CHECKING, Any

from anyio import Lock

from equipoise.adapters.probes.rows import Unseen

if TYPE_CHECKING:
    from playwright.async_api import Browser, Playwright

PROGRAMS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "microsoft-edge",
)
"""Names of the programs that will do, the first that is found is taken."""

_QUIET = [
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


def find(named: str = "") -> str:
    """Gives the path of the browser: the one that is named, or the first one found.

    Raises:
        Unseen: there is none.
    """
    for name in (named,) if named else PROGRAMS:
        path = shutil.which(name)
        if path:
            return path
    raise Unseen(
        f"there is no {named or 'Chromium'}; mend: apt-get install chromium, "
        "or give the path as `executable`"
    )


class Chromium:
    """One browser for a whole run; every page gets a profile of its own."""

    def __init__(self, executable: str = "") -> None:
        """Takes the name or path of the program; starts nothing."""
        self._named = executable
        self._driver: Playwright | None = None
        self._browser: Browser | None = None
        self._lock = Lock()

    async def browser(self) -> "Browser":
        """Gives the running browser; starts it, or starts it anew.

        Raises:
            Unseen: Playwright or the browser is missing, or it does not start.
        """
        async with self._lock:
            if self._browser is None or not self._browser.is_connected():
                self._browser = await self._started()
            return self._browser

    async def close(self) -> None:
        """Ends the browser and its driver."""
        browser, driver = self._browser, self._driver
        self._browser = self._driver = None
        if browser is not None and browser.is_connected():
            await browser.close()
        if driver is not None:
            await driver.stop()

    async def _started(self) -> "Browser":
        try:
            from playwright.async_api import Error, async_playwright  # noqa: PLC0415  optional
        except ImportError:
            raise Unseen(
                "playwright is not installed; mend: pip install 'equipoise[browser]'"
            ) from None
        path = find(self._named)
        try:
            if self._driver is None:
                self._driver = await async_playwright().start()
            return await self._driver.chromium.launch(
                executable_path=path, args=_QUIET, headless=True, env=_surroundings()
            )
        except (Error, OSError) as error:
            raise Unseen(f"the browser does not start: {first_line(error)}") from error


def first_line(error: BaseException) -> str:
    """Gives the first line of what an error of Playwright says; the rest is its log."""
    lines: list[Any] = [line.strip() for line in str(error).splitlines() if line.strip()]
    return str(lines[0]) if lines else type(error).__name__


def _surroundings() -> dict[str, str | float | bool]:
    """Gives what the browser may see of the environment: no secret of ours."""
    kept = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "FONTCONFIG_PATH", "XDG_RUNTIME_DIR")
    return {name: os.environ[name] for name in kept if name in os.environ}
