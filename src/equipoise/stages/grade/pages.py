"""HTML pages by CSS selector, where the libraries of the extra `browser` are installed."""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec

MISSING = "unbewertbar: beautifulsoup4 is not installed; mend: pip install 'equipoise[browser]'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Element:
    """One element: its text, and where its start tag begins, in characters; null = unknown."""

    text: str
    start: int | None


def can_read_pages() -> bool:
    """Says whether the libraries are there."""
    return find_spec("bs4") is not None and find_spec("soupsieve") is not None


def selector_fault(selector: str) -> str:
    """Says what is wrong with a selector; empty where nothing is, or nobody can tell."""
    if not can_read_pages():
        return ""
    try:
        import_module("soupsieve").compile(selector)
    except Exception as error:  # noqa: BLE001  the library raises of its own and of others
        return f"no CSS selector: {str(error).splitlines()[0]}"
    return ""


def escaped(text: str) -> str:
    """Gives a text so that a selector takes it literally."""
    return str(import_module("soupsieve").escape(text))


def elements(html: str, selector: str) -> Iterator[Element]:
    """Yields the elements of a page that a selector chooses, in their order.

    Raises:
        ValueError: the selector is none, or the page is too deep.
    """
    try:
        tree = import_module("bs4").BeautifulSoup(html, "html.parser")
        found = tree.select(selector)
    except RecursionError as error:
        raise ValueError("the page is nested too deep") from error
    except Exception as error:
        raise ValueError(str(error).splitlines()[0] if str(error) else "not readable") from error
    starts = [0]
    at = html.find("\n")
    while at >= 0:
        starts.append(at + 1)
        at = html.find("\n", at + 1)
    for one in found:
        start = None
        if one.sourceline is not None and one.sourceline <= len(starts):
            start = starts[one.sourceline - 1] + one.sourcepos
            start = start if html.startswith("<", start) else None
        yield Element(text=one.get_text(" ", strip=True), start=start)
