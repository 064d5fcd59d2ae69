"""Hypotheses of an outcome study: claimed in the study file, held against it, sealed with it."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from equipoise.errors import NotEstimable, Tampered
from equipoise.pipeline.study_files import seal_of
from equipoise.records.codec import decode
from equipoise.records.plan import Plan
from equipoise.stats.signflip import sign_flip
from equipoise.stats.signflip_reach import detectable_share, smallest_p
from equipoise.studies.outcome.promising import read_registered
from studies.loss.compared_loss_runs import called
from studies.outcome.planned_studies import change, planned, refused, starter

H3 = {
    "id": "H3",
    "statement": "Design digs out implicit requirements",
    "metric": "hidden_implicit",
    "direction": "better",
    "threshold": "0.1",
    "primary": "true",
}


@pytest.fixture
def study(tmp_path: Path) -> Path:
    return starter(tmp_path / "study")


@pytest.mark.requirement("OUT-41")
@pytest.mark.requirement("OUT-57")
def test_hypotheses_are_registered_with_the_seal_and_cannot_be_changed_after(study: Path) -> None:
    second = H3 | {"id": "H5", "metric": "regression", "direction": "not_worse", "primary": "false"}
    del second["threshold"]
    change(study, hypotheses=[H3, second | {"margin": "0.1", "kinds": ["fix"]}])
    assert called("plan", study).exit_code == 0
    done = called("seal", study)
    assert "2 hypotheses registered" in done.output
    registered = json.loads(study.joinpath("hypotheses.json").read_text(encoding="utf-8"))
    assert [one["id"] for one in registered] == ["H3", "H5"]
    seal = json.loads(study.joinpath("seal.json").read_text(encoding="utf-8"))
    assert {one["plan_sha256"] for one in registered} == {seal["plan_sha256"]}
    assert {one["registered_at"] for one in registered} == {seal["sealed_at"]}
    assert registered[0]["rule"] == "holm"
    assert registered[1]["rule"] is None
    assert registered[1]["scenarios"] == [
        *("i01-last-day-missing", "i03-rent-moves", "i06-undo-makes-two"),
    ]
    registered[0]["threshold"] = 0.0
    study.joinpath("hypotheses.json").write_text(json.dumps(registered), encoding="utf-8")
    plan = decode(study.joinpath("plan.json").read_bytes(), Plan)
    read = seal_of(study)
    assert read is not None
    with pytest.raises(Tampered, match="not what was registered with the plan"):
        read_registered(study, plan, read)
    done = called("verify", study)
    assert done.exit_code == 1
    assert "hypotheses.json is not what was registered with the plan" in done.output


@pytest.mark.requirement("OUT-52")
@pytest.mark.requirement("X-O2")
def test_the_plan_says_what_so_few_scenarios_can_find(study: Path) -> None:
    change(study, hypotheses=[H3 | {"kinds": ["fix"]}, H3 | {"id": "H4", "primary": "false"}])
    plan = planned(study)
    few, _ = plan.hypotheses
    assert any("H3 cannot be confirmed by its exact test" in doubt for doubt in plan.doubts)
    assert any("at least 6 are needed: write 3 more scored by" in doubt for doubt in plan.doubts)
    assert not any("H4 cannot" in doubt for doubt in plan.doubts)
    assert (len(few.scenarios), few.is_underpowered, few.detectable) == (3, True, None)
    assert "  ! H3 cannot be confirmed by its exact test" in called("seal", study).output
    study.joinpath("seal.json").unlink()
    page = study.joinpath("E2E-PLAN.md").read_text(encoding="utf-8")
    assert "- H3: 3 scenarios, smallest p 2/2^3 = 0.25; no gain can be found at all" in page
    assert "at least 6 are needed" in page
    assert r"\[measured\] \[underpowered\]" in page
    fixes = [path.name for path in study.glob("pack/fixtures/e2e/i0[1-6]*")]
    change(study, scenarios=fixes, hypotheses=[H3], without_stops="fixes alone are asked about")
    (enough,) = planned(study).hypotheses
    assert (len(enough.scenarios), enough.is_underpowered) == (6, False)
    assert enough.smallest_p == 2 / 2**6
    assert enough.detectable == pytest.approx(detectable_share(6, 0.05), abs=1e-4)
    page = study.joinpath("E2E-PLAN.md").read_text(encoding="utf-8")
    assert "smallest p 2/2^6 = 0.03125; a gain of 0.96 is found with 80 %" in page
    n = next(n for n in range(6, 65) if detectable_share(n, 0.05, threshold=0.1) <= 0.3)
    assert f"80 % (one of 0.3, the mde, over {n} scenarios)" in page
    change(study, hypotheses=[H3, H3 | {"id": "H4", "metric": "regression"}])
    plan = planned(study)
    assert [one.detectable for one in plan.hypotheses] == [None, None]  # they share 5 %
    assert sum("cannot be confirmed" in doubt for doubt in plan.doubts) == 2


@pytest.mark.requirement("OUT-41")
def test_a_study_without_hypotheses_is_exploratory_and_says_so(study: Path) -> None:
    change(study, hypotheses=None)
    assert planned(study).undecided == ("exploratory: no hypotheses were registered",)
    done = called("seal", study)
    assert "no hypotheses registered: the study is exploratory" in done.output
    assert json.loads(study.joinpath("hypotheses.json").read_text(encoding="utf-8")) == []


@pytest.mark.requirement("OUT-41")
@pytest.mark.requirement("OUT-40")
def test_claims_that_nothing_could_decide_are_refused_with_their_lines(study: Path) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"metric": "hiden_implicit"}, "did you mean 'hidden_implicit'"),
        ({"metric": "token_recall"}, "is token_recall, a diagnostic"),
        ({"metric": "checkpoint"}, "checkpoint, and no scenario that counts can be scored"),
        ({"metric": "artifact"}, "has no meaning for senior and literal"),
        ({"new": "senor"}, "is 'senor', which is no arm; wanted: one of literal, senior"),
        ({"new": "literal"}, "and base are both 'literal'"),
        ({"scenarios": ["f01-exprt"]}, "did you mean 'f01-export'"),
    ]
    change(study, hypotheses=[H3 | {"id": f"H{n}"} | c for n, (c, _) in enumerate(cases)])
    said = refused(study).splitlines()
    for number, (_, told) in enumerate(cases):
        lines = [one for one in said if f"field 'hypotheses.{number}." in one]
        assert told in "".join(lines)
        assert all("study.yaml:" in line and "mend: " in line for line in lines)
    change(study, hypotheses=[H3 | {"primary": "false"}])
    assert "has no primary hypothesis" in refused(study)
    wrong = [H3 | {"metrik": "hidden"}, H3 | {"direction": "equivalent"}]
    change(study, hypotheses=wrong)
    said = refused(study).splitlines()
    assert any("did you mean 'metric'" in line for line in said)
    assert any("equivalent stands beside threshold; mend: write margin" in line for line in said)


@pytest.mark.requirement("OUT-52")
@pytest.mark.requirement("X-O2")
def test_the_floor_is_that_of_the_exact_test() -> None:
    for n in (1, 5, 6, 8):
        assert smallest_p(n) == sign_flip([1.0] * n).p
    with pytest.raises(NotEstimable, match="more units are needed"):
        detectable_share(5, 0.05)
    assert detectable_share(6, 0.05) == pytest.approx(0.8 ** (1 / 6))
    rng = np.random.default_rng(3)
    share = detectable_share(20, 0.05, threshold=0.3)
    found = [
        sign_flip(gains - 0.3).p <= 0.05 and gains.mean() > 0.3
        for gains in (rng.random((400, 20)) < share).astype(float)
    ]
    assert np.mean(found) == pytest.approx(0.8, abs=0.06)


def test_every_scenario_that_is_named_is_run_and_none_is_drawn(study: Path) -> None:
    """How many units a loss study would need is no reason to leave a scenario out."""
    change(study, mde="0.9", hypotheses=[H3 | {"metric": "main"}])
    (one,) = planned(study).hypotheses
    plan = decode(study.joinpath("plan.json").read_bytes(), Plan)
    assert {unit.id for unit in plan.units} == set(one.scenarios)
    change(study, mde="1e-300")  # beyond what any number of units could show
    planned(study)
    change(study, mde=None, budget={"sample": "4"})
    assert "budget.sample draws units, and every scenario of the study is run" in refused(study)


def test_a_task_that_stands_there_twice_is_no_further_sample(study: Path) -> None:
    first = study / "pack/fixtures/e2e/i01-last-day-missing"
    copy = first.with_name("i11-again")
    shutil.copytree(first, copy)
    text = copy.joinpath("scenario.json").read_text(encoding="utf-8")
    copy.joinpath("scenario.json").write_text(text.replace(first.name, copy.name), encoding="utf-8")
    known = yaml.safe_load(study.joinpath("study.yaml").read_text(encoding="utf-8"))["scenarios"]
    change(study, scenarios=[*known, copy.name])
    said = refused(study)
    assert (
        "has i11-again, with the prompt and the bug and the reference and the explicit tests and "
        "the implicit tests of i01-last-day-missing: one task twice is one task"
    ) in said


def test_bounds_that_show_nothing_and_claims_of_money_alone_are_told(study: Path) -> None:
    wide = {key: H3[key] for key in H3 if key != "threshold"} | {"metric": "main"}
    change(study, hypotheses=[wide | {"direction": "equivalent", "margin": "0.9"}])
    assert any("H3 calls arms equivalent that lie 0.9 apart" in d for d in planned(study).doubts)
    change(study, hypotheses=[H3 | {"metric": "usd"}])
    assert any("no primary hypothesis is about what the arms" in d for d in planned(study).doubts)
