"""The power a plan states is the power that made-up annotators find a planted difference with."""

import json
from pathlib import Path
from shutil import copytree

import numpy as np
import numpy.typing as npt
import pytest
from scipy.optimize import brentq
from scipy.special import ndtri

from equipoise.stages.plan.rating_power import PowerTerms, axis_power
from equipoise.stats.bws_sets import design_sets
from studies.rating.rating_commands import fine, outputs, write_study

FloatArray = npt.NDArray[np.float64]


def _differences(
    worth: FloatArray, n_sets: int, k: int, *, n_studies: int, raters: int = 1, spread: float = 0.0
) -> FloatArray:
    """Score of the last arm less that of the first in each of so many studies."""
    rng = np.random.default_rng(11)
    n_arms = len(worth)
    design = np.array(design_sets(n_arms, k, rng).sets)
    sets = design[np.arange(n_sets) % len(design)]
    points = np.zeros((n_studies, n_arms))
    shown = np.bincount(sets.ravel(), minlength=n_arms) * raters
    own = spread * rng.standard_normal((n_studies, n_sets, k))
    for _ in range(raters):
        values = worth[sets] + own
        best = np.argmax(values + rng.gumbel(size=values.shape), axis=2)
        against = -values + rng.gumbel(size=values.shape)
        np.put_along_axis(against, best[..., None], -np.inf, axis=2)
        worst = np.argmax(against, axis=2)
        study = np.repeat(np.arange(n_studies), n_sets)
        for place, sign in ((best, 1.0), (worst, -1.0)):
            arm = np.take_along_axis(np.broadcast_to(sets, values.shape), place[..., None], axis=2)
            np.add.at(points, (study, arm.ravel()), sign)
    scores = points / shown
    differences: FloatArray = scores[:, -1] - scores[:, 0]
    return differences


def _terms(n_arms: int, k: int, mde: float, *, correlation: float = 0.0) -> PowerTerms:
    return PowerTerms(
        n_arms=n_arms, set_size=k, mde=mde, alpha=0.05, power=0.8, correlation=correlation
    )


@pytest.mark.requirement("X-P11")
@pytest.mark.parametrize(("n_arms", "k"), [(4, 4), (3, 3), (2, 2), (7, 4), (5, 2)])
def test_the_variance_behind_the_power_is_that_of_simulated_answers(n_arms: int, k: int) -> None:
    n = 210
    found = _differences(np.zeros(n_arms), n, k, n_studies=3000).std()
    terms = _terms(n_arms, k, 0.3)
    power = axis_power("x", [1] * n, terms)
    # what is found with the planned power is (z + z_power) standard errors
    z = _z(0.05 / (2 * terms.comparisons)) + _z(0.2)
    assert power.mde_reached / z == pytest.approx(found, rel=0.05)


def _z(tail: float) -> float:
    return float(-ndtri(tail))


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


@pytest.mark.requirement("X-P11")
@pytest.mark.requirement("PIL-29")
def test_a_planted_difference_is_found_as_often_as_the_plan_says() -> None:
    worth = np.array([0.0, 0.0, 0.0, _worth(0.3)])
    terms = _terms(4, 4, 0.3)
    n = axis_power("x", [1], terms).n_needed
    se = axis_power("x", [1] * n, terms).mde_reached / (_z(0.05 / 12) + _z(0.2))
    found = np.abs(_differences(worth, n, 4, n_studies=1500)) > _z(0.05 / 12) * se
    assert found.mean() == pytest.approx(0.8, abs=0.04)


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
