"""Hypotheses of an outcome study: claimed in the study file, held against it, sealed with it."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

import equipoise
from equipoise.errors import NotEstimable, Tampered
from equipoise.pipeline.study_files import seal_of
from equipoise.records.codec import decode
from equipoise.records.outcome_plan import OutcomePlan
from equipoise.records.plan import Plan
from equipoise.stats.signflip import sign_flip
from equipoise.stats.signflip_reach import detectable_share, smallest_p
from equipoise.studies.outcome.promising import read_registered
from studies.loss.compared_loss_runs import called

EXAMPLES = Path(equipoise.__file__).parent / "examples"
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
    """The starter of outcome studies, with the built-in pack."""
    folder = tmp_path / "study"
    shutil.copytree(EXAMPLES / "starter_outcome", folder)
    shutil.copytree(EXAMPLES / "workshop", folder / "pack")
    return folder


def claims(study: Path, *hypotheses: dict[str, Any], **keys: Any) -> None:
    path = study / "study.yaml"
    given = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
    given |= {"hypotheses": list(hypotheses), **keys}
    path.write_text(yaml.safe_dump(given), encoding="utf-8")


def outcome(study: Path) -> OutcomePlan:
    plan = decode(study.joinpath("plan.json").read_bytes(), Plan)
    assert isinstance(plan.outcome, OutcomePlan)
    return plan.outcome


@pytest.mark.requirement("OUT-41")
@pytest.mark.requirement("OUT-57")
def test_hypotheses_are_registered_with_the_seal_and_cannot_be_changed_after(study: Path) -> None:
    second = H3 | {"id": "H5", "metric": "regression", "direction": "not_worse", "primary": "false"}
    del second["threshold"]
    claims(study, H3, second | {"margin": "0.1", "kinds": ["fix"]})
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


@pytest.mark.requirement("OUT-41")
def test_a_study_without_hypotheses_is_exploratory_and_says_so(study: Path) -> None:
    assert called("plan", study).exit_code == 0
    assert outcome(study).is_exploratory
    done = called("seal", study)
    assert "no hypotheses registered: the study is exploratory" in done.output
    assert json.loads(study.joinpath("hypotheses.json").read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"metric": "hiden_implicit"}, "did you mean 'hidden_implicit'"),
        ({"metric": "token_recall"}, "is token_recall, a diagnostic"),
        ({"metric": "checkpoint"}, "checkpoint, and no scenario that counts can be scored"),
        ({"metric": "artifact"}, "has no meaning for senior and literal"),
        ({"direction": "equivalent"}, "equivalent stands beside threshold; mend: write margin"),
        ({"primary": "false"}, "has no primary hypothesis"),
        ({"new": "senor"}, "is 'senor', which is no arm; wanted: one of literal, senior"),
        ({"new": "literal"}, "and base are both 'literal'"),
        ({"scenarios": ["f01-exprt"]}, "did you mean 'f01-export'"),
        ({"metrik": "hidden"}, "did you mean 'metric'"),
    ],
)
@pytest.mark.requirement("OUT-41")
def test_a_claim_that_nothing_could_decide_is_refused_with_its_line(
    study: Path, change: dict[str, Any], told: str
) -> None:
    claims(study, H3 | change)
    done = called("plan", study)
    assert done.exit_code == 2
    assert told in done.output
    assert done.output.startswith("Error: study.yaml:") or "study.yaml:" in done.output


@pytest.mark.requirement("OUT-52")
@pytest.mark.requirement("X-O2")
def test_the_floor_is_that_of_the_exact_test() -> None:
    for n in (1, 5, 6, 8):
        assert smallest_p(n) == sign_flip([1.0] * n).p
    with pytest.raises(NotEstimable, match="6 units are needed"):
        detectable_share(5, 0.05)
    assert detectable_share(6, 0.05) == pytest.approx(0.8 ** (1 / 6))
