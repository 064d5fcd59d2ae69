"""What waits for a label, and what a label does: which scenarios cannot decide as things stand."""

from collections.abc import Mapping, Sequence

from equipoise.records.triage import Flagged, Label, Triaged

_SPOILT = frozenset({Label.ORACLE, Label.FIXTURE})


def waiting(flagged: Sequence[Flagged], labels: Sequence[Triaged]) -> tuple[Flagged, ...]:
    """Gives what no label covers yet: nothing was said of it, or it was flagged for more since."""
    return tuple(one for one in flagged if not covered(one, labels))


def covered(one: Flagged, labels: Sequence[Triaged]) -> bool:
    """Says whether a label was given to this for all that it is flagged for."""
    last = label_of(one, labels)
    return last is not None and set(one.flags) <= set(last.flags)


def label_of(one: Flagged, labels: Sequence[Triaged]) -> Triaged | None:
    """Gives the last label of the very same thing, judged by the same tests; null = there is none.

    A label of a cell is about one trial: a new run of it is another thing.
    """
    same = [
        label
        for label in labels
        if (label.id, label.trial, label.oracle) == (one.id, one.trial, one.oracle)
    ]
    return same[-1] if same else None


def stale_by_label(
    labels: Sequence[Triaged], oracles: Mapping[str, Mapping[str, str]]
) -> dict[str, str]:
    """Gives the scenarios whose tests or seed are known to be wrong: scenario -> why.

    A label holds while the scenario is still decided by what it was then; of each thing the last
    label counts.

    Args:
        labels: in their order.
        oracles: scenario -> what it is decided by now, as `Triaged.oracle` has it.
    """
    last = {(one.id, one.trial): one for one in labels}
    found = {}
    for one in last.values():
        if one.label in _SPOILT and _is_same(one.oracle, oracles.get(one.scenario, {})):
            by = f"{one.at[:10]} by {one.by}"
            found[one.scenario] = f"stale: {one.label.value} ({one.note or 'no note'}; {by})"
    return found


def _is_same(then: Mapping[str, str], now: Mapping[str, str]) -> bool:
    return all(now.get(name, sha256) == sha256 for name, sha256 in then.items())
