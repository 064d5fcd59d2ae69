"""The power a plan states is the power that made-up annotators find a planted difference with."""

import json
import math
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from shutil import copytree

import numpy as np
import numpy.typing as npt
import pytest
from scipy.optimize import brentq
from scipy.stats import pearsonr, studentized_range

from equipoise.stages.plan.rating_power import PowerTerms, axis_power
from equipoise.stats.bws_differences import score_estimates
from equipoise.stats.bws_sets import design_sets
from studies.rating.rating_commands import fine, outputs, write_study

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Planted:
    """What made-up people answer: a share of sets decided by worth, the others by chance."""

    worth: FloatArray
    share: float = 1.0
    raters: int = 1
    spread: float = 0.0


def _found(planted: _Planted, n_sets: int, k: int, n_studies: int) -> tuple[float, float]:
    """How often the last arm is shown to be better than the first, and the answers' correlation."""
    rng = np.random.default_rng(11)
    n_arms = len(planted.worth)
    design = np.array(design_sets(n_arms, k, rng).sets)
    sets = design[np.arange(n_sets) % len(design)]
    rows = np.arange(n_sets)
    found, both = [], []
    for _ in range(n_studies):
        won, shown = np.zeros((n_sets, n_arms)), np.zeros((n_sets, n_arms))
        np.put_along_axis(shown, sets, float(planted.raters), axis=1)
        decided = (rng.random(n_sets) < planted.share)[:, None]
        own = planted.spread * rng.standard_normal((n_sets, k))
        each = []
        for _ in range(planted.raters):
            values = np.where(decided, planted.worth[sets], 0.0) + own
            best = np.argmax(values + rng.gumbel(size=values.shape), axis=1)
            against = -values + rng.gumbel(size=values.shape)
            against[rows, best] = -np.inf
            one = np.zeros((n_sets, n_arms))
            one[rows, sets[rows, best]] = 1.0
            one[rows, sets[rows, np.argmax(against, axis=1)]] = -1.0
            each.append(one[:, -1] - one[:, 0])
            won += one
        if planted.raters > 1:
            both.append(pearsonr(each[0], each[1]).statistic)
        scores = score_estimates([str(n) for n in range(n_arms)], won, shown)
        gap = scores.values[-1] - scores.values[0]
        c = scores.covariance
        se = np.sqrt(c[-1, -1] + c[0, 0] - 2 * c[-1, 0])
        found.append(gap > _critical(n_arms, n_sets - 1) * se)
    return float(np.mean(found)), float(np.mean(both)) if both else 0.0


@cache
def _critical(n_arms: int, df: int) -> float:
    """The critical value of limits for all pairs of equal arms: Tukey's, from another library."""
    return float(studentized_range.ppf(0.95, n_arms, df)) / math.sqrt(2.0)


def _terms(n_arms: int, k: int, mde: float, *, correlation: float = 0.0) -> PowerTerms:
    return PowerTerms(
        n_arms=n_arms, set_size=k, mde=mde, alpha=0.05, power=0.8, correlation=correlation
    )


_NO_DOUBT = 60.0


def _standing_out(n_arms: int, mde: float) -> _Planted:
    """One arm is always the best in a share of the sets; all else is by chance."""
    worth = np.zeros(n_arms)
    worth[-1] = _NO_DOUBT
    return _Planted(worth, share=mde * (n_arms - 1) / n_arms)


@pytest.mark.requirement("X-P11")
@pytest.mark.requirement("PIL-29")
@pytest.mark.parametrize(
    ("n_arms", "k", "mde"), [(4, 4, 0.3), (4, 4, 0.5), (3, 3, 0.4), (2, 2, 0.4), (7, 4, 0.4)]
)
def test_a_planted_difference_is_found_as_often_as_the_plan_says(
    n_arms: int, k: int, mde: float
) -> None:
    terms = _terms(n_arms, k, mde)
    n = axis_power("x", [1], terms).n_needed
    stated = axis_power("x", [1] * n, terms).power_reached
    found, _ = _found(_standing_out(n_arms, mde), n, k, 1500)
    assert found == pytest.approx(stated, abs=_noise(1500))


@pytest.mark.requirement("PIL-29")
@pytest.mark.parametrize(
    ("n_arms", "k", "n"), [(2, 2, 10), (2, 2, 24), (3, 3, 16), (4, 4, 12), (7, 4, 24)]
)
def test_few_texts_are_never_said_to_show_more_than_they_do(n_arms: int, k: int, n: int) -> None:
    terms = _terms(n_arms, k, 0.9)
    stated = axis_power("x", [1] * n, terms).power_reached
    found, _ = _found(_standing_out(n_arms, 0.9), n, k, 1500)
    assert found - 0.07 < stated < found + _noise(1500)


def _noise(n_studies: int) -> float:
    """Three standard errors of a share of 0.8."""
    return 3.0 * math.sqrt(0.16 / n_studies)


@pytest.mark.requirement("PIL-29")
def test_an_arm_a_little_better_in_every_set_is_found_at_least_as_often() -> None:
    worth = np.array([0.0, 0.0, 0.0, _worth(0.3)])
    n = axis_power("x", [1], _terms(4, 4, 0.3)).n_needed
    found, _ = _found(_Planted(worth), n, 4, 1000)
    assert 0.8 < found < 0.9


@pytest.mark.requirement("PIL-29")
def test_many_sets_of_few_chapters_tell_less_than_as_many_by_themselves() -> None:
    terms = _terms(4, 4, 0.5)
    chapters = [str(n % 4) for n in range(80)]
    apart = axis_power("x", [1] * 80, terms)
    few = axis_power("x", [1] * 80, terms, clusters=chapters)
    assert (apart.n_clusters, few.n_clusters) == (80, 4)
    assert apart.power_reached > 0.85
    assert few.power_reached < 0.4
    assert few.mde_reached is not None
    assert apart.mde_reached is not None
    assert few.mde_reached > 1.5 * apart.mde_reached
    one = axis_power("x", [1] * 80, terms, clusters=["a"] * 80)
    assert (one.power_reached, one.mde_reached) == (0.0, None)


@pytest.mark.requirement("PIL-29")
def test_three_people_on_a_set_are_no_three_sets() -> None:
    planted = replace(_standing_out(4, 0.3), raters=3, spread=1.0)
    _, correlation = _found(planted, 2000, 4, 20)
    assert 0.1 < correlation < 0.5
    terms = _terms(4, 4, 0.3, correlation=correlation)
    n = math.ceil(axis_power("x", [3], terms).n_needed / 3)
    stated = axis_power("x", [3] * n, terms).power_reached
    found, _ = _found(planted, n, 4, 1000)
    assert found == pytest.approx(stated, abs=_noise(1000))


def _expected(worth: FloatArray) -> float:
    """Expected difference of scores of the last arm and the first in sets of all arms."""
    best = np.exp(worth) / np.exp(worth).sum()
    worst = np.zeros(len(worth))
    for chosen, chance in enumerate(best):
        rest = np.exp(-worth)
        rest[chosen] = 0.0
        worst += chance * rest / rest.sum()
    return float((best - worst)[-1] - (best - worst)[0])


def _worth(mde: float) -> float:
    """What the last arm has to be worth, the others nothing, for this difference of scores."""
    return float(brentq(lambda w: _expected(np.array([0.0, 0.0, 0.0, w])) - mde, 0.0, 9.0))


@pytest.mark.slow
@pytest.mark.requirement("PIL-29")
def test_a_whole_study_finds_a_planted_winner_as_often_as_its_plan_says(tmp_path: Path) -> None:
    arms = ("m0", "m1", "m2", "m3")
    study = write_study(
        tmp_path / "study",
        outputs(90, arms),
        arms=arms,
        more="mde: 0.5\nretest: 0\nannotators: [{name: a}, {name: b}, {name: c}]\noverlap: 0.34\n"
        "correlation: 0\n",
    )
    for words in (("plan",), ("seal",), ("annotate", "make")):
        fine(*words, study)
    plan = json.loads(study.joinpath("plan.json").read_bytes())
    stated = plan["powers"][0]["power_reached"]
    found = []
    for seed in range(40):
        copy = copytree(study, tmp_path / f"study-{seed}")
        worth = f"m3={_worth(0.5):.4f}"
        fine("annotate", "simulate", copy, "--worth", worth, "--reliability", "1",
             "--seed", str(seed))  # fmt: skip
        fine("annotate", "collect", copy)
        fine("compare", copy)
        (ranking,) = copy.glob("comparisons/*/ranking.json")
        (axis,) = json.loads(ranking.read_bytes())["axes"]
        (pair,) = [
            one for one in axis["people"]["pairs"] if {one["arm"], one["against"]} == {"m0", "m3"}
        ]
        found.append(pair["lo"] > 0 if pair["arm"] == "m3" else pair["hi"] < 0)
    assert np.mean(found) == pytest.approx(stated, abs=0.15)
