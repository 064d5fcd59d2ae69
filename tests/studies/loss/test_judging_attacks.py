"""Judgements of a loss study are taken away or altered as by an attacker; verify names it."""

from pathlib import Path
from shutil import copytree, rmtree

import pytest

from studies.loss.executed import archive_of
from studies.loss.judged import judged_study
from studies.loss.runs import equipoise


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = judged_study(tmp_path_factory.mktemp("attacked") / "study")
    equipoise("grade", made)
    assert "verified: " in equipoise("verify", made).stdout
    return made


@pytest.mark.parametrize("gone", ["judgements", "judgements/RUN/archive.json", "judgements/secret"])
def test_judgements_that_ratings_rest_on_have_to_be_there(
    study: Path, tmp_path: Path, gone: str
) -> None:
    copy = copytree(study, tmp_path / "study")
    run = archive_of(copy, "release-2").path.name
    path = copy / gone.replace("RUN", run)
    (rmtree if path.is_dir() else Path.unlink)(path)
    told = equipoise("verify", copy, code=1).stdout
    assert "not verified: " in told
    if gone == "judgements/secret":
        assert "verdicts were not held against packets (found " in told
        assert "secret cannot be read" in told
    else:
        assert f"fault: judgements/{run}/archive.json: is missing" in told
    assert told.count("FAULT") == (1 if "RUN" in gone else 2)


@pytest.mark.parametrize("secret", ["é", "6" * 64])
def test_a_secret_that_is_none_or_another_is_a_fault(
    study: Path, tmp_path: Path, secret: str
) -> None:
    copy = copytree(study, tmp_path / "study")
    copy.joinpath("judgements", "secret").write_text(secret)
    told = equipoise("verify", copy, code=1).stdout
    assert "fromhex" not in told
    if secret == "é":
        assert "secret holds no secret" in told
    else:
        assert "(expected 1, found a judgement of no question of this study)" in told
        assert "34 of 34, the first in line 1" in told
