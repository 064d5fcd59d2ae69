"""The table of decompositions: which of the expert's items the lists of each arm cover."""

from collections.abc import Iterator

from equipoise.records.outcome import OutcomeResult
from equipoise.stages.report.outcome.reading import OutcomeReading
from equipoise.stages.report.tables import Cell, Section, Table, named, table
from equipoise.stages.report.text import label

_MOST = 200
_SOFT = "[soft]"


def lists_section(reading: OutcomeReading) -> Section | None:
    """Gives each item of the experts' with how often it is covered; null where none was judged."""
    judged = [one for one in reading.results if one.lists]
    if not judged:
        return None
    arms = [arm.arm for arm in reading.pair]
    rows = list(_items(judged, arms))
    tables = [
        _table("Items of the expert's", ("Item", "Label"), rows[:_MOST], arms, none="no list")
    ]
    if orders := list(_orders(judged, arms)):
        heads = ("Dependency of the expert's", "Scenario")
        tables.append(
            _table(
                "Dependencies that are in order", heads, orders[:_MOST], arms, none="not evaluable"
            )
        )
    return Section(
        anchor="lists",
        title="What the lists hold",
        short="Lists",
        leads=(
            (
                "A judge says which items of an agent's list cover each item of an expert's, with "
                "words of one of them; order follows from that. Counted are readings: a list is "
                "read once by each judge that was asked, and a list that was not left by none. "
                "[soft] until the judge is held against people."
            ),
        ),
        tables=tuple(tables),
        notes=(f"{len(rows) - _MOST} more in outcome-results.jsonl.",) if len(rows) > _MOST else (),
    )


_Row = tuple[Cell, Cell, dict[str, tuple[int, int]]]


def _table(
    caption: str, heads: tuple[str, str], rows: list[_Row], arms: list[str], *, none: str
) -> Table:
    columns = (*heads, *(f"#{label(arm)}" for arm in arms))
    return table(
        caption,
        columns,
        [
            (first, second, *(_told(counts, arm, none) for arm in arms))
            for first, second, counts in rows
        ],
    )


def _told(counts: dict[str, tuple[int, int]], arm: str, none: str) -> Cell:
    if arm not in counts:
        return Cell(text=none)
    n, of = counts[arm]
    return Cell(text=f"{n} of {of}", note=_SOFT)


def _items(judged: list[OutcomeResult], arms: list[str]) -> Iterator[_Row]:
    found: dict[tuple[str, str, str], dict[str, tuple[int, int]]] = {}
    for one in judged:
        for told in one.lists if one.arm in arms else ():
            for item in told.items:
                _count(
                    found.setdefault((one.scenario, item.id, item.label), {}),
                    one,
                    is_so=bool(item.by),
                )
    for (scenario, name, kind), counts in found.items():
        yield Cell(text=label(name), note=label(scenario)), Cell(text=kind), counts


def _orders(judged: list[OutcomeResult], arms: list[str]) -> Iterator[_Row]:
    found: dict[tuple[str, str], dict[str, tuple[int, int]]] = {}
    for one in judged:
        for told in one.lists if one.arm in arms else ():
            for edges, is_kept in (
                (told.kept, True),
                (told.inverted, False),
                (told.cyclic, False),
            ):
                for later, earlier in edges:
                    key = (one.scenario, f"{later} after {earlier}")
                    _count(found.setdefault(key, {}), one, is_so=is_kept)
    for (scenario, words), counts in found.items():
        yield Cell(text=label(words, 100)), named(scenario), counts


def _count(counts: dict[str, tuple[int, int]], one: OutcomeResult, *, is_so: bool) -> None:
    n, of = counts.get(one.arm, (0, 0))
    counts[one.arm] = (n + is_so, of + 1)
