"""A probe that opens a page of the system in a browser and keeps what is to be seen."""

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from anyio import CancelScope, CapacityLimiter, move_on_after

from equipoise.adapters.probes.asking import check_address, check_scheme, check_upstream
from equipoise.adapters.probes.chromium import Chromium, first_line
from equipoise.adapters.probes.fields import check_names, filled, names_in
from equipoise.adapters.probes.options import Options
from equipoise.adapters.probes.outages import Outages
from equipoise.adapters.probes.rows import Unseen
from equipoise.adapters.probes.steps import steps_of, take
from equipoise.ports import Collected
from equipoise.records.brief import Request
from equipoise.records.plan import ProbeSpec

if TYPE_CHECKING:
    from playwright.async_api import Page

_PAGES = 2
_END_S = 10
_FIRST_FAULT_OF_SERVER = 500


class BrowserProbe:
    """A page as a user sees it: ``<name>.html`` and ``<name>.png``.

    A step that the page does not allow ends the steps; the page is kept as it is then, with
    ``<name>.steps.txt`` saying which and why: that is the system's doing. An outage is not: where
    the page does not answer, answers 5xx, or `upstream` is down, nothing is there to be seen.
    """

    def __init__(self, name: str, given: Mapping[str, Any], variables: Mapping[str, str]) -> None:
        """Reads the options: `url`, `steps`, `upstream`, `timeout_ms` (10000), `executable`.

        Raises:
            InputError: an option is wrong, or a name in a template is not known.
        """
        options = Options(name, "browser", given)
        self.name = name
        self._url = options.text("url")
        self._upstream = options.text("upstream", "")
        self._steps = steps_of(options)
        self._timeout_ms = options.number("timeout_ms", 10_000, most=600_000)
        self._chromium = Chromium(options.text("executable", ""))
        options.end()
        self._variables = variables
        for address in filter(None, (self._url, self._upstream)):
            check_address(address, options.where)
        texts = [t for step in self._steps for t in (step.target, step.text)]
        for template in (self._url, self._upstream, *texts):
            check_names(names_in(template), variables, options.where)
        self._pages = CapacityLimiter(_PAGES)

    async def __aenter__(self) -> Self:
        """Starts nothing: the browser starts with the first page."""
        return self

    async def __aexit__(self, *error: object) -> None:
        """Ends the browser."""
        with move_on_after(_END_S, shield=True):
            await self._chromium.close()

    async def collect(self, request: Request) -> Collected:
        """Collects what the page shows for a trial."""
        fill = partial(filled, request=request, variables=self._variables)
        try:
            address = fill(self._url, as_address=True)
            check_scheme(address)
            upstream = fill(self._upstream, as_address=True)
            if upstream:
                await check_upstream(upstream, self._timeout_ms / 1000)
            async with self._pages:
                return Collected(documents=await self._seen(address, upstream, fill))
        except Unseen as why:
            return Collected(unavailable=str(why))

    async def _seen(self, address: str, upstream: str, fill: "partial[str]") -> dict[str, bytes]:
        browser = await self._chromium.browser()
        from playwright.async_api import Error  # noqa: PLC0415  an optional package

        try:
            context = await browser.new_context()
        except Error as error:
            raise Unseen(f"the browser gives no page: {first_line(error)}") from error
        try:
            context.set_default_timeout(self._timeout_ms)
            page = await context.new_page()
            outages = Outages(page, upstream)
            await _open(page, address)
            stopped = await self._stepped(page, fill)
            outages.check()
            return await self._kept(page, stopped)
        except Error as error:
            raise Unseen(f"the page cannot be kept: {first_line(error)}") from error
        finally:
            with CancelScope(shield=True), suppress(Error):  # it may have died: a new one comes
                await context.close()

    async def _stepped(self, page: "Page", fill: "partial[str]") -> str:
        """Takes the steps; gives why the page did not allow one, or nothing."""
        from playwright.async_api import Error  # noqa: PLC0415  an optional package

        for k, step in enumerate(self._steps, start=1):
            try:
                await take(step, page, fill)
            except Error as error:
                if page.is_closed() or "crashed" in str(error):
                    raise
                return f"step {k}, {step.said}: {first_line(error)}\n"
        return ""

    async def _kept(self, page: "Page", stopped: str) -> dict[str, bytes]:
        found = {
            f"{self.name}.html": (await page.content()).encode("utf-8", "replace"),
            f"{self.name}.png": await page.screenshot(full_page=True, animations="disabled"),
        }
        if stopped:
            found[f"{self.name}.steps.txt"] = stopped.encode("utf-8", "replace")
        return found


async def _open(page: "Page", address: str) -> None:
    from playwright.async_api import Error  # noqa: PLC0415  an optional package

    try:
        answer = await page.goto(address, wait_until="load")
    except Error as error:
        raise Unseen(f"{address} is down: {first_line(error)}") from error
    if answer is not None and answer.status >= _FIRST_FAULT_OF_SERVER:
        raise Unseen(f"{address} is down: it answers {answer.status}")


def made(spec: ProbeSpec, root: Path, variables: Mapping[str, str]) -> BrowserProbe:
    """Makes the probe; it needs no folder."""
    del root
    return BrowserProbe(spec.name, spec.options, variables)
