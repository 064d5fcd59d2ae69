"""Holds one document against its contract, and names everything that is broken."""

from collections.abc import Iterator
from typing import Any

from equipoise.records.contract import Contract, SectionRule
from equipoise.records.grade import Evidence
from equipoise.stages.grade.finding import Fault
from equipoise.stages.grade.left_behind import find
from equipoise.stages.grade.material import Page
from equipoise.stages.grade.quoting import line_quoted, quoted
from equipoise.stages.grade.written import (
    Section,
    front_matter,
    sections,
    unreadable,
    words,
    yaml_of,
)


def contract_faults(contract: Contract, seen: Page | None) -> Iterator[Fault]:
    """Yields what is broken of a contract; nothing where it is kept.

    Raises:
        NotEstimable: an expression of the contract takes too long.
    """
    why = unreadable(seen)
    if why or seen is None:
        yield why, line_quoted(seen, 1) if seen is not None else ()
        return
    if contract.format == "yaml":
        yield from _yaml_faults(contract, seen)
    else:
        yield from _front_faults(contract, seen)
        yield from _section_faults(contract, seen)
    for pattern in contract.forbidden:
        places = find(pattern, [seen], is_exact=True)
        if places is not None:
            yield f"it holds what is forbidden, {pattern}", places


def _front_faults(contract: Contract, seen: Page) -> Iterator[Fault]:
    rule = contract.front_matter
    if not rule.required and not rule.values:
        return
    given, fault = front_matter(seen)
    if fault:
        yield fault, line_quoted(seen, 1)
        return
    lacking = [key for key in dict.fromkeys((*rule.required, *rule.values)) if not given.get(key)]
    if lacking:
        yield f"its front matter lacks {', '.join(lacking)}", line_quoted(seen, 1)
    for key, values in rule.values.items():
        value = given.get(key)
        if value and value not in values:
            yield (
                f"its {key} is {_short(value)}; wanted {' or '.join(values)}",
                _line_of(seen, f"{key}:"),
            )


def _section_faults(contract: Contract, seen: Page) -> Iterator[Fault]:
    found = sections(seen)
    for rule in contract.sections:
        yield from _section_fault(rule, found, seen)


def _section_fault(rule: SectionRule, found: list[Section], seen: Page) -> Iterator[Fault]:
    name = rule.heading.strip().casefold()
    named = [one for one in found if one.heading.strip().casefold() == name]
    if not named:
        yield f"it has no heading {rule.heading!r}", line_quoted(seen, 1)
        return
    n_words, longest = max(
        ((len(words(seen.text[one.start : one.end])), one) for one in named), key=lambda x: x[0]
    )
    if n_words < rule.min_words:
        places = quoted(seen, max(0, longest.start - 1), longest.start)
        yield (f"{rule.heading!r} has {n_words} words; wanted {rule.min_words} or more", places)


def _yaml_faults(contract: Contract, seen: Page) -> Iterator[Fault]:
    value, fault = yaml_of(seen.text)
    if fault:
        yield f"it is {fault}", line_quoted(seen, 1)
        return
    if contract.keys:
        if not isinstance(value, dict):
            yield f"it has no keys; wanted {', '.join(contract.keys)}", line_quoted(seen, 1)
            return
        lacking = [key for key in contract.keys if value.get(key) in (None, "", [], {})]
        if lacking:
            yield f"it lacks {', '.join(lacking)}", line_quoted(seen, 1)
    if contract.each:
        yield from _entry_faults(contract, value, seen)


def _entry_faults(contract: Contract, value: Any, seen: Page) -> Iterator[Fault]:
    lists = [value] if isinstance(value, list) else []
    if isinstance(value, dict):
        lists = [value[key] for key in contract.keys if isinstance(value.get(key), list)]
    if not any(lists):
        yield "it has no list with an entry in it", line_quoted(seen, 1)
    for entries in lists:
        for number, entry in enumerate(entries, start=1):
            given = entry if isinstance(entry, dict) else {}
            lacking = [key for key in contract.each if given.get(key) in (None, "")]
            if lacking:
                yield f"entry {number} lacks {', '.join(lacking)}", line_quoted(seen, 1)


def _line_of(seen: Page, text: str) -> tuple[Evidence, ...]:
    at = seen.text.find(f"\n{text}")
    return quoted(seen, at + 1, at + 1 + len(text)) if at >= 0 else line_quoted(seen, 1)


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
