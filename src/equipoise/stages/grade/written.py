"""Reads documents that an agent wrote: front matter, sections, words; odd ones are data too."""

from dataclasses import dataclass
from typing import Any

import regex

from equipoise.errors import InputError
from equipoise.records.yaml_text import parse
from equipoise.stages.grade.material import Page

MOST_BYTES = 256 * 1024
"""A longer document was not written for a reader, and keeps no contract."""

_FRONT = regex.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*$", regex.DOTALL | regex.MULTILINE)
_LINE = regex.compile(r"[^\n]*\n|[^\n]+\Z")
_HEADING = regex.compile(r"(#{1,6})[ \t]+(.*?)[ \t#]*\s*")
_FENCE = regex.compile(r" {0,3}(```|~~~)")
_COMMENT = regex.compile(r"<!--.*?(?:-->|\Z)", regex.DOTALL)
_WORD = regex.compile(
    r"(?V1)[\p{Han}\p{Hiragana}\p{Katakana}]|[\w--[\p{Han}\p{Hiragana}\p{Katakana}]]+"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading with its depth, and where the text below it stands, parts of it included."""

    heading: str
    depth: int
    start: int
    end: int


def unreadable(seen: Page | None) -> str:
    """Says why a document cannot be read as text; empty where it can."""
    if seen is None:
        return "it is no file of its own, or was not kept"
    if len(seen.content) > MOST_BYTES:
        return f"it has {len(seen.content)} bytes; at most {MOST_BYTES} are read"
    if b"\0" in seen.content or (not seen.text.isascii() and not _is_utf8(seen.text)):
        return "it is no text (UTF-8)"
    return "" if seen.text.strip("\ufeff \t\r\n") else "it is empty"


def front_matter(seen: Page) -> tuple[dict[str, Any], str]:
    """Gives the front matter of a document, and what is wrong with it."""
    found = _FRONT.match(seen.text)
    if found is None:
        return {}, "it has no front matter between two lines ---"
    value, fault = yaml_of(found[1])
    if fault:
        return {}, f"its front matter is {fault}"
    return (value, "") if isinstance(value, dict) else ({}, "its front matter has no keys")


def yaml_of(text: str) -> tuple[Any, str]:
    """Gives the value of a YAML text, all scalars as text, and why it is none."""
    try:
        return parse(text.encode("utf-8", "surrogateescape"), name="document").value, ""
    except (InputError, RecursionError) as error:
        told = f"{error}".removeprefix("document:")
        return None, f"no plain YAML ({told[:160]})"


def sections(seen: Page) -> list[Section]:
    """Gives the sections of a Markdown document; what stands in fences has no headings."""
    found: list[Section] = []
    fence = ""
    for line in _LINE.finditer(seen.text):
        opened = _FENCE.match(line[0])
        if opened:
            fence = "" if fence == opened[1] else fence or opened[1]
        heading = None if fence or opened else _HEADING.fullmatch(line[0])
        if heading is not None:
            found.append(
                Section(
                    heading=heading[2], depth=len(heading[1]), start=line.end(), end=line.start()
                )
            )
    return [_ended(one, found[number + 1 :], seen) for number, one in enumerate(found)]


def words(text: str) -> list[str]:
    """Gives the words of a text, comments aside; each sign counts where signs are words."""
    return [word.casefold() for word in _WORD.findall(_COMMENT.sub(" ", text))]


def _ended(section: Section, later: list[Section], seen: Page) -> Section:
    end = next((one.end for one in later if one.depth <= section.depth), len(seen.text))
    return Section(heading=section.heading, depth=section.depth, start=section.start, end=end)


def _is_utf8(text: str) -> bool:
    return regex.search(r"[\ud800-\udfff]", text) is None
