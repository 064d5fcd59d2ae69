"""A decomposition: the items into which a large need is split, by an expert or by an agent."""

import msgspec


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
