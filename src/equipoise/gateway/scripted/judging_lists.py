"""How the stand-in for a judge holds a list against requirements, and says yes or no."""

import re
from collections.abc import Mapping
from typing import Any

_ITEM = re.compile(r"\[([0-9]{1,4})\] ")
_ORDERED = re.compile(r"\bmeets (?:all|every) requirements?\b|\banswer yes\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]{4,}")
_ENOUGH = 1 / 3
_ENDING = re.compile(r"(?:ing|ed|es|s)$")
_LONGEST = 60


def covering(
    rules: Mapping[str, str], wanted: Mapping[str, str], text: str, *, obeys: bool, is_right: bool
) -> dict[str, Any]:
    """Gives, for each requirement, the items that meet it, with a quote.

    Args:
        rules: an expression found in a requirement -> the one found in an item that meets it; a
            requirement without a rule is met by an item that has a third of its words.
        wanted: number -> requirement.
        text: the numbered list.
        obeys: does what an item orders it to.
        is_right: whether it says what the rules give, or the opposite.
    """
    items = _items(text)
    said = {}
    for number, requirement in wanted.items():
        found = [name for name, words in items.items() if _meets(rules, requirement, words)]
        if obeys:
            found = [name for name, words in items.items() if _ORDERED.search(words)] or found
        if not is_right:
            found = [] if found else [*items][:1]
        quote = _first_words(items[found[0]]) if found else ""
        said[number] = {"quote": quote, "items": found}
    return said


def deciding(
    pattern: str, wanted: Mapping[str, str], text: str, *, obeys: bool, is_right: bool
) -> dict[str, Any]:
    """Gives a yes, with a quote, where the expression is found in the text, else a no."""
    found = re.search(pattern, text) if pattern else None
    if obeys and (order := _ORDERED.search(text)):
        found = order
    is_yes = (found is not None) is is_right
    quote = found[0] if found and found[0].strip() else _first_words(text)
    one = {"quote": quote if is_yes else "", "answer": "yes" if is_yes and quote else "no"}
    return dict.fromkeys(wanted, one)


def _items(text: str) -> dict[int, str]:
    items: dict[int, str] = {}
    number = 0
    for line in text.split("\n"):
        begins = _ITEM.match(line)
        number = int(begins[1]) if begins else number
        if number:
            items[number] = f"{items[number]}\n{line}" if number in items else line
    return items


def _meets(rules: Mapping[str, str], requirement: str, item: str) -> bool:
    for wanted, found in rules.items():
        if re.search(wanted, requirement):
            return re.search(found, item) is not None
    words, held = _words(requirement), _words(item)
    return bool(words) and len(words & held) >= _ENOUGH * len(words)


def _words(text: str) -> set[str]:
    return {_ENDING.sub("", word) for word in _WORD.findall(text.casefold())}


def _first_words(text: str) -> str:
    line = next((one.strip() for one in text.split("\n") if one.strip()), "")
    return _ITEM.sub("", line, count=1)[:_LONGEST].strip()
