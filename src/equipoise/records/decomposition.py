"""A decomposition: the items into which a large need is split, by an expert or by an agent."""

import msgspec

COVERAGE = "coverage-"
"""What the name of a document begins with that holds a `Coverage`; the rater's follows."""


class WorkItem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One item: what is to be done, what has to be done before it, and how it is seen to be done.

    Of an expert's `label` is ``obvious`` (whoever reads the need names it) or ``edge`` (whoever
    thinks of what can go wrong does); of an agent's it is empty. `depends_on` are ids of items of
    the same list. `line` is where it begins in its file, from 1; 0 = not known.
    """

    id: str
    text: str
    label: str = ""
    depends_on: tuple[str, ...] = ()
    acceptance: tuple[str, ...] = ()
    line: int = 0


class CoveredItem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One item of the expert's, and the items of the list that cover it, by number from 1.

    `quote` are words of one of them, as the rater saw them; nothing covers it = both are empty.
    """

    id: str
    label: str
    by: tuple[int, ...] = ()
    quote: str = ""


class Coverage(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    tag_field="record",
    tag="coverage",
):
    """What one rater says of an agent's list: a document of its trial, kept with its grades.

    `list` is the path of the list, `n_items` how many items of it were read, `remarks` what was
    passed over. `kept`, `inverted` and `cyclic` are the expert's dependencies, each (item, what it
    depends on), that follow from `items`; of those in none of them an end is not covered, or both
    lie in one and the same item.
    """

    rater: str
    list: str
    n_items: int
    items: tuple[CoveredItem, ...]
    kept: tuple[tuple[str, str], ...] = ()
    inverted: tuple[tuple[str, str], ...] = ()
    cyclic: tuple[tuple[str, str], ...] = ()
    remarks: tuple[str, ...] = ()
