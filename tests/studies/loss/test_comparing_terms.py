"""What the plan fixed holds in a comparison: margins, counts of cells, options, reach."""

import math
from pathlib import Path

import numpy as np
import pytest

from equipoise.pipeline.amendments import append_amendments
from equipoise.records.codec import decode, digest
from equipoise.records.event import Amendment
from equipoise.records.suite import LossComparison
from equipoise.studies.loss.retelling import retell
from studies.loss.compared_loss_runs import (
    BROKEN,
    called,
    losses,
    made,
    names,
    result,
    row,
    two_parts,
    worse,
)
from studies.loss.made_loss_runs import Run, partition, plan, units


def test_k_is_the_plans_whatever_became_of_the_cells(tmp_path: Path) -> None:
    folder = made(tmp_path, losses("r", 0.4))
    called("compare", folder)
    comparison = result(folder)
    assert comparison.k == 4
    assert comparison.z == pytest.approx(2 + math.log(4) / 2)


def test_an_amended_margin_holds_and_is_shown(tmp_path: Path) -> None:
    folder = worse(tmp_path)
    at = "2026-01-03T00:00:00Z"
    wider = Amendment(at=at, by="operator", reason="wider", field="mde", was="0.05", now="0.29")
    assert called("compare", folder).exit_code == 1
    (place,) = folder.glob("comparisons/*")
    was = place.joinpath("regressions.json").read_bytes()
    append_amendments(folder, digest(folder.joinpath("plan.json").read_bytes()), [wider])
    assert retell(folder, place)["regressions.json"] == was  # it rests on what was in force then
    done = called("compare", folder)
    assert done.exit_code == 0
    assert result(folder).mde == 0.29
    assert "amended 2026-01-03: mde: wider" in done.output


@pytest.mark.requirement("E2E-51")
def test_a_harness_fault_changes_no_cell(tmp_path: Path) -> None:
    whole = worse(tmp_path / "whole")
    faulty = made(
        tmp_path / "faulty",
        [
            *(Run(unit=name, ending=BROKEN) for name in names("r")[:300]),
            *(
                Run(unit=one.unit, lost=one.lost, quote=one.quote, attempt=2)
                if one.unit in names("r")[:300]
                else one
                for one in losses("r", 0.4) + losses("i", 0.1)
            ),
        ],
    )
    called("compare", whole)
    done = called("compare", faulty)
    assert done.exit_code == 1
    for one, other in zip(result(whole).rows, result(faulty).rows, strict=True):
        assert (one.delta, one.se_delta) == (other.delta, other.se_delta)
    assert "300 × infrastructure_error: refused" in done.output


def test_two_archives_alone_are_compared(tmp_path: Path) -> None:
    folder = worse(tmp_path)
    new, base = (next(folder.glob(f"archive/release-{n}-*")) for n in (2, 1))
    done = called("compare", base, new, "--json")
    assert done.exit_code == 1
    assert decode(done.output.encode(), LossComparison).new_arm == "release-2"


def test_options_that_the_plan_fixed_are_refused(tmp_path: Path) -> None:
    folder = worse(tmp_path)
    done = called("compare", folder, "--margin", "0.2")
    assert done.exit_code == 2
    assert "--margin with a loss study" in done.output
    assert digest(b"") == two_parts().units_sha256


def test_reach_is_printed_and_a_run_too_small_says_so(tmp_path: Path) -> None:
    few = partition({"intent": "refund"}, weight=1.0, n_min=20)
    promised = plan((few,), units(few, names("r", 20)))
    folder = made(tmp_path, losses("r", 0.2, n=20), losses("r", 0.15, n=20), promised)
    done = called("compare", folder)
    assert "too small to clear anyone" in done.output
    found = row(folder, "intent=refund / tool_call_wrong_arg")
    assert found.reportable is not None
    assert found.reportable > 0.15
    assert found.excludable == max(found.literal_hi or 0, found.guarded_hi or 0)
    assert np.isfinite(found.excludable)
