"""A rating study is altered as an attacker would; verify names it, and ends with 1."""

from pathlib import Path
from shutil import copytree, rmtree

import pytest

from studies.loss.runs import equipoise
from studies.rating.judged import judge, judged_study


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study that a judge has decided, compared."""
    study = judged_study(
        tmp_path_factory.mktemp("attacked") / "study",
        judge(acts="longest"),
        text=lambda unit, arm: f"{unit} of {arm}" + " and more" * (arm == "two"),
    )
    equipoise("grade", study)
    equipoise("compare", study)
    return study


@pytest.fixture
def study(compared: Path, tmp_path: Path) -> Path:
    """A copy to alter."""
    return copytree(compared, tmp_path / "study")


def _swap(path: Path) -> None:
    """Exchanges the two arms wherever a file names them."""
    swapped = path.read_text().replace('"one"', '"?"').replace('"two"', '"one"')
    path.write_text(swapped.replace('"?"', '"two"'))


def test_arms_exchanged_in_the_keys_of_judges_are_found_and_no_ranking_is_made(study: Path) -> None:
    said = equipoise("verify", study).stdout
    assert "campaign/judge_keys.jsonl: 48 packets bear the ids" in said
    _swap(study / "campaign" / "judge_keys.jsonl")
    rmtree(study / "comparisons")
    told = equipoise("compare", study, code=1)
    assert "the id of the packet does not follow from this key" in told.stderr
    assert not study.joinpath("comparisons").exists()
    told = equipoise("verify", study, code=1)
    assert told.stdout.count("does not follow from this key") == 2  # its line, and the last
    assert "48 of 48 keys, the first in line 1" in told.stdout


@pytest.mark.parametrize("name", ["judge_keys.jsonl", "secret"])
def test_keys_or_secret_gone_from_under_a_ranking_are_a_fault(study: Path, name: str) -> None:
    study.joinpath("campaign", name).unlink()
    told = equipoise("verify", study, code=1).stdout
    assert f"fault: campaign/{name}: is missing, and a ranking rests on it" in told


def test_what_a_study_given_away_blind_keeps_back_is_left_out_and_named(study: Path) -> None:
    rmtree(study / "comparisons")
    for name in ("judge_keys.jsonl", "secret"):
        study.joinpath("campaign", name).unlink()
    told = equipoise("verify", study).stdout
    assert "LEFT  campaign/judge_keys.jsonl: not looked at: without" in told
    assert "verified, except campaign/judge_keys.jsonl, verdicts of judges: " in told


@pytest.mark.parametrize("damage", ["cut", "edited", "head"])
def test_a_damaged_archive_does_not_break_off_what_verify_says(study: Path, damage: str) -> None:
    (path,) = study.joinpath("archive").glob("judges-*")
    lines = path / "judgements.jsonl"
    content = lines.read_bytes()
    if damage == "cut":
        lines.write_bytes(content[:-40])
    elif damage == "edited":
        lines.write_bytes(content.replace(b'"best":1', b'"best":0', 1))
    else:
        path.joinpath("head.json").write_bytes(b"{")
    told = equipoise("verify", study, code=1)
    assert told.stderr == ""
    assert f"archive/{path.name}/" in told.stdout
    assert "campaign/judge_keys.jsonl: 48 packets bear the ids" in told.stdout, "it went on"
    assert told.stdout.splitlines()[-1].startswith("not verified: ")
