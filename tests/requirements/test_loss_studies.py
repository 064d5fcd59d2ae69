"""Requirements of loss studies as a user meets them, on the starter study."""

import json
from pathlib import Path

import pytest

from requirements.started import equipoise, executed, sealed

EQUAL = ('argv: ["{python}", desk.py, "{arm}"]', 'argv: ["{python}", desk.py, release-1]')


@pytest.fixture(scope="module")
def equal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two arms of one program, which writes a boundary into its log that the plan lacks."""
    hop = ("- id: desk", "- id: front")
    return executed(sealed(tmp_path_factory.mktemp("equal") / "study", EQUAL, hop))


def table(study: Path) -> str:
    (path,) = study.glob("comparisons/*/TOP-REGRESSIONS.md")
    return path.read_text("utf-8")


@pytest.mark.requirement("E2E-01")
@pytest.mark.requirement("E2E-48")
def test_two_equal_releases_give_an_empty_table_and_exit_code_0(equal: Path) -> None:
    said = equipoise("compare", equal)
    assert "no demonstrable regression" in said.lower()
    lines = table(equal).splitlines()
    assert lines[0].startswith("| partition | kategorie | delta |")
    assert len(lines) == 2


@pytest.mark.requirement("I-13")
def test_units_that_waver_are_listed_with_their_rate(equal: Path) -> None:
    equipoise("compare", equal)
    for path in equal.glob("archive/*/suites/*/suite.json"):
        flaky = json.loads(path.read_bytes())["flaky"]
        assert flaky
        assert {one["n"] for one in flaky} == {3}
        assert {round(3 * one["rate"]) for one in flaky} <= {1, 2}


@pytest.mark.requirement("E2E-12")
def test_a_boundary_that_the_logs_show_and_the_plan_lacks_is_reported(equal: Path) -> None:
    said = equipoise("compare", equal)
    assert "the plan is incomplete: the logs show the boundary 'desk'" in said
    assert "mend: declare it under hops" in said


@pytest.mark.requirement("E2E-41")
def test_without_a_run_of_the_baseline_nothing_is_compared_and_with_one_always(
    tmp_path: Path,
) -> None:
    study = executed(sealed(tmp_path / "study"), "--arm", "release-2")
    said = equipoise("compare", study, code=3)
    assert "the baseline 'release-1' has no run" in said
    assert "mend: `equipoise run" in said
    assert not list(study.glob("comparisons/*"))
    executed(study)
    assert "release-2: EQUIVALENT against release-1" in equipoise("compare", study)
    assert table(study)


@pytest.mark.requirement("E2E-41")
def test_a_plan_without_a_baseline_is_refused(tmp_path: Path) -> None:
    equipoise("init", "loss", tmp_path)
    path = tmp_path / "study.yaml"
    path.write_text(path.read_text("utf-8").replace("baseline: release-1\n", ""), "utf-8")
    assert "baseline" in equipoise("plan", tmp_path, code=2)
