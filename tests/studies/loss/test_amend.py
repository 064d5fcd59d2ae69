"""Amendments are dated, reasoned and chained to the plan; what was sealed stays as it is."""

import json
from datetime import date
from pathlib import Path

import pytest

from equipoise.errors import Tampered
from equipoise.studies.loss.sealed import read_sealed
from every import for_every
from studies.loss.made_study import made_study
from studies.loss.study_commands import planned, run, sealed

TODAY = date(2026, 1, 2)


def test_an_amended_mde_takes_its_n_min_with_it(tmp_path: Path) -> None:
    study = sealed(made_study(tmp_path))
    before = study.joinpath("plan.json").read_bytes()
    code, out, err = run("amend", study, "--reason", "too fine", "--set", "mde=0.6", "--by", "Ada")
    assert (code, err) == (0, "")
    assert "amended 2026-01-02T12:00:00Z by Ada: mde: 0.5 -> 0.6" in out
    read = read_sealed(study, today=TODAY)
    assert study.joinpath("plan.json").read_bytes() == before == read.plan_bytes
    assert read.plan.mde == 0.6
    assert [one.n_min for one in read.plan.partitions] == [3, 4]
    assert read.plan.sample_budget == 7
    assert [one.reason for one in read.amendments] == ["too fine"] * 3


def test_amendments_add_up_and_a_remark_changes_nothing(tmp_path: Path) -> None:
    study = sealed(made_study(tmp_path))
    assert run("amend", study, "--reason", "slow desk", "--set", "budget.concurrency=1")[0] == 0
    assert run("amend", study, "--reason", "and dear", "--set", "max_usd=3.5")[0] == 0
    plan = read_sealed(study, today=TODAY).plan
    code, out, _ = run("amend", study, "--reason", "the desk moved house")
    assert code == 0
    assert "a remark" in out
    read = read_sealed(study, today=TODAY)
    assert read.plan == plan
    assert (plan.limits.concurrency, plan.limits.max_usd) == (1, 3.5)
    assert len(read.amendments) == 3


def test_the_first_line_is_chained_to_the_plan(tmp_path: Path) -> None:
    study = sealed(made_study(tmp_path))
    run("amend", study, "--reason", "a remark")
    line = json.loads(study.joinpath("amendments.jsonl").read_bytes())
    seal = json.loads(study.joinpath("seal.json").read_bytes())
    assert line["prev"] == seal["plan_sha256"]


@pytest.mark.parametrize("edit", ["reworded", "first gone", "swapped"])
def test_an_edited_amendment_is_found(tmp_path: Path, edit: str) -> None:
    study = sealed(made_study(tmp_path))
    for reason in ("one reason", "another reason"):
        assert run("amend", study, "--reason", reason)[0] == 0
    path = study / "amendments.jsonl"
    one, two = path.read_bytes().splitlines(keepends=True)
    edits = {
        "reworded": one.replace(b"one", b"ohe") + two,
        "first gone": two,
        "swapped": two + one,
    }
    path.write_bytes(edits[edit])
    with pytest.raises(Tampered, match=r"amendments\.jsonl:1"):
        read_sealed(study, today=TODAY)
    code, out, err = run("verify", study)
    assert code == 1
    assert "amendments.jsonl" in out + err
    code, _, err = run("amend", study, "--reason", "more")
    assert code == 1
    assert "amendments.jsonl:1" in err


@for_every(
    "setting, told",
    [
        ("mde=0", "greater than 0"),
        ("mde=nan", "--set mde=nan"),
        ("seed=8", "begin a new study"),
        ("mdee=0.1", "did you mean 'mde'?"),
        ("concurrency=many", "wanted: a whole number"),
        ("mde", "KEY=VALUE"),
    ],
)
def test_what_cannot_be_amended_is_refused(tmp_path: Path, setting: str, told: str) -> None:
    study = sealed(made_study(tmp_path))
    code, _, err = run("amend", study, "--reason", "so", "--set", setting)
    assert code == 2
    assert told in err
    assert not study.joinpath("amendments.jsonl").exists()


def test_an_amendment_wants_a_seal_and_a_reason(tmp_path: Path) -> None:
    study = planned(made_study(tmp_path))
    code, _, err = run("amend", study, "--reason", "so")
    assert code == 3
    assert "is not sealed" in err
    code, _, err = run("amend", sealed(study), "--reason", " ")
    assert code == 2
    assert "without reason" in err
