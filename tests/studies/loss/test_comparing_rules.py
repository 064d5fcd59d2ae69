"""Each rule of a plan lists by its own critical value, and its intervals are those that decide."""

import math
from pathlib import Path

import pytest
from scipy.stats import norm

from equipoise.records.suite import LossComparison
from studies.loss.compared_loss_runs import called, losses, made, names, result
from studies.loss.made_loss_runs import Run, partition, plan, units

N = 300
ALPHA = 0.05


def compared(
    folder: Path, rule: str, changes: dict[str, float], *, is_alike: bool = False
) -> LossComparison:
    """One partition per change; release 1 loses a tenth everywhere."""
    parts = [partition({"intent": name}, weight=1 / len(changes), n_min=N) for name in changes]
    planned = [one for part in parts for one in units(part, names(part.labels["intent"], N))]
    promised = plan(parts, planned, rule=rule)
    before = [run for name in changes for run in losses(name, 0.1, 0.1, n=N)]
    after = [run for name, more in changes.items() for run in losses(name, 0.1 + more, 0.1, n=N)]
    if is_alike:
        before, after = ([alike(run) for run in runs] for runs in (before, after))
    study = made(folder, after, before, promised)
    called("compare", study)
    return result(study)


def alike(run: Run) -> Run:
    """The run with both categories lost together."""
    lost = run.lost["tool_call_wrong_arg"]
    return Run(unit=run.unit, lost={"tool_call_wrong_arg": lost, "tone_off": lost}, quote=run.quote)


CHANGES = {"a": 0.30, "b": 0.20, "c": 0.17, "d": 0.0}


def test_each_rule_has_its_own_critical_value_and_lists_by_it(tmp_path: Path) -> None:
    found = {
        rule: compared(tmp_path / rule, rule, CHANGES)
        for rule in ("seed", "bonferroni", "holm", "bh", "maxt")
    }
    k = 8
    assert found["seed"].z == pytest.approx(2 + math.log(k) / 2)
    assert found["bonferroni"].z == pytest.approx(-norm.ppf(ALPHA / 2 / k))
    listed = {rule: sum(row.is_listed for row in one.rows) for rule, one in found.items()}
    assert listed["bonferroni"] <= listed["holm"] <= listed["bh"]
    assert found["holm"].z == pytest.approx(-norm.ppf(ALPHA / 2 / (k - listed["holm"])))
    assert found["bh"].z == pytest.approx(-norm.ppf(ALPHA / 2 * max(1, listed["bh"]) / k))
    assert found["maxt"].z <= found["bonferroni"].z
    assert any("triage" in note for note in found["bh"].notes)
    for one in found.values():
        for row in one.rows:
            bounds = min(row.literal_lo or 0, row.guarded_lo or 0)
            assert row.is_listed == (bounds > one.mde)
            assert row.literal_lo == pytest.approx((row.delta or 0) - one.z * (row.se_delta or 0))


def test_cells_that_go_together_cost_less_under_max_t(tmp_path: Path) -> None:
    apart = compared(tmp_path / "apart", "maxt", {"a": 0.1})
    alike_ = compared(tmp_path / "alike", "maxt", {"a": 0.1}, is_alike=True)
    assert alike_.z == pytest.approx(-norm.ppf(ALPHA / 2), abs=0.02)
    assert alike_.z + 0.15 < apart.z
