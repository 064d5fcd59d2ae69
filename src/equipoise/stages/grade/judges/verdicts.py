"""From a judge's repeats about one set to its verdict there: both orders count alike."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from equipoise.records.judgement import Judgement, ReadState

_LEVEL = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class SetVerdict:
    """What one judge says of one set.

    `best` is the arm that it prefers over all orders, each weighed alike; "" = a tie: no arm is
    ahead, or too few repeats can be read (`has_quorum`). `first_share` is how often the first place
    was the best, of the repeats that name one (null = none does).
    """

    best: str
    shares: Mapping[str, float]
    n_repeats: int
    n_read: int
    has_quorum: bool
    first_share: float | None

    @property
    def is_tie(self) -> bool:
        """Says whether the repeats give no majority after the places were swapped."""
        return self.has_quorum and not self.best


def set_verdict(
    said: Iterable[tuple[Sequence[str], Judgement]], *, n_repeats: int, quorum: float
) -> SetVerdict:
    """Gives a judge's verdict on one set.

    Within each order the repeats are averaged, then the orders: so that a judge that looks at
    places alone is tied, whatever of its answers could be read. A tie counts half for each of a
    pair, and an equal part for each of a larger set. An order of which nothing can be read leaves
    no verdict.

    Args:
        said: the standing judgements, each with the arms at its places.
        n_repeats: how many were to be asked.
        quorum: smallest share of them that must be readable.
    """
    by_order: dict[int, list[Mapping[str, float]]] = {}
    arms: dict[str, None] = {}
    n_read = n_first = n_chosen = 0
    orders = set()
    for places, one in said:
        arms |= dict.fromkeys(places)
        orders.add(one.order)
        if one.state is not ReadState.READ:
            continue
        n_read += 1
        if one.is_tie or one.best is None:
            credit = dict.fromkeys(places, 1.0 / len(places))
        else:
            credit = {places[one.best]: 1.0}
            n_chosen += 1
            n_first += one.best == 0
        by_order.setdefault(one.order, []).append(credit)
    has_quorum = n_read >= quorum * n_repeats and n_read > 0 and set(by_order) == orders
    shares = _averaged(arms, by_order) if by_order else {}
    return SetVerdict(
        best=_ahead(shares) if has_quorum else "",
        shares=shares,
        n_repeats=n_repeats,
        n_read=n_read,
        has_quorum=has_quorum,
        first_share=n_first / n_chosen if n_chosen else None,
    )


def _averaged(
    arms: Iterable[str], by_order: Mapping[int, Sequence[Mapping[str, float]]]
) -> dict[str, float]:
    within = []
    for credits_ in by_order.values():
        total: defaultdict[str, float] = defaultdict(float)
        for credit in credits_:
            for arm, share in credit.items():
                total[arm] += share
        within.append({arm: total[arm] / len(credits_) for arm in arms})
    return {arm: sum(one[arm] for one in within) / len(within) for arm in arms}


def _ahead(shares: Mapping[str, float]) -> str:
    best = max(shares.values())
    names = [arm for arm, share in shares.items() if share > best - _LEVEL]
    return names[0] if len(names) == 1 else ""
