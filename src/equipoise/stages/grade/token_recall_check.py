"""The check `token_recall`: which words of an expert's items stand in what an agent left."""

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from equipoise.errors import NotEstimable
from equipoise.records.decomposition import WorkItem
from equipoise.stages.grade.check_specs import TokenRecallSpec
from equipoise.stages.grade.finding import Found
from equipoise.stages.grade.material import Material, page, values
from equipoise.stages.grade.quoting import last_line
from equipoise.stages.grade.templates import as_text, filled, resolved

_WORD = re.compile(r"[^\W_]{3,}")
_ENDINGS = re.compile(r"(?:ing|ed|es|s)$")


def check_token_recall(spec: TokenRecallSpec, material: Material) -> Found:
    """Gives the share of the words of the expert's items that do not stand in the document.

    The mean over items. It says nothing of coverage, for the same thing can be said in other words;
    it is shown beside what a judge says of it.

    Raises:
        NotEstimable: the unit has no such items, or the agent left no such document.
    """
    known = values(material)
    try:
        given: Any = resolved(spec.items, known)
        items = msgspec.convert(given, tuple[WorkItem, ...])
    except (NotEstimable, msgspec.ValidationError) as error:
        raise NotEstimable(
            "not applicable: the scenario asks for no list", code="not_applicable"
        ) from error
    seen = page(material, f"artifacts/{filled(spec.artifact, known, as_text)}")
    found = token_recall([item.text for item in items], seen.text)
    return Found(raw=1.0 - found, places=last_line(seen), note="a diagnostic: it decides nothing")


def token_recall(expected: Sequence[str], text: str) -> float:
    """Gives the mean share of the words of each expected text that stand in the text, 0 to 1.

    Words of three letters and more, case and the commonest endings aside.

    >>> token_recall(["export rows", "empty file"], "Exports a row")
    0.5
    """
    held = _words(text)
    shares = [len(words & held) / len(words) for one in expected if (words := _words(one))]
    return sum(shares) / len(shares) if shares else 0.0


def _words(text: str) -> set[str]:
    return {_ENDINGS.sub("", word) for word in _WORD.findall(text.casefold())}
