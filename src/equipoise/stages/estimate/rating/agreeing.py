"""Agreement between people on one axis: raw, beyond chance 1/m, and over the names of the arms.

Categories are arms, never places; sets are what is resampled. With fewer annotators than were
registered, or no set that two of them judged, nothing here is computed: no-kappa mode.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from equipoise.errors import EquipoiseError, NotEstimable
from equipoise.records.ranking import AgreementShown, Coefficient
from equipoise.stages.estimate.rating.choices import Choice, FloatArray, ends
from equipoise.stats.agreement import fleiss_kappa, unit_agreement
from equipoise.stats.agreement_report import AgreementMode, agreement_mode, interval_over_sets
from equipoise.stats.cohen import cohen_kappa
from equipoise.stats.krippendorff import krippendorff_alpha

_DRAWS = 2000
_FEW_DRAWS = 400
_MOST_CATEGORIES = 200
_LEVEL = 0.95

TIE = "(tie)"
"""The category of who called all texts equal, where raters could."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """Sets that two or more people judged, for one choice.

    `local` ``(n_sets, widest set)`` counts votes by the arm's place in the first showing, `sizes`
    ``(n_sets,)`` how many options each had, `votes` who named which arm.
    """

    local: FloatArray
    sizes: FloatArray
    votes: tuple[dict[str, str], ...]


def mode_of(choices: Sequence[Choice], least: int) -> AgreementMode:
    """Says whether agreement may be shown at all.

    Args:
        choices: sound verdicts of people on study sets.
        least: registered minimum of annotators a set.
    """
    by_set = _voters(choices)
    n_most = max((len(who) for who in by_set.values()), default=0)
    n_people = len({c.who for c in choices})
    overlap = sum(len(who) >= 2 for who in by_set.values())
    found = agreement_mode(n_people, overlap, least_annotators=least)
    if found.mode == "kappa" and n_most < least:
        label = f"no set was judged by {least} annotators: pre-registered minimum not met"
        return AgreementMode(mode="no_kappa", label=label)
    return found


def agreements(choices: Sequence[Choice], seed: int) -> tuple[AgreementShown, ...]:
    """Gives the agreement on the best and, for sets of three or more, on the worst.

    Args:
        choices: sound verdicts of people; the first of each person on a set counts.
        seed: of the resamples.
    """
    found = []
    for n, name in enumerate(("best", "worst")):
        used = [c for c in choices if n == 0 or c.size > 2]
        shared = shared_sets(used, n)
        if shared is not None:
            found.append(_shown(name, shared, seed))
    return tuple(found)


def shared_sets(choices: Sequence[Choice], end: int) -> Shared | None:
    """Gives the sets with two or more votes; None where there is none.

    Args:
        choices: sound verdicts; where ties were allowed and given, a tie is one more category.
        end: 0 for the best, 1 for the worst.
    """
    has_ties = any(choice.is_tie for choice in choices)
    votes: dict[str, dict[str, str]] = defaultdict(dict)
    options: dict[str, list[str]] = {}
    for choice in choices:
        place = ends(choice)[end]
        listed = sorted(names[0] for names in choice.shown)
        options.setdefault(choice.set, [*listed, TIE] if has_ties else listed)
        named = TIE if place is None else choice.shown[place][0]
        votes[choice.set].setdefault(choice.who, named)
    kept = [name for name in sorted(votes) if len(votes[name]) >= 2]
    if not kept:
        return None
    local = np.zeros((len(kept), max(len(options[name]) for name in kept)))
    for row, name in enumerate(kept):
        for arm in votes[name].values():
            local[row, options[name].index(arm)] += 1.0
    return Shared(
        local=local,
        sizes=np.array([len(options[name]) for name in kept], dtype=np.float64),
        votes=tuple(votes[name] for name in kept),
    )


def _voters(choices: Sequence[Choice]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for choice in choices:
        found[choice.set].add(choice.who)
    return found


def _shown(name: str, shared: Shared, seed: int) -> AgreementShown:
    agree = unit_agreement(shared.local)
    chance = 1.0 / shared.sizes
    rng = np.random.default_rng([seed % 2**63, 3])
    raters = sorted({who for one in shared.votes for who in one})
    return AgreementShown(
        choice=name,
        n_sets=len(shared.sizes),
        n_raters=len(raters),
        raw=_of_means("raw agreement", agree, np.zeros_like(chance), rng),
        chance=float(chance.mean()),
        primary=_of_means("Brennan-Prediger, chance 1/m", agree, chance, rng),
        secondary=_secondary(shared, raters, seed),
    )


def _of_means(
    name: str, agree: FloatArray, chance: FloatArray, rng: np.random.Generator
) -> Coefficient:
    """Gives (mean agreement - mean chance)/(1 - mean chance) with percentile limits over sets."""
    n = len(agree)
    value = _cleared((agree.mean() - chance.mean()) / (1.0 - chance.mean()))
    if n < 2 or np.ptp(agree) < 1e-12:
        return Coefficient(name=name, value=value, why="every set agrees alike: no spread to see")
    drawn = np.empty(_DRAWS)
    for draw in range(_DRAWS):
        rows = rng.integers(0, n, n)
        c = chance[rows].mean()
        drawn[draw] = (agree[rows].mean() - c) / (1.0 - c)
    lo, hi = np.quantile(drawn, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2])
    return Coefficient(name=name, value=value, lo=_cleared(lo), hi=_cleared(hi))


def _cleared(value: float) -> float:
    return round(float(value), 12) + 0.0


def _secondary(shared: Shared, raters: Sequence[str], seed: int) -> tuple[Coefficient, ...]:
    """Gives the coefficients over names of arms that suit the data, each under its own name."""
    names = sorted({arm for one in shared.votes for arm in one.values()})
    if len(names) > _MOST_CATEGORIES:
        why = f"{len(names)} names: agreement over names says nothing here"
        return (Coefficient(name="agreement over names", value=None, why=why),)
    place = {arm: n for n, arm in enumerate(names)}
    counts = np.zeros((len(shared.votes), len(names)))
    for row, one in enumerate(shared.votes):
        for arm in one.values():
            counts[row, place[arm]] += 1.0
    is_even = bool((counts.sum(axis=1) == counts[0].sum()).all())
    wanted: list[tuple[str, Callable[[FloatArray], float]]] = []
    if is_even and counts[0].sum() >= 3:
        wanted.append(("Fleiss' kappa", fleiss_kappa))
    wanted.append(("Krippendorff's alpha, nominal", krippendorff_alpha))
    found = [_resampled(name, counts, f, seed) for name, f in wanted]
    if len(raters) == 2:
        found.append(_cohen(shared, raters, place))
    return tuple(found)


def _resampled(
    name: str, counts: FloatArray, coefficient: Callable[[FloatArray], float], seed: int
) -> Coefficient:
    rng = np.random.default_rng([seed % 2**63, 4])
    try:
        value = coefficient(counts)
    except EquipoiseError as error:
        return Coefficient(name=name, value=None, why=str(error))
    try:
        over = interval_over_sets(
            lambda rows: coefficient(counts[rows]), len(counts), rng, draws=_FEW_DRAWS
        )
    except NotEstimable as error:
        return Coefficient(name=name, value=value, why=str(error))
    return Coefficient(name=name, value=value, lo=over.low, hi=over.high)


def _cohen(shared: Shared, raters: Sequence[str], place: dict[str, int]) -> Coefficient:
    name = "Cohen's kappa"
    table = np.zeros((len(place), len(place)))
    for one in shared.votes:
        if len(one) == 2:
            table[place[one[raters[0]]], place[one[raters[1]]]] += 1.0
    try:
        return Coefficient(name=name, value=cohen_kappa(table).value)
    except EquipoiseError as error:
        return Coefficient(name=name, value=None, why=str(error))


def is_below(found: Sequence[AgreementShown], least: float | None) -> bool:
    """Says whether the primary coefficient on the best lies below the registered minimum."""
    if least is None or not found:
        return False
    value = found[0].primary.value
    return value is None or value < least
