"""From a judge's answer to an inquiry to values of categories, with words that show them."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from equipoise.records.decomposition import Coverage, CoveredItem
from equipoise.records.judgement import Judgement
from equipoise.records.packet import Packet
from equipoise.stages.grade.judges.forms import COVER, DECIDE, is_misquoted
from equipoise.stages.grade.judges.inquiries import EDGE, OBVIOUS, ORDER, Inquiry
from equipoise.stages.grade.left_behind import ARTIFACTS
from equipoise.stages.grade.material import Page
from equipoise.stages.grade.ordering import Edge, order_of

_LONGEST = 200
_ODD = re.compile(r"[\ud800-\udfff]+")
_MOST_NAMED = 8
_FEW = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What an answer gives for a category: the share lost and its quote, or why there is none.

    `quote` stands as it is in the document `log`. `note` has the counts behind the value.
    """

    lost: float | None = None
    quote: str = ""
    log: str = ""
    note: str = ""
    why: str = ""


def answers(inquiry: Inquiry, one: Judgement, packet: Packet) -> dict[str, Said]:
    """Gives category id -> what the judgement, which was read, says of it.

    Args:
        inquiry: what was asked.
        one: the judgement.
        packet: what the judge saw; names in its text may be masked.
    """
    if inquiry.axis.form == DECIDE:
        return {named.id: _decided(inquiry, one, packet, named.id) for named in inquiry.given}
    if inquiry.axis.form == COVER:
        return _covered(inquiry, one, packet)
    return {category.id: _checkable(inquiry, one, packet) for category in inquiry.given}


def coverage_of(inquiry: Inquiry, one: Judgement, packet: Packet, rater: str) -> Coverage | None:
    """Gives what a judgement says of a list, item by item; null = it does not say it of one."""
    if inquiry.axis.form != COVER or _misquoting(one, packet):
        return None
    order = order_of(inquiry.expert, inquiry.items, one.covers)
    return Coverage(
        rater=rater,
        list=inquiry.seen[0].name.removeprefix(ARTIFACTS),
        n_items=len(inquiry.items),
        items=tuple(
            CoveredItem(
                id=item.id,
                label=item.label,
                by=one.covers.get(item.id, ()),
                quote=one.quotes.get(item.id, "") if one.covers.get(item.id) else "",
            )
            for item in inquiry.expert
        ),
        kept=order.kept,
        inverted=order.inverted,
        cyclic=order.cyclic,
        remarks=_remarks(inquiry, one.covers),
    )


def _decided(inquiry: Inquiry, one: Judgement, packet: Packet, name: str) -> Said:
    score, quote = one.scores.get(name), one.quotes.get(name, "")
    if score is None:
        return Said(why="unreadable: the judge cannot tell which cause the text gives")
    if is_misquoted(packet, score, quote):
        return Said(why="invalid: the quote does not stand in the text")
    note = "same cause: yes" if score else "same cause: no"
    for seen in inquiry.seen:
        if place := _flexible(seen, quote):
            return Said(lost=1.0 - score, quote=place, log=seen.name, note=note)
    place = _in_document(inquiry, "", 0)
    return Said(lost=1.0 - score, quote=place, log=inquiry.seen[0].name, note=note)


def _covered(inquiry: Inquiry, one: Judgement, packet: Packet) -> dict[str, Said]:
    if wrong := _misquoting(one, packet):
        why = f"invalid: the quote for {_named(wrong)} stands in none of the items it names"
        return {category.id: Said(why=why) for category in inquiry.given}
    first = next((name for name, items in one.covers.items() if items), "")
    at = (one.covers.get(first) or (0,))[0]
    quote = _in_document(inquiry, one.quotes.get(first, ""), at)
    found = {}
    for category in inquiry.given:
        if category.asked == ORDER:
            found[category.id] = _ordered(inquiry, one.covers, quote)
            continue
        label = {OBVIOUS: "obvious", EDGE: "edge"}.get(category.asked, "")
        ids = [item.id for item in inquiry.expert if label in ("", item.label)]
        lacking = [name for name in ids if not one.covers.get(name)]
        note = f"{len(ids) - len(lacking)} of {len(ids)} covered"
        if not label:
            note += "".join(f", {words}" for words in _by_label(inquiry, one.covers))
        if lacking:
            note += f"; lacking: {_named(lacking)}"
        if not label:
            note = "; ".join([note, *_remarks(inquiry, one.covers)])
        found[category.id] = Said(lost=len(lacking) / len(ids), quote=quote, note=note)
    return found


def _misquoting(one: Judgement, packet: Packet) -> list[str]:
    """Gives the requirements whose quote stands in none of the items that are named for them."""
    return [
        name
        for name, items in one.covers.items()
        if is_misquoted(packet, items, one.quotes.get(name, ""))
    ]


def _remarks(inquiry: Inquiry, covers: Mapping[str, Sequence[int]]) -> tuple[str, ...]:
    """Gives what was passed over of the list, and whether an item holds most of it by itself."""
    found = inquiry.found.remarks if inquiry.found else ()
    held = Counter(number for numbers in covers.values() for number in numbers)
    if not held or len(covers) < _FEW:
        return found
    number, n = min(held.items(), key=lambda one: (-one[1], one[0]))
    if 2 * n <= len(covers):
        return found
    return (*found, f"item {number} alone meets {n} of {len(covers)}: that takes little apart")


def _by_label(inquiry: Inquiry, covers: Mapping[str, Sequence[int]]) -> Iterator[str]:
    for label in ("obvious", "edge"):
        ids = [item.id for item in inquiry.expert if item.label == label]
        if ids:
            yield f"{label} {sum(bool(covers.get(name)) for name in ids)} of {len(ids)}"


def _ordered(inquiry: Inquiry, covers: Mapping[str, Sequence[int]], quote: str) -> Said:
    order = order_of(inquiry.expert, inquiry.items, covers)
    if order.lost is None:
        return Said(why="no dependency of the expert's lies between two items of the list")
    note = f"{len(order.kept)} of {order.n_evaluable} dependencies in order"
    for what, edges in {"inverted": order.inverted, "in a circle": order.cyclic}.items():
        if edges:
            note += f"; {what}: {_named([_words(edge) for edge in edges])}"
    if order.open:
        note += f"; {len(order.open)} not evaluable, an end is not covered"
    if order.merged:
        note += f"; {len(order.merged)} within one item"
    if wrong := (*order.inverted, *order.cyclic):
        quote = _in_document(inquiry, "", covers[wrong[0][0]][0])
    return Said(lost=order.lost, quote=quote, note=note)


def _checkable(inquiry: Inquiry, one: Judgement, packet: Packet) -> Said:
    n, shown = len(inquiry.items), packet.options[0].text
    scores = {int(name.removeprefix("item-")): score for name, score in one.scores.items()}
    wrong = [name for name, quote in one.quotes.items() if one.scores[name] and quote not in shown]
    if wrong:
        return Said(why=f"invalid: the quote for {_named(wrong)} does not stand in the text")
    worst = min(range(1, n + 1), key=lambda number: scores.get(number, 0.0))
    unsaid = n - len(scores)
    note = f"mean {sum(scores.values()) / n:.2f} over {n} items"
    if unsaid:
        note += f"; {unsaid} say nothing of when they are done"
    quote = _in_document(inquiry, "", worst)
    return Said(lost=1.0 - sum(scores.values()) / n, quote=quote, note=note)


def _in_document(inquiry: Inquiry, quote: str, number: int) -> str:
    """Gives words as they stand in the document: the quote, or else where its item begins.

    A quote is of the text as it was shown, in which an item is one line and names are masked.
    """
    seen = inquiry.seen[0]
    if place := _flexible(seen, quote):
        return place
    lines = seen.text.split("\n")
    line = inquiry.items[number - 1].line if 0 < number <= len(inquiry.items) else 0
    told = lines[line - 1].strip() if line else ""
    told = told or next((one.strip() for one in reversed(lines) if one.strip()), "")
    return max(_ODD.split(told), key=len)[:_LONGEST].strip()


def _flexible(seen: Page, quote: str) -> str:
    """Gives a quote as a document has it, whatever its white space; empty where it has it not."""
    if not quote.strip():
        return ""
    found = re.search(r"\s+".join(map(re.escape, quote.split())), seen.text)
    return found.group() if found else ""


def _words(edge: Edge) -> str:
    return f"{edge[0]} before {edge[1]}"


def _named(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
