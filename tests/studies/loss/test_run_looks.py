"""A run under a stopping rule: executed by turns up to each look, and ended where it decides."""

import json
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from equipoise.archive.store import Archive
from equipoise.errors import Blocked, InputError
from equipoise.records.event import Event, EventKind
from equipoise.records.trial import Trial
from equipoise.studies.loss.looks import Taken, looks_of
from equipoise.studies.loss.sealed import read_sealed
from studies.loss.compared_loss_runs import called, result, suites
from studies.loss.looked_desks import LOST, N_CELLS, TONE, arms_of, looked_study, run_all, taken
from studies.loss.runs import NOW, archive_of, events, trials


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study of arms that differ much, run without any disturbance."""
    study = looked_study(tmp_path_factory.mktemp("whole") / "study")
    run_all(study)
    return study


def test_arms_that_differ_much_stop_early_and_what_is_left_out_is_not_missing(whole: Path) -> None:
    study = whole
    runs = run_all(study)
    stopped = [one for one in taken(study) if one.stops]
    assert [one.seen.word for one in stopped] == ["worse"]
    number = stopped[0].seen.number
    assert 1 <= number < 4
    left_out = stopped[0].seen.n_planned - stopped[0].seen.n_executed
    for arm in ("release-1", "release-2"):
        assert runs[arm].is_finished
        assert runs[arm].n_left == 0
        assert runs[arm].n_not_executed == left_out == N_CELLS - len(trials(study, arm))
        (told,) = events(study, arm, EventKind.STOPPED)
        assert told.detail == f"not executed: stopped at look {number} of 4"
    assert {t.unit for t in trials(study, "release-1")} == {
        t.unit for t in trials(study, "release-2")
    }
    done = called("compare", study)
    assert done.exit_code == 1, done.output
    assert f"{N_CELLS - left_out} of {N_CELLS} runs executed, {left_out} saved" in done.output
    found = result(study)
    assert found.look == stopped[0].seen
    assert (found.verdict, found.n_saved, found.n_saved_base) == ("worse", left_out, left_out)
    for suite in suites(study).values():
        assert suite.completion_rate == 1.0
        assert suite.coverage == pytest.approx(1.0)
        assert suite.incomplete_units == ()
        assert suite.n_not_executed == left_out
        assert any(note.startswith("not executed: stopped at look") for note in suite.notes)
    page = next(study.glob("comparisons/*/report/index.html")).read_text(encoding="utf-8")
    assert f"{N_CELLS - left_out} of {N_CELLS} runs executed: {left_out} saved" in page
    junit = next(study.glob("comparisons/*/report/junit.xml")).read_text(encoding="utf-8")
    assert 'failures="1"' in junit
    assert called("verify", study).exit_code == 0
    again = called("run", study)
    assert "nothing to do" in again.output
    assert f"{left_out} not executed: stopped at look {number} of 4" in again.output
    assert len(taken(study)) == number


def test_equal_arms_go_to_the_end_and_every_look_is_told(tmp_path: Path) -> None:
    study = looked_study(tmp_path / "study", "1", "1", looks=2, n_each=5)
    runs = run_all(study)
    assert [one.seen.number for one in taken(study)] == [1, 2]
    assert {one.outcome for one in taken(study)} == {"go on"}
    for run in runs.values():
        assert run.is_finished
        assert (run.n_settled, run.n_left, run.n_not_executed) == (26, 0, 0)
    done = called("compare", study)
    assert "saved" not in done.output
    assert result(study).n_saved == 0
    assert called("verify", study).exit_code == 0


def test_looks_may_be_passed_by_and_the_run_goes_to_its_end(tmp_path: Path) -> None:
    study = looked_study(tmp_path / "study", n_each=4, looks=2)
    done = called("run", study, "--skip-looks")
    assert "passed by with --skip-looks; go on" in done.output
    assert [one.outcome for one in taken(study)] == ["not looked", "not looked"]
    assert len(trials(study, "release-2")) == 20
    assert "next: equipoise grade" in done.output


def unlike(one: Taken, wanted: Taken) -> bool:
    return (one.outcome, one.seen, one.results_sha256) != (
        wanted.outcome,
        wanted.seen,
        wanted.results_sha256,
    )


def same_looks(study: Path, wanted: list[Taken]) -> None:
    """Each look stands once in both archives, and saw and decided the same."""
    for arm in ("release-1", "release-2"):
        found = taken(study, arm)
        assert [one.seen.number for one in found] == [one.seen.number for one in wanted]
        assert not any(unlike(one, two) for one, two in zip(found, wanted, strict=True))
        kept = Counter((t.unit, t.repetition) for t in trials(study, arm))
        assert set(kept.values()) == {1}
        assert len(kept) == wanted[-1].seen.n_executed
        assert len(events(study, arm, EventKind.FINISHED)) == 1


def killed_when(study: Path, pattern: str, needle: bytes) -> None:
    """Starts the run and kills it as soon as a file of an archive holds the needle."""
    command = [sys.executable, "-m", "equipoise", "run", str(study)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
        while child.poll() is None:
            if any(needle in path.read_bytes() for path in study.glob(f"archive/{pattern}")):
                child.send_signal(signal.SIGKILL)
            time.sleep(0.002)


def test_killed_at_a_look_it_decides_the_same_and_counts_no_look_twice(
    whole: Path, tmp_path: Path
) -> None:
    wanted = taken(whole)
    study = looked_study(tmp_path / "killed")
    killed_when(study, "release-1-*/grades.jsonl", b"wrong_amount")
    killed_when(study, "release-2-*/events.jsonl", b'"look"')
    assert not any(one.stops for one in taken(study))
    killed_when(study, "release-2-*/events.jsonl", b'"number":"2"')
    run_all(study)
    same_looks(study, wanted)
    called("compare", study)
    called("compare", whole)
    assert result(study) == result(whole)


def test_killed_between_the_two_records_of_the_last_look_neither_archive_lacks_it(
    whole: Path, tmp_path: Path
) -> None:
    study = looked_study(tmp_path / "killed")
    number = taken(whole)[-1].seen.number
    killed_when(study, "release-1-*/events.jsonl", f'"number":"{number}"'.encode())
    run_all(study)
    same_looks(study, taken(whole))


def test_a_limit_of_cells_cuts_anywhere_and_changes_no_decision(tmp_path: Path) -> None:
    whole = looked_study(tmp_path / "whole", looks=2, n_each=5)
    run_all(whole)
    study = looked_study(tmp_path / "cut", looks=2, n_each=5)
    first = run_all(study, max_cells=20)
    assert sum(run.n_settled for run in first.values()) == 20
    assert "--max-cells" in first["release-2"].stopped
    assert taken(study) == []
    for _ in range(4):
        run_all(study, max_cells=20)
    same_looks(study, taken(whole))


def test_a_look_that_waits_for_people_was_told_by_the_plan_and_halts(tmp_path: Path) -> None:
    study = looked_study(tmp_path / "study", looks=2, n_each=4, categories=(LOST, TONE))
    assert "look 1 of 2 waits for tone_off" in called("plan", study).output
    done = called("run", study)
    assert done.exit_code == 3
    assert "look 1 of 2 waits for grades: tone_off of" in done.output
    assert "findings" in done.output
    n_before = len(trials(study, "release-2"))
    assert called("run", study).exit_code == 3
    assert len(trials(study, "release-2")) == n_before
    rate(study)
    run_all(study)
    assert taken(study)[0].seen.boundary is not None
    assert taken(study)[0].outcome in {"go on", "stop"}


def rate(study: Path) -> None:
    """A reviewer looked at every trial and found nothing wrong with its tone."""
    study.joinpath("findings").mkdir(exist_ok=True)
    lines = [
        json.dumps({"trial": trial.id, "category": "tone_off", "raw": 0, "rater": rater})
        for arm in ("release-1", "release-2")
        for trial in archive_of(study, arm).read(Trial)
        for rater in ("ada", "bob")
    ]
    study.joinpath("findings", "all.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_one_arm_alone_waits_at_the_look_for_the_other(tmp_path: Path) -> None:
    study = looked_study(tmp_path / "study", looks=2, n_each=4)
    done = called("run", study, "--arm", "release-2")
    assert done.exit_code == 3
    assert "look 1 of 2 waits for arm release-1" in done.output
    assert taken(study) == []


@pytest.mark.slow
def test_an_earlier_archive_is_the_baseline_of_every_look(tmp_path: Path) -> None:
    before = looked_study(tmp_path / "before", "1", stopping="{rule: none}")
    run_all(before)
    earlier = archive_of(before, "release-1").path
    study = looked_study(tmp_path / "study", arms=arms("2"), baseline=str(earlier))
    with pytest.raises(Blocked, match="graded under nothing"):
        run_all(study)
    assert called("grade", before).exit_code == 0
    runs = run_all(study)
    assert runs["release-9"].stopped_at is not None
    assert called("compare", study).exit_code == 1
    assert called("verify", study).exit_code == 0


@pytest.mark.slow
def test_each_new_arm_is_looked_at_by_itself_and_the_baseline_goes_on_for_the_others(
    tmp_path: Path,
) -> None:
    study = looked_study(tmp_path / "study", arms=arms_of("1", "2", "1"), rule="e-process", looks=3)
    runs = run_all(study)
    stopped = runs["release-2"].stopped_at
    assert stopped is not None
    assert stopped[0] < 3
    for arm in ("release-1", "release-3"):
        assert (runs[arm].n_settled, runs[arm].stopped_at) == (N_CELLS, None)
        assert runs[arm].is_finished
    (last,) = [one for one in taken(study) if one.stops]
    done = called("compare", study, "--new", "release-2")
    assert done.exit_code == 1, done.output
    assert result(study).look == last.seen
    assert result(study).n_saved_base == 0
    assert called("verify", study).exit_code == 0


def arms(release: str) -> str:
    """One arm that no baseline is named after."""
    return (
        "\n  - name: release-9\n    system:\n      command: [/bin/sh, desk.sh, "
        f'"{{unit}}", "{{trial}}", "{{brief.cents}}", "{release}"]'
    )


def test_more_looks_than_units_are_refused_before_anything_runs(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"stopping\.looks is 90"):
        looked_study(tmp_path / "study", looks=90)


def test_the_units_of_a_look_are_those_of_the_one_before_and_more(tmp_path: Path) -> None:
    sealed = read_sealed(looked_study(tmp_path / "study"), today=NOW.date())
    looks = looks_of(sealed.plan)
    assert looks is not None
    for number in (1, 2, 3):
        assert looks.units(number + 1)[: looks.sizes[number - 1]] == looks.units(number)
    assert sorted(looks.units(4)) == [unit.id for unit in sealed.plan.units]
    assert list(looks.order) != [unit.id for unit in sealed.plan.units]


def test_a_look_that_was_written_in_does_not_follow_and_is_named(
    whole: Path, tmp_path: Path
) -> None:
    study = Path(shutil.copytree(whole, tmp_path / "study"))
    held = called("verify", study)
    assert held.exit_code == 0
    assert "looks, taken again from the trials" in held.output
    first = taken(study)[0]
    forged = replace(first, seen=msgspec.structs.replace(first.seen, statistic=9.9, word="better"))
    path = archive_of(study, "release-2").path
    with Archive.append_to(path) as archive:
        archive.append(
            Event(kind=EventKind.LOOK, at="2026-05-01", outcome="stop", facts=forged.facts())
        )
    done = called("verify", study)
    assert done.exit_code == 1
    assert "look 1 does not follow from the trials" in done.output
