"""A ranking told in the terminal: each axis's words, what people agree on, and where to look."""

from collections.abc import Iterator
from pathlib import Path

from equipoise.errors import as_word
from equipoise.records.counted import counted
from equipoise.records.ranking import AxisShown, PairShown, Ranking
from equipoise.stages.report.rating.ranked import caveats, pair_said
from equipoise.stages.report.text import label

_MARKS = {"better": "+", "worse": "-", "equivalent": "=", "cannot tell": "?", "not evaluable": "x"}
_MOST = 10


def told(ranking: Ranking, folder: Path) -> str:
    """Gives the text that `compare` prints about a rating study."""
    lines = [label(ranking.title, 160)]
    if ranking.is_simulated:
        lines.append("Simulated ratings: nothing here speaks of real systems or people.")
    for rule in ranking.rules:
        lines += [
            f"{_MARKS[rule.word]} {rule.arm}: {rule.word.upper()} against {rule.against}",
            f"    by its rule{_tags(rule.tags)}",
            f"    {rule.said}",
        ]
    for axis in ranking.axes:
        lines += ["", *_axis(axis)]
    lines += ["", *(f"note: {said}" for said in (*caveats(ranking), *ranking.notes))]
    lines += [
        f"report   {folder / 'report' / 'index.html'}",
        f"files    {folder / 'ranking.json'}",
        f"verify   equipoise verify {as_word(folder.parent.parent)}",
    ]
    return "\n".join(lines).replace("\u2060", "") + "\n"


def _axis(axis: AxisShown) -> Iterator[str]:
    yield f"{axis.axis}: {label(axis.ask, 400)}"
    yield from (f"  {label(note, 400)}" for note in axis.notes)
    found = axis.deciding
    if found is None or not found.pairs:
        yield f"x not evaluable: {axis.decides} gave no verdict here{_tags(axis.tags)}"
    else:
        verdicts = f"{counted(found.n_answers, 'verdict')} on {counted(found.n_sets, 'set')}"
        yield f"  by {axis.decides}, {verdicts}{_tags(axis.tags)}"
        for pair in found.pairs[:_MOST]:
            yield from _pair(pair)
        if len(found.pairs) > _MOST:
            yield f"  and {len(found.pairs) - _MOST:,} more pairs in the report"
    for one in axis.agreement:
        if one.raw.value is None or one.primary.value is None:
            continue
        lo, hi = one.primary.lo, one.primary.hi
        limits = f", 95 % limits {lo:.3f} to {hi:.3f}" if lo is not None and hi is not None else ""
        yield (
            f"  people agree on the {one.choice}: {one.raw.value:.3f} of the time, by chance "
            f"{one.chance:.3f}; beyond chance {one.primary.value:.3f}{limits}"
        )


def _pair(pair: PairShown) -> Iterator[str]:
    yield f"{_MARKS[pair.word]} {pair_said(pair)}"
    yield f"    {pair.said}"
    if pair.needed:
        yield f"    to tell: {pair.needed}"


def _tags(tags: tuple[str, ...]) -> str:
    return "".join(f"  [{tag}]" if n == 0 else f" [{tag}]" for n, tag in enumerate(tags))
