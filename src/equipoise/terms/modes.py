"""The four ways to hand a model its glossary, and the exchanged targets of the wrong one."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum

import numpy as np

from equipoise.errors import InputError, nearest
from equipoise.terms.fold import folded
from equipoise.terms.injection import Term

_CORE = frozenset({"C0", "C1", "C2", "C3"})


class Mode(StrEnum):
    """What of the glossary stands in the prompt."""

    NONE = "M0"
    SELECTED = "M1"
    WHOLE = "M2"
    EXCHANGED = "M3"


SAYS = {
    Mode.NONE: "no glossary",
    Mode.SELECTED: "what the chunk needs",
    Mode.WHOLE: "the whole glossary and what came before",
    Mode.EXCHANGED: "what the chunk needs, with targets of other terms",
}


def mode_of(name: str, *, where: str = "") -> Mode:
    """The mode of a name.

    Raises:
        InputError: there is no such mode; C0 to C3 are core configurations and never modes.
    """
    if name in _CORE:
        raise InputError(
            f"{name!r} is a core configuration of a pipeline and no mode of terminology",
            wanted=", ".join(Mode),
            mend="name the mode in which this core got its glossary",
            where=where,
            code="core_name",
        )
    try:
        return Mode(name)
    except ValueError:
        raise InputError(
            f"there is no mode {name!r}",
            wanted=", ".join(f"{mode} ({SAYS[mode]})" for mode in Mode),
            mend=nearest(name, list(Mode)),
            where=where,
            code="unknown_mode",
        ) from None


def exchanged(terms: Sequence[Term], rng: np.random.Generator) -> tuple[Term, ...]:
    """The terms with targets of others: none keeps its own, nor one that reads the same.

    The terms are put in a random order, grouped by target, and each takes the target that stands as
    many places on as the most frequent target is frequent.

    Raises:
        InputError: one target is that of more than half of the terms, so that it has no place.

    >>> from equipoise.terms.injection import Term
    >>> two = [Term(id=a, keys=(a,), target=b) for a, b in (("一", "раз"), ("二", "два"))]
    >>> [term.target for term in exchanged(two, np.random.default_rng(1))]
    ['два', 'раз']
    """
    counts = Counter(_same(term.target) for term in terms)
    most = max(counts.values(), default=0)
    if not terms or 2 * most > len(terms):
        raise InputError(
            f"of {len(terms)} terms {most} have one target, which no exchange can give to others",
            wanted="a target that at most half of the terms share",
            code="no_exchange",
        )
    order = [int(place) for place in rng.permutation(len(terms))]
    groups = [_same(terms[place].target) for place in order]
    rank = {group: n for n, group in enumerate(dict.fromkeys(groups))}
    order.sort(key=lambda place: rank[_same(terms[place].target)])
    found = list(terms)
    for at, place in enumerate(order):
        other = terms[order[(at + most) % len(order)]]
        found[place] = replace(terms[place], target=other.target)
    return tuple(found)


def _same(target: str) -> str:
    return folded(target).lower().replace("ё", "е").strip()
