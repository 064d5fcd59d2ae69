"""A sceptic verifies what is derived: every page, and what another version of the tool made."""

import re
import shutil
from pathlib import Path

import msgspec
import pytest

from equipoise import __version__
from equipoise.records.codec import decode, pretty
from equipoise.records.suite import LossComparison, Suite
from equipoise.studies.loss.comparing import compare
from equipoise.studies.loss.pairing import pair_in
from studies.loss.compared_loss_runs import called
from studies.loss.executed import executed_study, grade
from studies.loss.made_study import made_study, made_units
from studies.loss.study_commands import planned

OLDER = "0.0.1"


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    study = executed_study(tmp_path_factory.mktemp("graded") / "study", units=made_units(3))
    grade(study)
    return study


@pytest.fixture(scope="module")
def written(graded: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    study = Path(shutil.copytree(graded, tmp_path_factory.mktemp("written") / "study"))
    assert called("compare", study).exit_code in {0, 1}
    assert called("report", study).exit_code == 0
    return study


@pytest.fixture(scope="module")
def older(graded: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The study as an older version of the tool would have compared it."""
    study = Path(shutil.copytree(graded, tmp_path_factory.mktemp("older") / "study"))
    compare(pair_in(study), made_by=OLDER)
    return study


def another_digit(path: Path) -> None:
    """Changes the last digit in a file."""
    text = path.read_text(encoding="utf-8")
    at = [found.start() for found in re.finditer(r"\d", text)][-1]
    digit = "7" if text[at] != "7" else "3"
    path.write_text(text[:at] + digit + text[at + 1 :], encoding="utf-8")


def one(study: Path, pattern: str) -> Path:
    (path,) = study.glob(pattern)
    return path


def test_every_page_follows(written: Path) -> None:
    done = called("verify", written)
    assert done.exit_code == 0, done.output
    assert "E2E-PLAN.md: the page that was sealed with the plan" in done.output
    assert "history.html: follows from the history" in done.output


def test_another_digit_in_any_page_is_found_and_its_file_is_named(
    written: Path, tmp_path: Path
) -> None:
    study = Path(shutil.copytree(written, tmp_path / "study"))
    pages = [study / "E2E-PLAN.md", study / "history.html"]
    pages += [path for path in study.glob("comparisons/*/**/*") if path.is_file()]
    held = [path for path in pages if re.search(r"\d", path.read_text(encoding="utf-8"))]
    assert {"E2E-PLAN.md", "history.html", "index.html", "junit.xml", "regressions.json"} <= {
        path.name for path in held
    }
    for path in held:
        if path.name != "regressions.json":
            another_digit(path)
    done = called("verify", study)
    assert done.exit_code == 1
    faults = [line for line in done.output.splitlines() if line.strip().startswith("fault:")]
    for path in held:
        if path.name != "regressions.json":
            name = path.relative_to(study).as_posix()
            assert any(line.strip().startswith(f"fault: {name}:") for line in faults), name
    assert ": another\n" not in done.output
    assert "files are not what the archives give" in done.output


def test_a_plan_page_that_is_gone_is_missed(written: Path, tmp_path: Path) -> None:
    study = Path(shutil.copytree(written, tmp_path / "study"))
    study.joinpath("E2E-PLAN.md").unlink()
    done = called("verify", study)
    assert done.exit_code == 1
    assert "E2E-PLAN.md: is missing" in done.output


def test_a_plan_that_is_made_again_leaves_the_sealed_page_alone(
    written: Path, tmp_path: Path
) -> None:
    study = Path(shutil.copytree(written, tmp_path / "study"))
    another_digit(study / "E2E-PLAN.md")
    assert called("plan", study).exit_code == 0
    page = study.joinpath("E2E-PLAN.md").read_bytes()
    assert page == written.joinpath("E2E-PLAN.md").read_bytes()


def test_the_page_of_the_history_keeps_up_with_it_or_is_said_to_lag(
    written: Path, tmp_path: Path
) -> None:
    study = Path(shutil.copytree(written, tmp_path / "study"))
    before = study.joinpath("history.html").read_bytes()
    arms = ("--base", "release-2", "--new", "release-1")
    assert called("compare", study, *arms).exit_code in {0, 1}
    assert study.joinpath("history.html").read_bytes() != before
    assert called("verify", study).exit_code == 0
    study.joinpath("history.html").write_bytes(before)
    done = called("verify", study)
    assert done.exit_code == 0, done.output
    assert "history.html: is that of the first 2 rows" in done.output


def test_before_sealing_the_page_is_held_against_the_plan(tmp_path: Path) -> None:
    study = planned(made_study(tmp_path / "study"))
    assert "E2E-PLAN.md: follows from the plan" in called("verify", study).output
    another_digit(study / "E2E-PLAN.md")
    done = called("verify", study)
    assert done.exit_code == 1
    assert "E2E-PLAN.md: does not follow from the plan" in done.output
    refused = called("seal", study)
    assert refused.exit_code == 3
    assert "E2E-PLAN.md is not what study.yaml gives" in refused.output


def test_what_an_older_version_made_follows_where_nothing_is_derived_otherwise(
    older: Path,
) -> None:
    done = called("verify", older)
    assert done.exit_code == 0, done.output
    assert f"made by version {OLDER}" in done.output


def test_what_an_older_version_derived_otherwise_is_neither_verified_nor_altered(
    older: Path, tmp_path: Path
) -> None:
    study = Path(shutil.copytree(older, tmp_path / "study"))
    path = one(study, "archive/release-2-*/suites/*/suite.json")
    suite = decode(path.read_bytes(), Suite)
    path.write_bytes(pretty(msgspec.structs.replace(suite, completion_rate=0.99)))
    path = one(study, "comparisons/*/regressions.json")
    comparison = decode(path.read_bytes(), LossComparison)
    path.write_bytes(pretty(msgspec.structs.replace(comparison, z=9.0)))
    done = called("verify", study)
    assert done.exit_code == 4
    this = f"made by version {OLDER}; this is {__version__}: re-derivation differs in"
    assert f"{this} completion_rate" in done.output
    assert f"{this} z" in done.output
    assert "fault:" not in done.output
    assert done.output.splitlines()[-1].startswith("nobody can tell: ")
    told = called("verify", study, "--json").output
    assert f'"made_by": ["{OLDER}"]' in re.sub(r"\s+", " ", told).replace("[ ", "[").replace(
        " ]", "]"
    )
    assert called("compare", study).exit_code in {0, 1}
    assert called("verify", study).exit_code == 0


def test_the_same_edit_under_this_version_is_an_alteration(written: Path, tmp_path: Path) -> None:
    study = Path(shutil.copytree(written, tmp_path / "study"))
    path = one(study, "comparisons/*/regressions.json")
    comparison = decode(path.read_bytes(), LossComparison)
    path.write_bytes(pretty(msgspec.structs.replace(comparison, z=9.0)))
    done = called("verify", study)
    assert done.exit_code == 1
    assert "regressions.json: does not follow from the archives" in done.output
