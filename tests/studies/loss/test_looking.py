"""A run that is looked at while it goes on: it ends early where the plan's rule allows it."""

from pathlib import Path

import duckdb
import numpy as np
import pytest
import scipy.stats
from numpy.typing import NDArray

from equipoise.records.plan import Plan, Stopping
from equipoise.records.suite import SuiteLook
from equipoise.stages.estimate.loss.looking import Strata, group_sequential, repeated, wealth
from equipoise.stats.intervals import Moments
from equipoise.stats.sequential import boundaries
from equipoise.studies.loss.scoring import open_run, score_run
from studies.loss.compared_loss_runs import called, losses, made, names, result
from studies.loss.made_loss_runs import Run, partition, plan, units

N = 400
PART = partition({"intent": "refund"}, weight=1.0, n_min=N)


def promised(rule: Stopping, looks: int = 4) -> Plan:
    return plan((PART,), units(PART, names("r", N)), stopping=rule, looks=looks)


def shuffled(arg: float, n_run: int) -> list[Run]:
    """The first executed units of a run, in an order that the losses know nothing of."""
    runs = losses("r", arg)
    order = np.random.default_rng(3).permutation(N)[:n_run]
    return [runs[i] for i in order]


@pytest.mark.parametrize("rule", [Stopping.OBRIEN_FLEMING, Stopping.POCOCK, Stopping.E_PROCESS])
def test_a_clear_change_ends_the_run_early_and_says_what_was_saved(
    tmp_path: Path, rule: Stopping
) -> None:
    folder = made(tmp_path, shuffled(0.7, 220), shuffled(0.1, N), promised(rule))
    done = called("compare", folder)
    assert done.exit_code == 1, done.output
    found = result(folder)
    assert found.verdict == "worse"
    assert found.look is not None
    assert (found.look.number, found.look.word, found.n_saved) == (2, "worse", 180)
    assert "180 executions saved" in done.output
    table = next(folder.glob("comparisons/*/TOP-REGRESSIONS.md")).read_text()
    assert "stopped early" in table


def test_what_is_not_decided_goes_on_to_the_next_look(tmp_path: Path) -> None:
    rule = Stopping.OBRIEN_FLEMING
    folder = made(tmp_path, shuffled(0.15, 120), shuffled(0.1, N), promised(rule))
    done = called("compare", folder)
    assert done.exit_code == 0
    assert result(folder).verdict == "cannot tell"
    assert "go on to look 2 of 4: 80 more executions" in done.output
    early = made(tmp_path / "early", shuffled(0.9, 60), shuffled(0.1, N), promised(rule))
    assert called("compare", early).exit_code == 0
    look = result(early).look
    assert look is not None
    assert (look.number, look.statistic) == (0, None)


def test_without_a_rule_a_cut_run_is_no_early_stop(tmp_path: Path) -> None:
    folder = made(tmp_path, shuffled(0.7, 220), shuffled(0.1, N), promised(Stopping.NONE))
    assert called("compare", folder).exit_code == 5
    assert result(folder).look is None


def test_a_whole_run_under_a_rule_is_compared_as_any_other(tmp_path: Path) -> None:
    folder = made(tmp_path, shuffled(0.5, N), shuffled(0.1, N), promised(Stopping.OBRIEN_FLEMING))
    assert called("compare", folder).exit_code == 1
    found = result(folder)
    assert any(row.is_listed for row in found.rows)
    with duckdb.connect() as con:
        run = open_run(next(folder.glob("archive/release-2-*")), folder)
        assert score_run(con, run, "v1").suite.completion_rate == 1.0


def facts(rule: Stopping, number: int, looks: int) -> SuiteLook:
    return SuiteLook(
        rule=rule, number=number, looks=looks, fraction=number / looks, n_executed=0, n_planned=1
    )


def strata(new: NDArray[np.float64], base: NDArray[np.float64]) -> Strata:
    def moments(x: NDArray[np.float64]) -> Moments:
        return Moments.of([float(x.size)], [x.mean()], [np.square(x - x.mean()).sum()])

    return Strata(new=moments(new), base=moments(base), weights=np.ones(1), correlation=np.zeros(1))


@pytest.mark.slow
@pytest.mark.parametrize("rule", [Stopping.OBRIEN_FLEMING, Stopping.POCOCK])
def test_at_the_margin_the_looks_together_end_no_oftener_than_alpha(rule: Stopping) -> None:
    """A true change of exactly the margin: worse is said in at most alpha/2 of the studies."""
    rng = np.random.default_rng(11)
    made_plan = promised(rule, looks=5)
    ended, studies = 0, 3000
    for _ in range(studies):
        base = (rng.random(600) < 0.2).astype(float)
        new = (rng.random(600) < 0.25).astype(float)
        ended += any(
            group_sequential(strata(new[: 120 * n], base), made_plan, facts(rule, n, 5)).word
            == "worse"
            for n in range(1, 6)
        )
    assert ended / studies <= 0.025 + 3 * np.sqrt(0.025 / studies)


def two_strata(
    new: list[NDArray[np.float64]], base: list[NDArray[np.float64]], share: float
) -> Strata:
    """Both sides with the first share of the units of each partition."""

    def moments(parts: list[NDArray[np.float64]]) -> Moments:
        held = [part[: int(share * part.size)] for part in parts]
        return Moments.of(
            [float(x.size) for x in held],
            [x.mean() for x in held],
            [np.square(x - x.mean()).sum() for x in held],
        )

    return Strata(
        new=moments(new),
        base=moments(base),
        weights=np.array([3.0, 1.0]),
        correlation=np.zeros(2),
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("looks", "sizes"), [(2, (4, 4)), (2, (8, 4)), (5, (20, 20)), (5, (200, 400))]
)
@pytest.mark.parametrize("rule", [Stopping.OBRIEN_FLEMING, Stopping.POCOCK])
@pytest.mark.parametrize("rate", [0.1, 0.5])
def test_with_no_change_all_looks_together_cry_wolf_no_oftener_than_alpha(
    rule: Stopping, looks: int, sizes: tuple[int, int], rate: float
) -> None:
    """Both arms grow from look to look, the margin is next to nothing, and nothing changed.

    Units lose all or nothing, half of it in some; at the smallest look there are two in a stratum.
    """
    rng = np.random.default_rng([21, looks, sizes[0]])
    made_plan = plan((PART,), units(PART, names("r", N)), stopping=rule, looks=looks, mde=1e-6)
    ended, studies = 0, 1500
    for _ in range(studies):
        new, base = (
            [(rng.random(n) < rate).astype(float) * rng.choice([0.5, 1.0], n) for n in sizes]
            for _ in range(2)
        )
        ended += any(
            group_sequential(
                two_strata(new, base, n / looks), made_plan, facts(rule, n, looks)
            ).word
            for n in range(1, looks + 1)
        )
    assert ended / studies <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / studies)


@pytest.mark.slow
@pytest.mark.parametrize("rule", [Stopping.OBRIEN_FLEMING, Stopping.POCOCK])
def test_repeated_limits_hold_at_all_looks_together(rule: Stopping) -> None:
    """The true difference lies outside the limits of some look in at most alpha of the studies."""
    rng = np.random.default_rng(22)
    made_plan = promised(rule, looks=4)
    missed, studies = 0, 1500
    for _ in range(studies):
        new = [(rng.random(n) < 0.4).astype(float) for n in (200, 400)]
        base = [(rng.random(n) < 0.2).astype(float) for n in (200, 400)]
        seen = [
            group_sequential(two_strata(new, base, n / 4), made_plan, facts(rule, n, 4))
            for n in range(1, 5)
        ]
        missed += any(not (one.lo or 0.0) <= 0.2 <= (one.hi or 0.0) for one in seen)
    assert missed / studies <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / studies)


def test_the_critical_value_for_all_looks_is_wider_than_for_one() -> None:
    once = 1.959964
    held = {
        rule: repeated(promised(rule, looks=5), once, 5)
        for rule in (Stopping.OBRIEN_FLEMING, Stopping.POCOCK, Stopping.E_PROCESS)
    }
    assert held[Stopping.OBRIEN_FLEMING] == pytest.approx(2.040, abs=5e-4)
    assert held[Stopping.POCOCK] == pytest.approx(2.413, abs=5e-4)
    assert held[Stopping.E_PROCESS] == pytest.approx(2.5758, abs=5e-4)
    assert repeated(promised(Stopping.OBRIEN_FLEMING, looks=5), once, 1) > 4.5
    assert repeated(promised(Stopping.NONE, looks=1), once, 1) == once


@pytest.mark.slow
def test_obrien_fleming_saves_runs_where_much_changed() -> None:
    rng = np.random.default_rng(12)
    rule = Stopping.OBRIEN_FLEMING
    made_plan = promised(rule, looks=5)
    used = []
    for _ in range(300):
        base = (rng.random(600) < 0.2).astype(float)
        new = (rng.random(600) < 0.38).astype(float)
        words = [
            group_sequential(strata(new[: 120 * n], base), made_plan, facts(rule, n, 5)).word
            for n in range(1, 6)
        ]
        used.append(words.index("worse") + 1 if "worse" in words else 5)
    assert np.mean(used) / 5 < 0.75


@pytest.mark.slow
def test_bets_at_the_margin_seldom_win_however_often_one_looks() -> None:
    """The true mean difference is the margin; wealth reaches 2/alpha in at most alpha/2."""
    rng = np.random.default_rng(13)
    made_plan = promised(Stopping.E_PROCESS)
    won, studies = 0, 2000
    for _ in range(studies):
        draws = rng.choice([-1.0, 0.0, 1.0], p=[0.1, 0.75, 0.15], size=400)
        worse, _, threshold = wealth(draws, np.zeros(400, dtype=np.int64), made_plan)
        won += worse >= threshold
    assert won / studies <= 0.025


def test_the_boundary_is_that_of_the_look() -> None:
    rule = Stopping.POCOCK
    found = group_sequential(
        strata(np.tile([0.0, 1.0], 60), np.tile([0.0, 1.0], 60)), promised(rule), facts(rule, 2, 4)
    )
    z = boundaries(4, kind="pocock").constant
    wanted = scipy.stats.t(df=2 * 119).isf(scipy.stats.norm.sf(z))
    assert found.boundary == pytest.approx(wanted)
    assert z < wanted < z + 0.05
    assert found.word == ""


@pytest.mark.parametrize("looks", [2, 5, 100])
def test_with_two_units_on_a_side_no_look_says_anything(looks: int) -> None:
    """Everything lost against nothing lost: two units cannot show it, and no look breaks."""
    pair = np.ones(2), np.zeros(2)
    for number in (1, 2):
        found = group_sequential(
            strata(*pair),
            promised(Stopping.OBRIEN_FLEMING, looks=looks),
            facts(Stopping.OBRIEN_FLEMING, number, looks),
        )
        assert found.word == ""
