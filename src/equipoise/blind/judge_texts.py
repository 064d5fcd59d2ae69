"""Refuses questions and criteria that name an arm, a model or a skill before anybody is asked."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain

from equipoise.blind.families import FamilyMap
from equipoise.blind.hidden import HiddenName, Hides, Sense, family_names
from equipoise.blind.leaks import Leak, find_leaks
from equipoise.errors import InputError
from equipoise.records.rating_plan import AxisPlan

_CODE = 2
"""Longest name that counts as a code (``D``, ``E1``) where it stands in capitals."""


def lint_texts(
    texts: Mapping[str, str],
    names: Sequence[HiddenName],
    families: FamilyMap,
    *,
    labels: Collection[str] = ("A", "B", "C", "D"),
) -> tuple[str, ...]:
    """Gives warnings about words of judge texts that are also names, and refuses names.

    Args:
        texts: what it is (``axis style: ask``) -> the text: asks, criteria, wordings.
        names: the names of the study.
        families: the family map; names of families that are no words are refused, involved or not.
        labels: what packets call their places; a place's letter alone is not the arm's name.

    Raises:
        InputError: a text names an arm, a model or a skill (``names_in_judge_text``).
    """
    everyone = [one for one in names if one.hides is not Hides.COUNT]
    known = chain.from_iterable(map(family_names, families.families))
    everyone += [name for name in known if name.sense is Sense.SURE]
    warnings: list[str] = []
    for what, text in texts.items():
        for leak in _named(text, everyone, labels):
            word = text[leak.start : leak.end]
            if leak.is_masked:
                raise InputError(
                    f"{what} names the {leak.hides} {leak.name!r} ({word!r})",
                    wanted="words that fit every arm: who reads a name is not blind",
                    mend="word it neutrally; say in `applies_to` which arms a criterion is for",
                    code="names_in_judge_text",
                )
            warnings.append(f"{what} has the word {word!r}, which is also a name ({leak.name})")
    return tuple(warnings)


def judge_texts(axes: Iterable[AxisPlan]) -> dict[str, str]:
    """Gives every text that axes put before raters, named for a message."""
    texts: dict[str, str] = {}
    for axis in axes:
        texts[f"axis {axis.name}: ask"] = axis.ask
        texts |= {f"axis {axis.name}: criterion {one.id}": one.text for one in axis.criteria}
        texts |= {f"axis {axis.name}: shows {name!r}": name for name in axis.shows}
        texts |= {f"axis {axis.name}: id of {one.id}": one.id for one in axis.criteria}
        texts[f"the name of axis {axis.name}"] = axis.name
    return texts


def _named(text: str, names: Iterable[HiddenName], labels: Collection[str]) -> list[Leak]:
    found = [
        leak if leak.is_masked or leak.hides is not Hides.MODEL else _sure(leak)
        for leak in find_leaks(text, names)
    ]
    for name in names:
        if name.sense is Sense.PLAIN and name.hides is Hides.ARM:
            found += _as_word(text, name, is_code=_is_code(name, labels))
    return found


def _is_code(name: HiddenName, labels: Collection[str]) -> bool:
    return len(name.name) <= _CODE and name.name.isupper() and name.name not in labels


def _sure(leak: Leak) -> Leak:
    """A model's name that is a word too is refused all the same: the text is easily changed."""
    return Leak(start=leak.start, end=leak.end, hides=leak.hides, name=leak.name, is_masked=True)


def _as_word(text: str, name: HiddenName, *, is_code: bool) -> Iterable[Leak]:
    start = text.find(name.name)
    while start >= 0:
        end = start + len(name.name)
        is_word = not text[start - 1 : start].isalnum() and not text[end : end + 1].isalnum()
        if is_word and (is_code or len(name.name) > 1):
            yield Leak(start=start, end=end, hides=name.hides, name=name.name, is_masked=is_code)
        start = text.find(name.name, start + 1)
