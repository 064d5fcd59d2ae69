"""Lets made-up annotators of known reliability rate a campaign; each answer says so."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import numpy.typing as npt

from equipoise.annotate.answers import open_store
from equipoise.annotate.campaign import Campaign, read_campaign
from equipoise.annotate.standing import stand
from equipoise.annotate.store import Database, Overtaken, Store
from equipoise.blind.keys import read_keys
from equipoise.errors import Blocked, InputError
from equipoise.records.answer import Answer
from equipoise.records.codec import digest
from equipoise.records.packet import PacketKey
from equipoise.records.rating_plan import RatingSet
from equipoise.stages.plan.rating_sets import rng_of
from equipoise.studies.rating.made import CAMPAIGN, refuse_other_plan
from equipoise.studies.rating.making import KEYS
from equipoise.studies.rating.sealing import sealed_rating

SOURCE = "simulated"
_SPOILED = -1e6


@dataclass(frozen=True, slots=True, kw_only=True)
class Mind:
    """How made-up annotators choose.

    Attributes:
        worth: arm -> what its outputs are worth; differences of 1 are an odds ratio of e.
        reliability: share of sets that they look at; else they choose by chance.
        spread: standard deviation of what an output is worth beside its arm, the same for all.
        seed: what they choose follows from it.
        seconds: what each set takes them.
    """

    worth: Mapping[str, float]
    reliability: float = 1.0
    spread: float = 0.0
    seed: int = 1
    seconds: float = 20.0

    @property
    def source(self) -> str:
        """Gives what answers name as their source: the hash of all they follow from, no arm."""
        worths = sorted((arm, float(value)) for arm, value in self.worth.items() if value)
        told = repr((worths, float(self.reliability), float(self.spread), self.seed))
        return f"{SOURCE}: mind {digest(told.encode())[:12]}"


def simulate(
    study: Path,
    mind: Mind,
    *,
    now: datetime,
    people: tuple[str, ...] = (),
    database: Database | None = None,
) -> int:
    """Answers every open set of the campaign, and gives how many answers that took.

    The best is drawn with probability proportional to exp(worth), the worst of the others to
    exp(-worth); what a spoiled copy is worth is beyond all. They know the key: what they say is no
    evidence about anything but this program, and `is_simulated` says so in each answer.

    Args:
        study: the folder of a sealed study with its campaign.
        mind: how they choose.
        now: the time of the first answer.
        people: who answers; nobody named = everyone.
        database: where answers are kept, if not in the campaign's own file.

    Raises:
        Blocked: it is not sealed, there is no campaign, or people have answered it already.
        InputError: nobody has such a name, or an arm has no worth.
    """
    plan, content, _ = sealed_rating(study)
    refuse_other_plan(study, content)
    campaign = read_campaign(study)
    if strangers := [arm for arm in mind.worth if arm not in plan.arms]:
        raise InputError(
            f"no arm {', '.join(strangers)}", wanted=f"worths of {', '.join(plan.arms)}", code="arm"
        )
    if unknown := [name for name in people if name not in campaign.lists]:
        raise InputError(
            f"no annotator {', '.join(unknown)}",
            wanted=f"one of {', '.join(campaign.lists)}",
            code="unknown_annotator",
        )
    deciding = _Deciding(
        mind=mind,
        keys={key.packet: key for key in read_keys(study / CAMPAIGN / KEYS)},
        sets={one.id: one for one in plan.sets},
    )
    store = open_store(study, database)
    n = 0
    try:
        if any(not one.is_simulated for one in store.all()):
            raise Blocked(
                "people have answered this campaign, and made-up answers are never mixed with "
                "theirs; mend: simulate in a copy of the study"
            )
        for name in people or tuple(campaign.lists):
            n += _rate(name, campaign, store, deciding, now)
    finally:
        store.close()
    return n


@dataclass(frozen=True, slots=True, kw_only=True)
class _Deciding:
    """What a made-up annotator goes by: his mind, and what nobody else may know."""

    mind: Mind
    keys: Mapping[str, PacketKey]
    sets: Mapping[str, RatingSet]

    def values(self, packet: str) -> npt.NDArray[np.float64]:
        """Gives what the text at each place is worth; a spoiled one is beyond all."""
        key, mind = self.keys[packet], self.mind
        one = self.sets[key.set]
        found = []
        for arm in key.arms:
            own = rng_of(mind.seed, "output", one.unit, arm).standard_normal()
            found.append(mind.worth.get(arm, 0.0) + mind.spread * float(own))
        if one.worst is not None:
            found[key.arms.index(one.worst)] = _SPOILED
        return np.array(found)


def _rate(name: str, campaign: Campaign, store: Store, deciding: _Deciding, now: datetime) -> int:
    """Answers the open sets of one annotator, and gives how many answers that took."""
    mind = deciding.mind
    rng = rng_of(mind.seed, "mind", name)
    answers = store.of(name)
    others = {one.source for one in answers if one.source.startswith(f"{SOURCE}:")} - {mind.source}
    if others:
        raise Blocked(
            f"{name} has answered with other worths, reliability, spread or seed, and answers are "
            "never replaced; mend: simulate in a fresh copy of the study"
        )
    n = 0
    while (stands := stand(campaign, name, answers)).packet is not None:
        best, worst = _choose(deciding.values(stands.packet), mind.reliability, rng)
        at = now + timedelta(seconds=mind.seconds * stands.turn)
        given = Answer(
            seq=0,
            annotator=name,
            packet=stands.packet,
            best=best,
            worst=worst,
            at=at.isoformat(timespec="milliseconds"),
            seconds=mind.seconds,
            n_actions=2,
            attempt=stands.attempt,
            is_simulated=True,
            source=mind.source,
        )
        try:
            answers.append(store.append(stands.turn, given))
        except Overtaken:
            raise Blocked(
                f"somebody answers as {name} meanwhile; mend: simulate in a copy of the study"
            ) from None
        n += 1
    return n


def _choose(
    values: npt.NDArray[np.float64], reliability: float, rng: np.random.Generator
) -> tuple[int, int]:
    """Gives the places of the best and the worst; by chance where they do not look."""
    n = len(values)
    if rng.random() >= reliability:
        best, worst = rng.choice(n, size=2, replace=False)
        return int(best), int(worst)
    best = int(np.argmax(values + rng.gumbel(size=n)))
    against = -values + rng.gumbel(size=n)
    against[best] = -np.inf
    return best, int(np.argmax(against))
