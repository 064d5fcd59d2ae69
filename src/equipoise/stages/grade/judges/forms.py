"""Further forms of a question about one text: what covers what, and yes or no; asked and read."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from equipoise.records.packet import Packet

COVER = "cover"
DECIDE = "decide"
FORMS = (COVER, DECIDE)

YES, NO, UNCLEAR = "yes", "no", "unclear"
MOST_COVERING = 12
"""So many items may be named for one requirement."""

_ITEM = re.compile(r"\[([0-9]{1,4})\] ")


class Misread(Exception):
    """The answer is not of the form; the text says why, and quotes nothing of it."""


def n_items(packet: Packet) -> int:
    """Gives the last number of the numbered items that the text of a packet shows."""
    return max((number for number, _ in _numbered(packet)), default=0)


def item_shown(packet: Packet, number: int) -> str:
    """Gives what the text shows of an item, by its number; empty where it has no such item."""
    return "\n".join(line for of, line in _numbered(packet) if of == number)


def _numbered(packet: Packet) -> Iterator[tuple[int, str]]:
    """Yields each line of the text with the number of its item; what is before the first has 0."""
    number = 0
    for line in packet.options[0].text.split("\n"):
        found = _ITEM.match(line)
        number = int(found[1]) if found else number
        yield number, line


def one_schema(packet: Packet) -> dict[str, Any]:
    """Gives the JSON Schema of what is said of one criterion, by field."""
    quote = {"quote": {"type": "string"}}
    if packet.form == DECIDE:
        return {**quote, "answer": {"type": "string", "enum": [YES, NO, UNCLEAR]}}
    number = {"type": "integer", "minimum": 1, "maximum": n_items(packet)}
    return {**quote, "items": {"type": "array", "items": number, "maxItems": MOST_COVERING}}


def form_words(packet: Packet, names: str) -> str:
    """Gives how the answer has to look; `names` are the numbers of the criteria."""
    head = "Answer with exactly one JSON object and nothing before or after it: "
    if packet.form == DECIDE:
        return (
            f'{head}{{"c1": {{"quote": "...", "answer": "yes"}}, ...}} with an entry for each of '
            f"{names}. An answer is yes, no or unclear. Where it is yes, its quote is the words of "
            "the text that show it, copied letter by letter and as few as will do; else the quote "
            "is what the text says in its place, copied in the same way, or empty."
        )
    return (
        f'{head}{{"c1": {{"quote": "...", "items": [2]}}, ...}} with an entry for each of {names}. '
        "Items are the numbers of the items that meet the requirement; none meets it = [] and an "
        "empty quote. Else the quote is the words of one of these items that show it, copied "
        "letter by letter and as few as will do."
    )


def said_of(one: Mapping[str, Any], number: str, packet: Packet) -> tuple[Any, str]:
    """Gives what an answer says of a criterion, and the quote.

    That is true, false or null (unclear) in the form ``decide``, and the items in ``cover``.

    Raises:
        Misread: it is not of the form.
    """
    wanted = "answer" if packet.form == DECIDE else "items"
    if set(one) != {"quote", wanted}:
        raise Misread(f"{number} has other keys than quote and {wanted}")
    quote, value = one["quote"], one[wanted]
    if not isinstance(quote, str):
        raise Misread(f"the quote of {number} is no text")
    if packet.form == DECIDE:
        if value not in (YES, NO, UNCLEAR):
            raise Misread(f"the answer of {number} is none of yes, no and unclear")
        if value == YES and not quote.strip():
            raise Misread(f"{number} is yes and has no quote")
        return {YES: True, NO: False, UNCLEAR: None}[value], quote
    items = _items(value, number, n_items(packet))
    if items and not quote.strip():
        raise Misread(f"{number} names items and has no quote")
    return items, quote


def is_misquoted(packet: Packet, said: Any, quote: str) -> bool:
    """Says whether a quote does not stand where the answer says.

    For a yes that is the text, for items that cover a requirement one of these items.
    """
    if not said:
        return False
    if packet.form == DECIDE:
        return quote not in packet.options[0].text
    return not any(quote in item_shown(packet, number) for number in said)


def _items(value: Any, number: str, most: int) -> tuple[int, ...]:
    if not isinstance(value, list) or len(value) > MOST_COVERING:
        raise Misread(f"items of {number} is no list of at most {MOST_COVERING} numbers")
    for one in value:
        if isinstance(one, bool) or not isinstance(one, int) or not 1 <= one <= most:
            raise Misread(f"items of {number} names no item from 1 to {most}")
    if len(set(value)) < len(value):
        raise Misread(f"items of {number} names an item twice")
    return tuple(sorted(value))
