"""A rating study is altered as an attacker would; verify names it, and ends with 1."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from shutil import copytree, rmtree

import pytest

from equipoise import __version__
from studies.loss.runs import equipoise
from studies.rating.judged import judge, judged_study
from studies.rating.rating_commands import fine, outputs, write_study


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


@pytest.mark.parametrize(
    ("gone", "said"),
    [
        ("seal.json", "seal.json: is missing, and archive/judges-"),
        ("sealed", "sealed/plan.json: is missing"),
        ("campaign/unblinded.jsonl", "no line says that the keys of ranking-"),
    ],
)
def test_seal_copies_and_the_log_of_unblinding_are_missed(
    study: Path, gone: str, said: str
) -> None:
    path = study / gone
    (rmtree if path.is_dir() else Path.unlink)(path)
    assert said in equipoise("verify", study, code=1).stdout


def test_other_keys_under_one_plan_are_told_from_the_log(study: Path) -> None:
    log = study / "campaign" / "unblinded.jsonl"
    line = json.loads(log.read_bytes())
    forged = line | {"keys_sha256": "0" * 64}
    log.write_text(log.read_text() + json.dumps(forged) + "\n")
    told = equipoise("verify", study, code=1).stdout
    assert "unblinded.jsonl:2: other keys of the same packets" in told


@pytest.fixture(scope="module")
def rated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study that made-up people have rated, compared."""
    arms = ("C0", "C1")
    more = "set_size: 2\nannotators: [{name: ann}, {name: bob}, {name: cy}]\n"
    place = tmp_path_factory.mktemp("rated") / "study"
    made = write_study(place, outputs(4, arms), arms=arms, more=more)
    for words in (("plan",), ("seal",), ("annotate", "make"), ("annotate", "simulate")):
        fine(*words, made)
    fine("annotate", "collect", made)
    equipoise("compare", made, code=None)
    fine("verify", made)
    return made


def test_arms_exchanged_in_the_keys_of_people_are_told_in_one_line(
    rated: Path, tmp_path: Path
) -> None:
    study = copytree(rated, tmp_path / "study")
    keys = study / "campaign" / "keys.jsonl"
    content = keys.read_text().replace('"C0"', '"?"').replace('"C1"', '"C0"')
    keys.write_text(content.replace('"?"', '"C1"'))
    assert "does not follow from this key" in equipoise("compare", study, code=1).stderr
    told = equipoise("verify", study, code=1).stdout
    assert "12 of 12 keys, the first in line 1" in told
    assert (
        told.count("fault: campaign/keys.jsonl") == 3
    )  # not as collected, of the ids, of the plan


def test_a_campaign_made_anew_with_another_secret_is_not_that_of_the_answers(
    rated: Path, tmp_path: Path
) -> None:
    study = copytree(rated, tmp_path / "study")
    rmtree(study / "campaign")
    fine("annotate", "make", study)
    told = equipoise("verify", study, code=1).stdout
    for name in ("keys", "packets", "assignments"):
        assert f"campaign/{name}.jsonl: is not the one that " in told


def test_a_campaign_given_away_blind_is_verified_but_for_what_is_kept_back(
    rated: Path, tmp_path: Path
) -> None:
    study = copytree(rated, tmp_path / "study")
    for name in ("keys.jsonl", "secret"):
        study.joinpath("campaign", name).unlink()
    told = equipoise("verify", study, code=1).stdout
    assert "campaign/keys.jsonl: is missing, and a ranking rests on it" in told
    rmtree(study / "comparisons")
    told = equipoise("verify", study).stdout
    assert "verified, except campaign/keys.jsonl, campaign: " in told


def test_what_was_changed_is_named_and_nothing_else_is_blamed(rated: Path, tmp_path: Path) -> None:
    for name, old, new in (("outputs.jsonl", "rain1", "snow1"), ("study.yaml", "A study", "B")):
        study = copytree(rated, tmp_path / name)
        rmtree(study / "comparisons")
        path = study / name
        path.write_text(path.read_text().replace(old, new))
        told = equipoise("verify", study, code=1).stdout
        faults = [line for line in told.splitlines() if "fault: " in line]
        assert [f"fault: {name}: was changed after planning" in line for line in faults] == [True]
        assert "families" not in told


def test_links_that_change_hands_are_told_and_renewed_ones_are_not(
    rated: Path, tmp_path: Path
) -> None:
    study = copytree(rated, tmp_path / "study")
    fine("annotate", "make", study, "--renew", "bob")
    assert "each link is still that of the person" in equipoise("verify", study).stdout
    tokens = study / "campaign" / "tokens.json"
    held = json.loads(tokens.read_bytes())
    tokens.write_text(json.dumps(held | {"ann": held["bob"], "bob": held["ann"]}))
    told = equipoise("verify", study, code=1).stdout
    assert "fault: campaign/tokens.json: is not what `annotate make`" in told


def test_a_database_of_answers_is_held_against_the_archive_and_not_touched(
    rated: Path, tmp_path: Path
) -> None:
    study = copytree(rated, tmp_path / "study")
    file = study / "campaign" / "answers.sqlite"
    before = {path.name: path.read_bytes() for path in file.parent.iterdir()}
    n = len(next(study.glob("archive/people-*/answers.jsonl")).read_bytes().splitlines())
    assert f"answers.sqlite: holds the {n} answers" in equipoise("verify", study).stdout
    assert {path.name: path.read_bytes() for path in file.parent.iterdir()} == before
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("DROP TRIGGER answers_no_update")
        database.execute("UPDATE answers SET body = replace(body, '\"ann\"', '\"bob\"')")
        database.execute("UPDATE answers SET annotator = 'bob', turn = turn + 100 WHERE seq < 5")
    told = equipoise("verify", study, code=1).stdout
    assert "fault: campaign/answers.sqlite: answer 1 is not the one that was archived" in told
    assert "another annotator" in told
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("DROP TRIGGER answers_no_delete")
        database.execute("DELETE FROM answers WHERE seq > 3")
    told = equipoise("verify", study, code=1).stdout
    assert f"{n - 3} archived answers are gone from it" in told


def test_pages_of_another_version_are_told_as_such_and_forged_ones_as_altered(
    study: Path,
) -> None:
    (folder,) = study.glob("comparisons/*")
    page = folder / "report" / "index.html"
    content = page.read_text()
    page.write_text(content.replace("worse", "worser"))
    assert "does not follow" in equipoise("verify", study, code=1).stdout
    other = content.replace(f"Equipoise {__version__}", "Equipoise 9.9")
    assert other != content
    page.write_text(other.replace("worse", "worser"))
    told = equipoise("verify", study, code=4).stdout
    assert "other: " in told
    assert "made by version 9.9, follows otherwise here" in told
    page.write_text(other)
    equipoise("verify", study)
    ranking = folder / "ranking.json"
    held = json.loads(ranking.read_bytes()) | {"derived_by": "9.9", "of_the_future": 1}
    ranking.write_text(json.dumps(held))
    assert "ranking.json:1: made by version 9.9" in equipoise("verify", study, code=4).stdout
