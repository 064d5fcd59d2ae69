"""What failed while a page was open and is not the page's own doing."""

from typing import TYPE_CHECKING

from equipoise.adapters.probes.rows import Unseen

if TYPE_CHECKING:
    from playwright.async_api import Page, Request, Response

_FIRST_FAULT_OF_SERVER = 500


class Outages:
    """Listens to a page: a document that answers 5xx, and whatever fails at the upstream address.

    Every address that begins with the declared `upstream` counts as upstream. Other things that a
    page fetches in vain are the system's own doing, and stand in the page as it is.
    """

    def __init__(self, page: "Page", upstream: str) -> None:
        """Begins to listen."""
        self._upstream = upstream
        self._page = page
        self._found = ""
        page.on("response", self._answered)
        page.on("requestfailed", self._failed)

    def check(self) -> None:
        """Looks at what was heard.

        Raises:
            Unseen: there was an outage.
        """
        if self._found:
            raise Unseen(self._found)

    def _answered(self, response: "Response") -> None:
        if response.status >= _FIRST_FAULT_OF_SERVER and self._counts(response.request):
            self._hear(f"{response.url} is down: it answers {response.status}")

    def _failed(self, request: "Request") -> None:
        failure = request.failure or "no answer"
        if "ERR_ABORTED" not in failure and self._counts(request):
            self._hear(f"{request.url} is down: {failure}")

    def _counts(self, request: "Request") -> bool:
        is_document = request.is_navigation_request() and request.frame == self._page.main_frame
        return is_document or bool(self._upstream and request.url.startswith(self._upstream))

    def _hear(self, text: str) -> None:
        self._found = self._found or text
