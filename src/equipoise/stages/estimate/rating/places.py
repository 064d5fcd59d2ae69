"""Whether the place at which an output stood had a say in whether it was chosen."""

from collections.abc import Sequence

from equipoise.records.ranking import PlaceCount
from equipoise.stages.estimate.rating.choices import Choice, ends
from equipoise.stats.agreement_report import position_test


def places_of(choices: Sequence[Choice]) -> tuple[PlaceCount, ...]:
    """Gives the test of even places for the best and for the worst; of pairs for the best only.

    Args:
        choices: sound verdicts.
    """
    found = []
    is_one_order = _is_one_order(choices)
    for n, name in enumerate(("best", "worst")):
        told = [(ends(c)[n], c.size) for c in choices if n == 0 or c.size > 2]
        chosen = [(place, size) for place, size in told if place is not None]
        if not chosen:
            continue
        test = position_test([place for place, _ in chosen], [size for _, size in chosen])
        found.append(
            PlaceCount(
                choice=name,
                chosen=test.chosen,
                expected=test.expected,
                chi_square=test.chi_square,
                df=test.df,
                p=test.p,
                smallest_expected=test.smallest_expected,
                is_one_order=is_one_order,
            )
        )
    return tuple(found)


def _is_one_order(choices: Sequence[Choice]) -> bool:
    """Says whether no set that was judged more than once was ever shown in two orders."""
    seen: dict[str, tuple[tuple[str, ...], ...]] = {}
    is_repeated = False
    for choice in choices:
        first = seen.setdefault(choice.set, choice.shown)
        if first is not choice.shown:
            is_repeated = True
            if first != choice.shown:
                return False
    return is_repeated
