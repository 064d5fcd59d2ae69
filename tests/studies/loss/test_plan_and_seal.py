"""A study folder becomes a plan, the plan is sealed, and what was changed since is found."""

import json
from datetime import date
from pathlib import Path

import pytest

from equipoise.errors import Blocked, Tampered
from equipoise.studies.loss.sealed import read_sealed
from studies.loss.made_study import made_study, made_units, write_units
from studies.loss.study_commands import run, sealed

TODAY = date(2026, 1, 2)


def test_plan_then_seal_gives_a_study_that_can_be_read(tmp_path: Path) -> None:
    study = sealed(made_study(tmp_path / "desk", units=made_units(4)))
    read = read_sealed(study, today=TODAY)
    assert read.seal.sealed_at == "2026-01-02T12:00:00Z"
    assert set(read.briefs) == set(read.holdouts) == {unit.id for unit in read.plan.units}
    assert read.briefs["refund-1"].is_anchor
    assert read.holdouts["refund-2"].expected == {"amount": "200 cents"}


def test_planning_again_gives_the_same_bytes_in_any_order_of_units(tmp_path: Path) -> None:
    one = made_study(tmp_path / "one", units=made_units(50))
    two = made_study(tmp_path / "two", units=made_units(50)[::-1])
    assert run("plan", str(one))[0] == run("plan", str(two))[0] == 0
    first = one.joinpath("plan.json").read_bytes()
    assert first == two.joinpath("plan.json").read_bytes()
    assert run("plan", str(one))[0] == 0
    assert one.joinpath("plan.json").read_bytes() == first


def test_reading_before_sealing_is_refused(tmp_path: Path) -> None:
    study = made_study(tmp_path)
    assert run("plan", str(study))[0] == 0
    with pytest.raises(Blocked, match="sampling before sealing is refused"):
        read_sealed(study, today=TODAY)


@pytest.mark.parametrize("name", ["plan.json", "study.yaml"])
def test_a_file_edited_after_sealing_is_named(tmp_path: Path, name: str) -> None:
    study = sealed(made_study(tmp_path))
    path = study / name
    path.write_bytes(path.read_bytes().replace(b"0.5", b"0.4"))
    with pytest.raises(Tampered, match=name):
        read_sealed(study, today=TODAY)


def test_units_changed_after_sealing_are_found_and_their_order_is_free(tmp_path: Path) -> None:
    study = sealed(made_study(tmp_path))
    write_units(study, made_units()[::-1])
    read_sealed(study, today=TODAY)
    changed = made_units()
    changed[3]["expected"] = {"amount": "1 cent"}
    write_units(study, changed)
    with pytest.raises(Tampered, match=r"units\.jsonl"):
        read_sealed(study, today=TODAY)


def test_the_plan_draws_up_to_n_min_and_says_how(tmp_path: Path) -> None:
    study = made_study(tmp_path, units=made_units(8))
    assert run("plan", str(study))[0] == 0
    plan = json.loads(study.joinpath("plan.json").read_bytes())
    refund, invoice = plan["partitions"]
    assert (refund["n_min"], refund["n_drawn"], refund["draw_probability"]) == (4, 4, 0.5)
    assert (invoice["n_min"], invoice["n_drawn"], invoice["s_source"]) == (6, 6, "default")
