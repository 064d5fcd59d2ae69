"""Whether a list of work items keeps the order that an expert's dependencies ask for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from equipoise.records.decomposition import WorkItem

Edge = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What became of the expert's dependencies, each (item, what it depends on).

    `kept` are in order, by what the list says or else by where its items stand; `inverted` the
    other way round; `cyclic` both ways at once. `open` are those of which an end is covered by
    nothing, `merged` those whose ends lie in one and the same item: they say nothing.
    """

    kept: tuple[Edge, ...] = ()
    inverted: tuple[Edge, ...] = ()
    cyclic: tuple[Edge, ...] = ()
    open: tuple[Edge, ...] = ()
    merged: tuple[Edge, ...] = ()

    @property
    def n_evaluable(self) -> int:
        """Gives how many dependencies can be told of."""
        return len(self.kept) + len(self.inverted) + len(self.cyclic)

    @property
    def lost(self) -> float | None:
        """Gives the share that is not kept; null where none can be told of."""
        if not self.n_evaluable:
            return None
        return 1 - len(self.kept) / self.n_evaluable


def order_of(
    expert: Sequence[WorkItem], items: Sequence[WorkItem], covers: Mapping[str, Sequence[int]]
) -> Order:
    """Gives what becomes of each dependency between two items of the expert's.

    Where both are covered by the same item alone, nothing was put in order. What the list says
    counts first, over any number of steps; where it says nothing of two items, the order in which
    they stand does: so that a list without any dependency is not in order for saying nothing.

    Args:
        expert: the expert's items.
        items: the list's.
        covers: expert id -> the numbers, from 1, of the items that cover it.
    """
    after = _reached(items)
    found: dict[str, list[Edge]] = {
        state: [] for state in ("kept", "inverted", "cyclic", "open", "merged")
    }
    for item in expert:
        for name in item.depends_on:
            ends = (set(covers.get(item.id, ())), set(covers.get(name, ())))
            found[_state(ends, after)].append((item.id, name))
    return Order(**{state: tuple(edges) for state, edges in found.items()})


def cycle_in(items: Sequence[WorkItem]) -> tuple[str, ...]:
    """Gives the ids of a cycle in the dependencies, the first one twice; none = there is none."""
    needs = {item.id: item.depends_on for item in items}
    done: set[str] = set()
    for start in needs:
        path: list[str] = []
        stack = [(start, 0)]
        while stack:
            name, at = stack.pop()
            if at == 0:
                if name in path:
                    return (*path[path.index(name) :], name)
                if name in done:
                    continue
                path.append(name)
            following = [one for one in needs.get(name, ()) if one in needs]
            if at < len(following):
                stack += [(name, at + 1), (following[at], 0)]
            else:
                done.add(name)
                path.pop()
    return ()


def _state(ends: tuple[set[int], set[int]], after: Mapping[int, set[int]]) -> str:
    """Gives the state of a dependency of the first end on the second."""
    later, earlier = ends
    if not later or not earlier:
        return "open"
    pairs = [(a, b) for a in later for b in earlier if a != b]
    if not pairs:
        return "merged"
    says_right = any(b in after[a] for a, b in pairs)
    says_wrong = any(a in after[b] for a, b in pairs)
    if says_right and says_wrong:
        return "cyclic"
    if says_right or says_wrong:
        return "kept" if says_right else "inverted"
    return "inverted" if max(later) < min(earlier) else "kept"


def _reached(items: Sequence[WorkItem]) -> dict[int, set[int]]:
    """Gives, by number, every item that one depends on, over any number of steps."""
    number_of: dict[str, int] = {}
    for number, item in enumerate(items, start=1):
        number_of.setdefault(item.id, number)
    needs = {
        number: {number_of[name] for name in item.depends_on if name in number_of} - {number}
        for number, item in enumerate(items, start=1)
    }
    found: dict[int, set[int]] = {}
    for number, direct in needs.items():
        seen: set[int] = set()
        todo = [*direct]
        while todo:
            one = todo.pop()
            if one not in seen:
                seen.add(one)
                todo += needs[one]
        found[number] = seen
    return found
