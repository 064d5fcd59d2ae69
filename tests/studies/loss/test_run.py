"""``equipoise run``: every cell once, into an archive that verifies, and never again."""

from pathlib import Path

import pytest

from equipoise.archive.manifest import RunFacts
from equipoise.pipeline.verifying import verify_archive
from equipoise.records.event import EventKind
from studies.loss.runs import archive_of, equipoise, events, outputs, run, sealed_study, trials


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = sealed_study(tmp_path_factory.mktemp("run") / "study")
    equipoise("run", folder)
    return folder


@pytest.mark.requirement("E2E-26")
def test_anchors_are_executed_once_and_other_units_three_times(study: Path) -> None:
    n_of: dict[str, int] = {}
    for trial in trials(study, "release-1"):
        n_of[trial.unit] = n_of.get(trial.unit, 0) + 1
    assert {n for unit, n in n_of.items() if unit.endswith("-1")} == {1}
    assert {n for unit, n in n_of.items() if not unit.endswith("-1")} == {3}
    assert len({trial.id for trial in trials(study, "release-1")}) == sum(n_of.values())


def test_the_archive_of_a_run_verifies_and_begins_with_the_plan(study: Path) -> None:
    for arm in ("release-1", "release-2"):
        archive = archive_of(study, arm)
        assert all(fault.is_note for fault in verify_archive(archive.path))
        first = archive.path.joinpath("events.jsonl").read_text(encoding="utf-8").splitlines()[0]
        facts = archive.manifest.run
        assert isinstance(facts, RunFacts)
        assert facts.plan_sha256 in first
        assert '"kind":"started"' in first
        assert (
            archive.path.joinpath("plan.json").read_bytes()
            == study.joinpath("plan.json").read_bytes()
        )


def test_what_the_system_answered_is_kept_word_for_word(study: Path) -> None:
    answered = outputs(study, "release-2")
    assert len(answered) == len(trials(study, "release-2"))
    for (unit, _), answer in answered.items():
        number = int(unit.rpartition("-")[2])
        cents = 0 if number % 3 == 0 else 100 * number
        assert answer == f"{unit}: refunded {cents} cents\n".encode()


def test_a_finished_run_has_nothing_to_do(study: Path) -> None:
    before = archive_of(study, "release-1").head
    assert "nothing to do" in equipoise("run", study).stdout
    assert archive_of(study, "release-1").head == before
    assert len(events(study, "release-1", EventKind.FINISHED)) == 1
    assert not study.joinpath("work").exists()


def test_a_limit_of_cells_stops_and_the_rest_follows(tmp_path: Path) -> None:
    study = sealed_study(tmp_path / "study")
    (first,) = run(study, "--arm", "release-1", "--max-cells", "5", "-j", "1")
    assert first["n_settled"] == 5
    assert "--max-cells" in first["stopped"]
    early = [trial.id for trial in trials(study, "release-1")]
    (second,) = run(study, "--arm", "release-1")
    assert (second["n_before"], second["n_settled"], second["stopped"]) == (5, 28, "")
    assert [trial.id for trial in trials(study, "release-1")][:5] == early
    assert len(events(study, "release-1", EventKind.STOPPED)) == 1


def test_an_unsealed_study_is_not_run(tmp_path: Path) -> None:
    study = sealed_study(tmp_path / "study")
    study.joinpath("seal.json").unlink()
    done = equipoise("run", study, code=3)
    assert "not sealed" in done.stderr
    assert not study.joinpath("archive").exists()
