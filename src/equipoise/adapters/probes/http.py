"""A probe that asks a web address of the system what a trial left behind."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from equipoise.adapters.probes.asking import asked, check_address, check_upstream
from equipoise.adapters.probes.fields import check_names, filled, names_in
from equipoise.adapters.probes.options import Options
from equipoise.adapters.probes.rows import Unseen
from equipoise.ports import Collected
from equipoise.records.brief import Request
from equipoise.records.plan import ProbeSpec


class HttpProbe:
    """The answer of an address, such as ``{service}/orders/{trial}``.

    The documents are the answer as it came, ``<name>.json`` or ``<name>.txt``, and its status,
    ``<name>.status.txt``. A 404 is an answer; no answer and 5xx are an outage.
    """

    def __init__(self, name: str, given: Mapping[str, Any], variables: Mapping[str, str]) -> None:
        """Reads the options: `url`, `upstream` (an address that must be up), `timeout_ms` (5000).

        Raises:
            InputError: an option is wrong, or a name in a template is not known.
        """
        options = Options(name, "http", given)
        self.name = name
        self._url = options.text("url")
        self._upstream = options.text("upstream", "")
        self._timeout_s = options.number("timeout_ms", 5000, most=600_000) / 1000
        options.end()
        self._variables = variables
        for template in filter(None, (self._url, self._upstream)):
            check_address(template, options.where)
            check_names(names_in(template), variables, options.where)

    async def __aenter__(self) -> Self:
        """Opens nothing."""
        return self

    async def __aexit__(self, *error: object) -> None:
        """Closes nothing."""

    async def collect(self, request: Request) -> Collected:
        """Collects the answer for a trial."""
        try:
            if self._upstream:
                await check_upstream(self._filled(self._upstream, request), self._timeout_s)
            answer = await asked(self._filled(self._url, request), self._timeout_s)
        except Unseen as why:
            return Collected(unavailable=str(why))
        end = "json" if "json" in answer.headers["content-type"] else "txt"
        return Collected(
            documents={
                f"{self.name}.{end}": answer.content,
                f"{self.name}.status.txt": f"{answer.status_code}\n".encode(),
            }
        )

    def _filled(self, template: str, request: Request) -> str:
        return filled(template, request, self._variables, as_address=True)


def made(spec: ProbeSpec, root: Path, variables: Mapping[str, str]) -> HttpProbe:
    """Makes the probe; it needs no folder."""
    del root
    return HttpProbe(spec.name, spec.options, variables)
