"""Agreement between annotators, from what packets show: the same texts are the same set.

The app has no key. Two packets with the same axis, question, documents and texts show the same set,
in whatever places; an option is known by its text.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.annotate.campaign import Campaign
from equipoise.errors import NotEstimable
from equipoise.records.answer import Answer, AnswerKind, standing
from equipoise.records.codec import identity_of
from equipoise.records.packet import Packet
from equipoise.stats.agreement import brennan_prediger, observed_agreement
from equipoise.stats.agreement_report import AgreementInterval, agreement_mode, interval_over_sets

_DRAWS = 400
_SEED = 20_230_101


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreed:
    """How often two people chose alike: raw, by chance, and beyond chance with its interval.

    `why` says why there is no number, or no interval.
    """

    raw: float | None
    chance: float | None
    beyond: float | None
    interval: AgreementInterval | None
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AxisAgreement:
    """Agreement on one axis, on the best and on the worst apart; axes are never combined."""

    axis: str
    n_sets: int
    n_overlapping: int
    n_annotators: int
    mode: str
    label: str
    best: Agreed
    worst: Agreed
    is_paired: bool = False
    """Whether all its sets are of two texts: the worst is then the other one, and says no more."""


def agreements(campaign: Campaign, answers: Sequence[Answer]) -> tuple[AxisAgreement, ...]:
    """Gives the agreement on each axis, of sets that two or more people judged; checks left out.

    Of a set that one person judged twice, the first answer counts.
    """
    choices: dict[str, dict[str, dict[str, tuple[int, int, int]]]] = defaultdict(dict)
    for (who, packet_id), one in sorted(standing(answers).items(), key=lambda pair: pair[1].seq):
        packet = campaign.packets.get(packet_id)
        if packet is None or one.kind is not AnswerKind.GIVEN or packet_id in campaign.checks:
            continue
        if one.best is None or one.worst is None:
            continue
        ranks = _ranks(packet)
        sets = choices[packet.axis].setdefault(_set(packet), {})
        sets.setdefault(who, (ranks[one.best], ranks[one.worst], len(packet.options)))
    sizes: dict[str, set[int]] = defaultdict(set)
    for packet in campaign.packets.values():
        sizes[packet.axis].add(len(packet.options))
    return tuple(
        _axis(axis, choices.get(axis, {}), is_paired=sizes[axis] == {2}) for axis in sorted(sizes)
    )


def _axis(
    axis: str, sets: dict[str, dict[str, tuple[int, int, int]]], *, is_paired: bool
) -> AxisAgreement:
    shared = [[*people.values()] for people in sets.values() if len(people) > 1]
    people = {who for found in sets.values() for who in found}
    mode = agreement_mode(len(people), len(shared))
    best, worst = (_agreed(shared, role) for role in (0, 1))
    return AxisAgreement(
        axis=axis,
        n_sets=len(sets),
        n_overlapping=len(shared),
        n_annotators=len(people),
        mode=mode.mode,
        label=mode.label,
        best=best,
        worst=worst,
        is_paired=is_paired,
    )


def _agreed(shared: list[list[tuple[int, int, int]]], role: int) -> Agreed:
    """Gives agreement on one role; chance is one over the size of each set."""
    if not shared:
        return Agreed(raw=None, chance=None, beyond=None, interval=None, why="no overlap")
    sizes = np.array([people[0][2] for people in shared])
    counts: npt.NDArray[np.float64] = np.zeros((len(shared), int(sizes.max())))
    for row, people in enumerate(shared):
        for one in people:
            counts[row, one[role]] += 1.0
    try:
        beyond = brennan_prediger(counts, sizes)
    except NotEstimable as error:
        return Agreed(raw=None, chance=None, beyond=None, interval=None, why=error.why)
    interval, why = None, ""
    try:
        interval = interval_over_sets(
            lambda rows: brennan_prediger(counts[rows], sizes[rows]),
            len(shared),
            np.random.default_rng(_SEED),
            draws=_DRAWS,
        )
    except NotEstimable as error:
        why = error.why
    return Agreed(
        raw=observed_agreement(counts),
        chance=float((1.0 / sizes).mean()),
        beyond=beyond,
        interval=interval,
        why=why,
    )


def _set(packet: Packet) -> str:
    """Gives the same name to packets that show the same set."""
    docs = [[doc.name, doc.text] for doc in packet.docs]
    texts = sorted(option.text for option in packet.options)
    return identity_of(packet.axis, packet.ask, packet.prompt, docs, texts)


def _ranks(packet: Packet) -> list[int]:
    """Gives each place a number that is the same wherever its text stands in another packet."""
    order = sorted(range(len(packet.options)), key=lambda at: packet.options[at].text)
    ranks = [0] * len(order)
    for rank, at in enumerate(order):
        ranks[at] = rank
    return ranks
