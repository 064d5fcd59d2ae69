"""Steps that a probe takes on a page before it looks: fill, click, wait."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from equipoise.adapters.probes.options import Options

if TYPE_CHECKING:
    from playwright.async_api import Page

_VERBS = ("fill", "select", "press", "click", "check", "wait_for", "goto")
_WITH = ("fill", "select", "press")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step: what is done, to what, and with which text; both may hold templates."""

    verb: str
    target: str
    text: str = ""

    @property
    def said(self) -> str:
        """Gives the step as a reader would say it."""
        return f"{self.verb} {self.target}"


def steps_of(options: Options) -> tuple[Step, ...]:
    """Reads the steps: ``{fill: "#name", with: "{brief.name}"}``, ``{click: "text=Send"}``.

    Raises:
        InputError: a step is none of those.
    """
    return tuple(_step(given, options) for given in options.some("steps"))


def _step(given: dict[str, Any], options: Options) -> Step:
    verbs = [verb for verb in _VERBS if verb in given]
    wanted = {verbs[0], "with"} if verbs and verbs[0] in _WITH else set(verbs)
    if (
        len(verbs) != 1
        or set(given) != wanted
        or not all(isinstance(v, str) for v in given.values())
    ):
        raise options.wrong(
            f"step {given!r}",
            f"one of {', '.join(_VERBS)} with a selector; {', '.join(_WITH)} also need `with`",
            'write {fill: "#name", with: "{brief.name}"}, {click: "text=Send"}',
        )
    return Step(verb=verbs[0], target=given[verbs[0]], text=given.get("with", ""))


async def take(step: Step, page: "Page", filled: Callable[..., str]) -> None:
    """Takes the step; `filled` fills a template.

    Raises:
        playwright.async_api.Error: the page has no such thing in time.
    """
    if step.verb == "goto":
        await page.goto(filled(step.target, as_address=True), wait_until="load")
        return
    there = page.locator(filled(step.target)).first
    text = filled(step.text)
    if step.verb == "fill":
        await there.fill(text)
    elif step.verb == "select":
        await there.select_option(text)
    elif step.verb == "press":
        await there.press(text)
    elif step.verb == "click":
        await there.click()
    elif step.verb == "check":
        await there.check()
    else:
        await there.wait_for()
